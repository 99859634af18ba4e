// Shared memory that another program cuts short: touching what is gone is a SIGBUS, which would end
// the program. While one of these lives, zeros take the place of the memory instead.
#pragma once

#include <cstddef>

namespace koppel {

class BusGuard {
 public:
  BusGuard(void* memory, std::size_t size);
  BusGuard(const BusGuard&) = delete;
  BusGuard& operator=(const BusGuard&) = delete;
  ~BusGuard();

  bool is_gone() const noexcept;

 private:
  int region_ = -1;  // none free: not guarded
};

}  // namespace koppel

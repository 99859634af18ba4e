// Real-time scheduling of the thread that asks for it.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace koppel {

struct RealTimeOptions {
  int priority = 80;         // of SCHED_FIFO, 1 to 99
  std::optional<int> cpu = {};    // to stay on; none: any
  bool locks_memory = true;  // mlockall: no page is ever fetched from a disk
};

// While one lives, the thread is scheduled first-in, first-out before all that are not, and the
// memory of the process stays where it is. Throws Error `live.not-permitted` where the system
// refuses, `live.bad-option` where the priority or the processor does not exist.
class RealTimeGuard {
 public:
  explicit RealTimeGuard(const RealTimeOptions& options);
  RealTimeGuard(const RealTimeGuard&) = delete;
  RealTimeGuard& operator=(const RealTimeGuard&) = delete;
  ~RealTimeGuard();

  const std::string& description() const { return description_; }

 private:
  void restore();

  struct Before;
  std::unique_ptr<Before> before_;
  std::string description_;
};

}  // namespace koppel

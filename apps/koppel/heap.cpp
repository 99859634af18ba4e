#include "apps/koppel/heap.hpp"

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace koppel::app {

#ifdef __GLIBC__

void take_large_pages() {
  constexpr int kRoom = 32 << 20;          // taken at a time
  constexpr int kLargest = 4 << 20;        // larger blocks are mapped and unmapped by themselves
  constexpr std::size_t kFirst = 1 << 20;  // more than the heap has, so that it grows
  if (mallopt(M_TOP_PAD, kRoom) == 0 || mallopt(M_TRIM_THRESHOLD, 4 * kRoom) == 0 ||
      mallopt(M_MMAP_THRESHOLD, kLargest) == 0) {
    return;
  }
  void* const block = std::malloc(kFirst);
  if (block == nullptr) return;
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(sbrk(0));
  std::free(block);
  // Small pages serve as well where the system refuses.
  if (end > first) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

#else

void take_large_pages() {}

#endif

}  // namespace koppel::app

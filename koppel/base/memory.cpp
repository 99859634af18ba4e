#include <koppel/base/memory.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

namespace koppel {

std::size_t memory_for_results() {
  std::size_t all = std::numeric_limits<std::size_t>::max();
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) {
    all = static_cast<std::size_t>(pages) * static_cast<std::size_t>(page);
  }
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    all = std::min(all, static_cast<std::size_t>(limit.rlim_cur));
  }
  return all / 2;
}

}  // namespace koppel

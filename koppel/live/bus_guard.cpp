#include <koppel/live/bus_guard.hpp>

#include <sys/mman.h>

#include <atomic>
#include <csignal>

namespace koppel {
namespace {

struct Region {
  std::atomic<bool> is_used{false}, is_gone{false};
  std::atomic<char*> begin{nullptr};
  std::atomic<std::size_t> size{0};
};
constexpr int kMostRegions = 16;
Region regions[kMostRegions];
struct sigaction before;
std::atomic<bool> is_installed{false};

// mmap is a system call without locks: what is done here may be done in a signal handler.
void on_bus_error(int, siginfo_t* info, void*) {
  char* const at = static_cast<char*>(info->si_addr);
  for (Region& region : regions) {
    char* const begin = region.begin.load(std::memory_order_acquire);
    const std::size_t size = region.size.load(std::memory_order_relaxed);
    if (begin == nullptr || at < begin || at >= begin + size) continue;
    if (mmap(begin, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
        MAP_FAILED) {
      break;
    }
    region.is_gone.store(true, std::memory_order_relaxed);
    return;  // and the access is tried again
  }
  sigaction(SIGBUS, &before, nullptr);  // not ours: as without us
}

void install() {
  if (is_installed.exchange(true)) return;
  struct sigaction action = {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGBUS, &action, &before);
}

}  // namespace

BusGuard::BusGuard(void* memory, std::size_t size) {
  install();
  for (int i = 0; i < kMostRegions; ++i) {
    Region& region = regions[i];
    if (region.is_used.exchange(true)) continue;
    region.is_gone = false;
    region.size = size;
    region.begin.store(static_cast<char*>(memory), std::memory_order_release);
    region_ = i;
    return;
  }
}

BusGuard::~BusGuard() {
  if (region_ < 0) return;
  regions[region_].begin = nullptr;
  regions[region_].is_used = false;
}

bool BusGuard::is_gone() const noexcept { return region_ >= 0 && regions[region_].is_gone; }

}  // namespace koppel

#include <koppel/base/stop.hpp>

#include <atomic>

namespace koppel {
namespace {

std::atomic<bool> stop{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

void request_stop() noexcept { stop.store(true, std::memory_order_relaxed); }
void clear_stop() noexcept { stop.store(false, std::memory_order_relaxed); }
bool is_stop_requested() noexcept { return stop.load(std::memory_order_relaxed); }

void check_stop() {
  if (is_stop_requested()) throw Stopped{};
}

}  // namespace koppel

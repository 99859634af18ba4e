#include <koppel/live/clock.hpp>

#include <ctime>

namespace koppel {
namespace {
constexpr std::int64_t kSecond = 1'000'000'000;
}

std::int64_t MonotonicClock::now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

void MonotonicClock::wait_until(std::int64_t time) noexcept {
  const timespec until{time / kSecond, time % kSecond};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
}

}  // namespace koppel

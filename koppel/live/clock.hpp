// The clock that a live loop keeps to. Times are nanoseconds from some beginning.
#pragma once

#include <cstdint>

namespace koppel {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::int64_t now() noexcept = 0;
  // Returns at that time, or earlier where a signal arrives.
  virtual void wait_until(std::int64_t time) noexcept = 0;
};

// CLOCK_MONOTONIC.
class MonotonicClock : public Clock {
 public:
  std::int64_t now() noexcept override;
  void wait_until(std::int64_t time) noexcept override;
};

}  // namespace koppel

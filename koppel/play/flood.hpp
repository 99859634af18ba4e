// How often something may be asked: a bucket that holds `burst` and gets `rate` a second.
#pragma once

#include <algorithm>
#include <chrono>

namespace koppel {

class Flood {
 public:
  using Clock = std::chrono::steady_clock;

  Flood(double burst, double rate) : burst_(burst), rate_(rate), left_(burst) {}

  bool admits(Clock::time_point now = Clock::now()) {
    const double passed = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    left_ = std::min(burst_, left_ + rate_ * passed);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

 private:
  double burst_, rate_, left_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace koppel

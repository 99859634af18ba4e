// A bar on standard error with simulated time, speed relative to real time and time left. Appears
// only on a terminal, and only when the work takes long enough to wonder.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace koppel::app {

class ProgressBar {
 public:
  explicit ProgressBar(bool is_wanted);
  ~ProgressBar();  // takes the bar away
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double t, double end);
  void show_count(std::size_t done, std::size_t all);  // of pieces of work

 private:
  bool is_due();
  void draw(double part, const std::string& text);

  using Clock = std::chrono::steady_clock;
  bool is_wanted_, is_shown_ = false;
  Clock::time_point start_, next_;
};

}  // namespace koppel::app

#include "apps/koppel/progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include <fmt/format.h>

namespace koppel::app {
namespace {

constexpr std::chrono::milliseconds kPatience{300}, kInterval{100};

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  if (seconds < 3600) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

ProgressBar::ProgressBar(bool is_wanted)
    : is_wanted_(is_wanted && isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      next_(start_ + kPatience) {}

ProgressBar::~ProgressBar() {
  if (is_shown_) std::fputs("\r\033[K", stderr);
}

void ProgressBar::show(double t, double end) {
  if (!is_wanted_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kInterval;
  is_shown_ = true;
  constexpr int kWidth = 30;
  const double part = std::clamp(t / end, 0.0, 1.0);
  const double spent = std::chrono::duration<double>(now - start_).count();
  const int full = static_cast<int>(part * kWidth);
  const std::string text =
      fmt::format("\r[{}{}] {:3.0f} %  t = {:.4g} s  {:.3g} x real time  {} left\033[K",
                  std::string(static_cast<std::size_t>(full), '#'),
                  std::string(static_cast<std::size_t>(kWidth - full), ' '), 100 * part, t,
                  t / spent, part > 0 ? duration(spent * (1 - part) / part) : "?");
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace koppel::app

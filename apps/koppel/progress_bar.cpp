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

bool ProgressBar::is_due() {
  if (!is_wanted_) return false;
  const Clock::time_point now = Clock::now();
  if (now < next_) return false;
  next_ = now + kInterval;
  return true;
}

void ProgressBar::draw(double part, const std::string& text) {
  is_shown_ = true;
  constexpr int kWidth = 30;
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  const int full = static_cast<int>(part * kWidth);
  const std::string line = fmt::format(
      "\r[{}{}] {:3.0f} %  {}  {} left\033[K", std::string(static_cast<std::size_t>(full), '#'),
      std::string(static_cast<std::size_t>(kWidth - full), ' '), 100 * part, text,
      part > 0 ? duration(spent * (1 - part) / part) : "?");
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
}

void ProgressBar::show(double t, double end) {
  if (!is_due()) return;
  const double spent = std::chrono::duration<double>(Clock::now() - start_).count();
  draw(std::clamp(t / end, 0.0, 1.0),
       fmt::format("t = {:.4g} s  {:.3g} x real time", t, t / spent));
}

void ProgressBar::show_count(std::size_t done, std::size_t all) {
  if (!is_due()) return;
  draw(static_cast<double>(done) / static_cast<double>(all), fmt::format("{} of {}", done, all));
}

}  // namespace koppel::app

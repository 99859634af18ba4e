#include "contest.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "benchmarks/expr/measure.hpp"

namespace koppel::benchmarks {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
// A run longer than this is the last of its contestant.
constexpr double kMostSeconds = 0.5;
constexpr double kEnough = 1e-13;

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

std::string ratio(double value) {
  if (std::isnan(value)) return "—";
  return number(value, value < 0.0995 ? 4 : value < 9.95 ? 2 : value < 99.5 ? 1 : 0);
}

}  // namespace

Selection& selection() {
  static Selection chosen;
  return chosen;
}

std::vector<double> tolerances(double from, double to) {
  std::vector<double> all;
  for (double log = std::log10(from); log > std::log10(to) - 0.1; log -= 0.5) {
    all.push_back(std::pow(10, log));
  }
  return all;
}

std::vector<double> step_sizes(double end, long least, long most) {
  std::vector<double> all;
  for (long n = least; n <= most; n *= 2) all.push_back(end / static_cast<double>(n));
  return all;
}

double least_seconds(const std::function<void()>& work) {
  constexpr double kEnoughSeconds = 0.05;
  double least = time_once(work), sum = least;
  for (int i = 1; i < 50 && (i < 2 || sum < kEnoughSeconds) && sum < kMostSeconds; ++i) {
    const double seconds = time_once(work);
    least = std::min(least, seconds);
    sum += seconds;
  }
  return least;
}

std::string milliseconds(double seconds) {
  if (!std::isfinite(seconds)) return "—";
  const double ms = 1e3 * seconds;
  return number(ms, ms < 0.995 ? 3 : ms < 9.95 ? 2 : ms < 99.5 ? 1 : 0);
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", value);
  return text;
}

Contest::Contest(std::string mechanism, std::vector<double> reference)
    : mechanism_(std::move(mechanism)), reference_(std::move(reference)) {}

bool Contest::is_skipped() const {
  return !selection().mechanism.empty() && selection().mechanism != mechanism_;
}

double Contest::error_of(const std::vector<double>& result) const {
  double error = 0;
  for (std::size_t i = 0; i < reference_.size(); ++i) {
    const double e = std::abs(result[i] - reference_[i]);
    if (!(e <= error)) error = e;  // keeps NaN
  }
  return error;
}

void Contest::enter(const Contestant& contestant) {
  const Selection& only = selection();
  if (is_skipped()) return;
  const bool takes_part = only.contestant.empty() || only.contestant == contestant.name;
  if (takes_part && contestant.prepare) contestant.prepare();
  if (!only.contestant.empty()) {
    if (only.contestant != contestant.name) return;
    const bool ok = contestant.run(only.setting);
    std::printf("%s, %s, %g: %s, error %.2e, %ld steps\n", mechanism_.c_str(),
                contestant.name.c_str(), only.setting, ok ? "done" : "failed",
                ok ? error_of(contestant.result()) : NAN,
                contestant.steps ? contestant.steps() : 0);
    return;
  }
  Curve curve{contestant.name, {}};
  int worse = 0, failures = 0;
  double best = kInfinite;
  for (const double setting : contestant.settings) {
    bool ok = false;
    const double first = time_once([&] { ok = contestant.run(setting); });
    if (!ok) {
      if (!curve.points.empty() && ++failures > 1) break;
      continue;
    }
    const double error = error_of(contestant.result());
    const double seconds =
        first > 2 * kMostSeconds ? first : least_seconds([&] { contestant.run(setting); });
    curve.points.push_back({setting, error, seconds, contestant.steps ? contestant.steps() : 0});
    if (only.prints_points) {
      std::printf("    %s: %.1e: error %.1e in %.4f ms, %ld steps\n", contestant.name.c_str(),
                  setting, error, 1e3 * seconds, curve.points.back().steps);
      std::fflush(stdout);
    }
    worse = error < best ? 0 : worse + 1;
    best = std::min(best, error);
    if (seconds > kMostSeconds || best < kEnough || worse > 4) break;
  }
  // A setting that is better than the next finer one was lucky.
  for (std::size_t i = 0; i + 1 < curve.points.size(); ++i) {
    curve.points[i].trusted = std::max(curve.points[i].error, curve.points[i + 1].error);
  }
  if (!curve.points.empty()) curve.points.back().trusted = curve.points.back().error;
  const auto same = std::find_if(curves_.begin(), curves_.end(),
                                 [&](const Curve& other) { return other.name == curve.name; });
  if (same == curves_.end()) {
    curves_.push_back(std::move(curve));
  } else {
    same->points.insert(same->points.end(), curve.points.begin(), curve.points.end());
  }
}

bool Contest::has(std::string_view name) const {
  return std::any_of(curves_.begin(), curves_.end(),
                     [&](const Curve& curve) { return curve.name == name; });
}

double Contest::seconds_of(const Curve& curve, double accuracy) {
  double least = kInfinite;
  for (const Point& point : curve.points) {
    if (point.trusted <= accuracy) least = std::min(least, point.seconds);
  }
  return least;
}

double Contest::seconds(std::string_view name, double accuracy) const {
  double least = kInfinite;
  for (const Curve& curve : curves_) {
    if (!std::string_view(curve.name).starts_with(name)) continue;
    least = std::min(least, seconds_of(curve, accuracy));
  }
  return least;
}

void Contest::print() const {
  if (is_skipped() || curves_.empty()) return;
  std::printf("\n#### %s\n\n", mechanism_.c_str());
  std::vector<std::string> head = {"error at the end"};
  for (const Curve& curve : curves_) head.push_back(curve.name + ", ms");
  print_head(head);
  for (int digits = 4; digits <= 12; ++digits) {
    const double accuracy = std::pow(10, -digits);
    std::vector<std::string> row = {scientific(accuracy)};
    for (const Curve& curve : curves_) {
      row.push_back(milliseconds(seconds_of(curve, accuracy)));
    }
    print_row(row);
  }
}

void add_target(std::string what, std::string wanted, double measured, bool is_met) {
  targets().push_back({std::move(what), std::move(wanted), measured, is_met});
}

void add_speedup(std::string what, double other, double ours, double at_least) {
  if (!selection().mechanism.empty()) return;
  // What the other side never reaches counts as met, what ours never reaches as missed.
  const double measured = other / ours;
  add_target(std::move(what), "≥ " + number(at_least, 0), measured,
             std::isfinite(ours) && measured >= at_least);
}

void add_slowdown(std::string what, double ours, double other, double at_most) {
  if (!selection().mechanism.empty()) return;
  const double measured = ours / other;
  add_target(std::move(what), "≤ " + number(at_most, at_most < 2 ? 1 : 0), measured,
             measured <= at_most);
}

void print_targets() {
  if (targets().empty()) return;
  print_heading("Targets");
  print_head({"what", "wanted", "measured", "met"});
  for (const Target& target : targets()) {
    // A quotient of times is infinite where the upper side does not get there.
    const std::string measured =
        std::isinf(target.measured) ? "not reached" : ratio(target.measured);
    print_row({target.what, target.wanted, measured, target.is_met ? "yes" : "**no**"});
  }
}

}  // namespace koppel::benchmarks

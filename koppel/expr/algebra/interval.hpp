// Intervals of numbers: the operations that bounds of expressions are made of. The result of an
// operation contains all values that it takes on its operands; where nothing can be said it is the
// whole line. Round-off is not accounted for.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace koppel {

struct Interval {
  double lo = 0, hi = 0;

  static Interval whole() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {-kInfinity, kInfinity};
  }
  // Of two numbers in any order; the whole line where one is not a number.
  static Interval of(double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return whole();
    return {std::min(a, b), std::max(a, b)};
  }

  double width() const { return hi - lo; }
  bool contains(double x) const { return lo <= x && x <= hi; }
  bool is_finite() const { return std::isfinite(lo) && std::isfinite(hi); }
};

inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}
inline Interval operator-(const Interval& a) { return {-a.hi, -a.lo}; }
inline Interval operator+(const Interval& a, const Interval& b) {
  const double lo = a.lo + b.lo, hi = a.hi + b.hi;
  return std::isnan(lo) || std::isnan(hi) ? Interval::whole() : Interval{lo, hi};
}
inline Interval operator-(const Interval& a, const Interval& b) { return a + -b; }

inline Interval operator*(const Interval& a, const Interval& b) {
  // What is bounded by zero stays zero, whatever it is multiplied by.
  const auto times = [](double x, double y) { return x == 0 || y == 0 ? 0.0 : x * y; };
  const double p = times(a.lo, b.lo), q = times(a.lo, b.hi), r = times(a.hi, b.lo),
               s = times(a.hi, b.hi);
  return {std::min({p, q, r, s}), std::max({p, q, r, s})};
}

inline Interval reciprocal(const Interval& a) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (a.lo > 0 || a.hi < 0) return {1 / a.hi, 1 / a.lo};
  if (a.lo == 0 && a.hi > 0) return {1 / a.hi, kInfinity};
  if (a.hi == 0 && a.lo < 0) return {-kInfinity, 1 / a.lo};
  return Interval::whole();
}
inline Interval operator/(const Interval& a, const Interval& b) { return a * reciprocal(b); }

inline Interval abs(const Interval& a) {
  if (a.lo >= 0) return a;
  if (a.hi <= 0) return -a;
  return {0, std::max(-a.lo, a.hi)};
}
inline Interval square(const Interval& a) {
  const Interval b = abs(a);
  return {b.lo * b.lo, b.hi * b.hi};
}

// Where f ascends on all of a.
template <typename F>
Interval ascending(const Interval& a, F&& f) {
  return Interval::of(f(a.lo), f(a.hi));
}

inline Interval sin(const Interval& a) {
  constexpr double kTurn = 2 * std::numbers::pi;
  if (!a.is_finite() || a.width() >= kTurn) return {-1, 1};
  Interval out = Interval::of(std::sin(a.lo), std::sin(a.hi));
  // Whether one of the points at + 2πk lies within.
  const auto passes = [&](double at) {
    return std::floor((a.hi - at) / kTurn) > std::floor((a.lo - at) / kTurn);
  };
  if (passes(kTurn / 4)) out.hi = 1;
  if (passes(-kTurn / 4)) out.lo = -1;
  return out;
}
inline Interval cos(const Interval& a) {
  return sin(a + Interval{std::numbers::pi / 2, std::numbers::pi / 2});
}

inline Interval log(const Interval& a) {
  return ascending(Interval{std::max(a.lo, 0.0), std::max(a.hi, 0.0)},
                   [](double x) { return std::log(x); });
}
inline Interval exp(const Interval& a) {
  return ascending(a, [](double x) { return std::exp(x); });
}
inline Interval sqrt(const Interval& a) {
  return {std::sqrt(std::max(a.lo, 0.0)), std::sqrt(std::max(a.hi, 0.0))};
}

// aⁿ for a whole number n.
inline Interval whole_power(const Interval& a, double n) {
  if (n == 0) return {1, 1};
  if (n < 0) return reciprocal(whole_power(a, -n));
  const bool is_even = std::fmod(n, 2) == 0;
  return ascending(is_even ? abs(a) : a, [n](double x) { return std::pow(x, n); });
}

}  // namespace koppel

// Whether a function that is positive at three times becomes negative between them.
//
// With a < b < c and f(b) not above f(a) and f(c), a least value lies between a and c. It is
// enclosed by golden sections [Kiefer 1953]: the bracket keeps the lowest place in the middle. Near
// its least value a function is convex as a rule, and then not below the lines through two of the
// places, extended beyond the middle one:
//
//   f(t) ≥ f(b) + (f(b) − f(a))/(b − a) (t − b)   for b ≤ t ≤ c, and so on the other side.     (1)
//
// Where both lines stay positive the search ends, as a rule after one or two evaluations.
#pragma once

#include <algorithm>
#include <optional>

namespace koppel {

struct Bracket {
  double a, b, c;  // times
  double f_a, f_b, f_c;
};

// A time at which f(t) < 0; nothing: there is none, or it is too short to be found.
template <typename F>
std::optional<double> find_dip(Bracket s, F&& f) {
  constexpr int kMost = 40;  // sections, each to 0.62 of the last: 5e-9 of the bracket
  constexpr double kSection = 0.381966011250105;
  for (int i = 0; i < kMost; ++i) {
    const double left = s.b - s.a, right = s.c - s.b;
    if (!(left > 0 && right > 0)) return {};
    const double before = s.f_b - (s.f_c - s.f_b) / right * left;  // (1), at a
    const double behind = s.f_b + (s.f_b - s.f_a) / left * right;  // (1), at c
    if (!(std::min(before, behind) < 0)) return {};
    const bool is_right = right > left;
    const double t = is_right ? s.b + kSection * right : s.b - kSection * left;
    const double value = f(t);
    if (value < 0) return t;
    if (!(value <= s.f_b)) {  // also where it has no value
      (is_right ? s.c : s.a) = t;
      (is_right ? s.f_c : s.f_a) = value;
    } else {
      (is_right ? s.a : s.c) = s.b;
      (is_right ? s.f_a : s.f_c) = s.f_b;
      s.b = t;
      s.f_b = value;
    }
  }
  return {};
}

}  // namespace koppel

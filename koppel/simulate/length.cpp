#include <koppel/simulate/length.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {

double length_of(const Equations& equations, const State& state) {
  constexpr double kNothing = 1e-12;  // m: what assembly leaves of 0
  double length = 0;
  for (std::size_t j = 0; j < equations.num_q(); ++j) {
    if (equations.about.q[j].unit == "m") length = std::max(length, std::abs(state.q[j]));
  }
  return length > kNothing ? length : 1;
}

double absolute_scale_for(const Equations& equations, const State& start) {
  constexpr double kSmall = 0.01;  // m
  return std::min(1.0, length_of(equations, start) / kSmall);
}

}  // namespace koppel

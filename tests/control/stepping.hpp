// Inverse simulation in steps, compared with the flat solution, for tests.
#pragma once

#include <string>

#include "tests/control/inverse_runs.hpp"

namespace koppel::testing {

inline Inverse stepped(const Model& model, const std::string& method, double step,
                       const std::string& integrator = "implicit-euler",
                       const std::string& coordinates = "") {
  InverseOptions options = inverse_options_of(model);
  options.method = method;
  options.integrator = integrator;
  options.coordinates = coordinates;
  options.step = step;
  options.sampling.count = static_cast<int>(std::lround(options.end / step)) + 1;
  // Simplified Newton iterations of Radau do not reach less on the projected form.
  options.tolerance = integrator == "radau5" ? 1e-10 : 1e-12;
  options.health.is_watched = false;  // what coarse steps give is what is looked at
  return inverse(model, options);
}

inline Inverse exact(const Model& model, double step, const std::string& coordinates = "") {
  InverseOptions options = inverse_options_of(model);
  options.coordinates = coordinates;
  options.sampling.count = static_cast<int>(std::lround(options.end / step)) + 1;
  return inverse(model, options);
}

// The largest error of a column at the nodes after the first; rows are matched by their times.
inline double error(const Inverse& a, const Inverse& b, const std::string& column) {
  const auto ta = a.trajectory.time(), tb = b.trajectory.time();
  const auto xa = a.trajectory[column], xb = b.trajectory[column];
  double out = 0;
  std::size_t n = 0, common = 0;
  for (std::size_t i = 1; i < ta.size(); ++i) {
    while (n < tb.size() && tb[n] < ta[i] - 1e-9) ++n;
    if (n == tb.size() || tb[n] > ta[i] + 1e-9) continue;
    ++common;
    if (!(std::abs(xa[i] - xb[n]) <= out)) out = std::abs(xa[i] - xb[n]);
  }
  return common > 0 ? out : std::numeric_limits<double>::infinity();
}

}  // namespace koppel::testing

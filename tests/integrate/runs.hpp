// Running integrators on problems whose solution is known.
#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include <koppel/integrate/integrator.hpp>
#include <problems/analytic.hpp>

namespace koppel::testing {

// The largest |a_i − b_i| of entries first … first + count − 1.
inline double distance(std::span<const double> a, std::span<const double> b, std::size_t first = 0,
                       std::size_t count = std::dynamic_extent) {
  double largest = 0;
  a = a.subspan(first, count);
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i] - b[first + i]));
  }
  return largest;
}

struct Errors {
  Outcome outcome;
  std::vector<double> at_end;  // per unknown
  std::vector<double> within;  // the largest inside of steps, per unknown
};

inline Errors run(const problems::Analytic& system, std::string_view integrator,
                  const IntegrateOptions& options) {
  Errors errors;
  errors.within.assign(system.y.size(), 0.0);
  std::vector<double> y(system.y.size());
  errors.outcome = integrate(
      system.problem, integrator, {0, system.y}, system.end, options, [&](const Step& step) {
        if (!system.exact) return true;
        for (const double x : {0.25, 0.6}) {
          const double t = step.t0 + x * (step.t1 - step.t0);
          step.evaluate(t, y);
          const std::vector<double> exact = system.exact(t);
          for (std::size_t i = 0; i < y.size(); ++i) {
            errors.within[i] = std::max(errors.within[i], std::abs(y[i] - exact[i]));
          }
        }
        return true;
      });
  if (system.exact) {
    const std::vector<double> exact = system.exact(system.end);
    for (std::size_t i = 0; i < y.size(); ++i) {
      errors.at_end.push_back(std::abs(errors.outcome.y[i] - exact[i]));
    }
  }
  return errors;
}

inline double largest(const std::vector<double>& x, std::size_t first = 0,
                      std::size_t count = std::dynamic_extent) {
  const auto part = std::span(x).subspan(first, count);
  return *std::max_element(part.begin(), part.end());
}

// log₂ of how the error falls when the step is halved.
inline double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace koppel::testing

// Contestants: Koppel in several ways, code by hand, IDA, Simbody.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <problems/ggl.hpp>
#include <problems/runge_kutta.hpp>

#include "contest.hpp"
#include "prepared.hpp"

namespace koppel::benchmarks {

// Koppel; `outputs` are compared with the reference. `order` is that of Taylor series, 0: from the
// tolerance.
Contestant koppel_side(const std::string& name, const Model& model, const Way& way, double end,
                       const std::vector<std::string>& outputs, const std::vector<double>& settings,
                       int order = 0);

// Koppel's Taylor series with the order that they choose from the tolerance, and with some others:
// the best setting is looked for on all sides. Each order is compiled anew in native code.
void enter_taylor(Contest& contest, const std::string& name, const Model& model, const Way& way,
                  double end, const std::vector<std::string>& outputs,
                  const std::vector<double>& settings);

// Runge–Kutta methods on a system written by hand (runge_kutta.hpp). `result` takes the compared
// values from a state.
template <typename System, typename Result>
Contestant rk4_side(const std::string& name, std::shared_ptr<System> system,
                    typename System::State start, double end, const std::vector<double>& settings,
                    Result result) {
  auto y = std::make_shared<typename System::State>(start);
  auto count = std::make_shared<long>(0);
  return {name, settings,
          [=](double step) {
            *y = start;
            *count = std::lround(end / step);
            problems::integrate_rk4(*system, *y, end, *count);
            return std::isfinite((*y)[0]);
          },
          [=] { return result(*y); }, [=] { return *count; }};
}

template <typename System, typename Result>
Contestant adaptive_side(const std::string& name, std::shared_ptr<System> system,
                         const problems::Embedded& method, typename System::State start, double end,
                         const std::vector<double>& settings, Result result,
                         double first_step = 1e-3) {
  auto y = std::make_shared<typename System::State>(start);
  auto count = std::make_shared<long>(0);
  return {name, settings,
          [=, &method](double tolerance) {
            *y = start;
            *count = problems::integrate_adaptive(*system, method, *y, end, tolerance, first_step);
            return *count > 0;
          },
          [=] { return result(*y); }, [=] { return *count; }};
}

// With the steps of Koppel's dop853.
template <typename System, typename Result>
Contestant dop853_side(const std::string& name, std::shared_ptr<System> system,
                       std::vector<double> start, double end, const std::vector<double>& settings,
                       Result result) {
  auto y = std::make_shared<std::vector<double>>(start);
  auto count = std::make_shared<long>(0);
  return {name, settings,
          [=](double tolerance) {
            *y = start;
            *count = problems::integrate_dop853(*system, *y, end, tolerance, 1e-3);
            return *count > 0;
          },
          [=] { return result(*y); }, [=] { return *count; }};
}

// IDA on the stabilised form by hand. `result` takes the compared values from y.
using TakeValues = std::function<std::vector<double>(const std::vector<double>& y)>;
Contestant ida_side(std::shared_ptr<const problems::Ggl> ggl, double end, const TakeValues& result);

}  // namespace koppel::benchmarks

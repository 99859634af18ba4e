#include "sides.hpp"

#include <cmath>

namespace koppel::benchmarks {

Contestant koppel_side(const std::string& name, const Model& model, const Way& way, double end,
                       const std::vector<std::string>& outputs,
                       const std::vector<double>& settings) {
  auto prepared = std::make_shared<std::unique_ptr<Prepared>>();
  return {name, settings,
          [=](double setting) {
            IntegrateOptions options;
            if (way.integrator == "rk4") {
              options.step = setting;
            } else {
              options.tolerance = setting;
            }
            return (*prepared)->run(end, options);
          },
          [=] { return (*prepared)->outputs(outputs); },
          [=] { return (*prepared)->outcome().statistics.steps; },
          [=] {
            *prepared = std::make_unique<Prepared>(model, way);
            IntegrateOptions options;
            if (way.integrator == "rk4") options.step = 1e-4;
            (*prepared)->run_steps(1, options);  // compiles what is compiled on first use
          }};
}

Contestant ida_side(std::shared_ptr<const problems::Rods> rods, double end,
                    const std::vector<int>& indices) {
  auto y = std::make_shared<std::vector<double>>();
  return {"IDA by hand", tolerances(1e-3, 1e-13),
          [=](double tolerance) { return problems::integrate_ida(*rods, *y, end, tolerance); },
          [=] {
            std::vector<double> result;
            for (const int i : indices) result.push_back((*y)[static_cast<std::size_t>(i)]);
            return result;
          }};
}

}  // namespace koppel::benchmarks

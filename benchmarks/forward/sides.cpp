#include "sides.hpp"

namespace koppel::benchmarks {

Contestant koppel_side(const std::string& name, const Model& model, const Way& way, double end,
                       const std::vector<std::string>& outputs, const std::vector<double>& settings,
                       int order) {
  auto prepared = std::make_shared<std::unique_ptr<Prepared>>();
  return {name,
          settings,
          [=](double setting) {
            IntegrateOptions options;
            options.order = order;
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
            options.order = order;
            if (way.integrator == "rk4") options.step = 1e-4;
            (*prepared)->run_steps(1, options);  // compiles what is compiled on first use
          }};
}

void enter_taylor(Contest& contest, const std::string& name, const Model& model, const Way& way,
                  double end, const std::vector<std::string>& outputs,
                  const std::vector<double>& settings) {
  contest.enter(koppel_side(name, model, way, end, outputs, settings));
  if (!selection().contestant.empty()) return;  // once
  for (const int order : {16, 20, 24, 28}) {
    contest.enter(koppel_side(name, model, way, end, outputs, settings, order));
  }
}

Contestant ida_side(std::shared_ptr<const problems::Ggl> ggl, double end,
                    const TakeValues& result) {
  auto y = std::make_shared<std::vector<double>>();
  return {"hand-written IDA", tolerances(1e-3, 1e-13),
          [=](double tolerance) { return problems::integrate_ida(*ggl, *y, end, tolerance); },
          [=] { return result(*y); }};
}

}  // namespace koppel::benchmarks

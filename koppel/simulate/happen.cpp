#include <koppel/simulate/happen.hpp>

#include <fmt/format.h>

#include <koppel/analysis/impulse.hpp>

namespace koppel {

std::optional<std::string> happen(const Equations::Event& event, const Evaluator& evaluator,
                                  State& state) {
  const auto values = [&](const std::vector<Expr>& e) {
    return VectorFunction(evaluator.equations, e)(state);
  };
  // All from the state before the event.
  std::vector<Expr> changed;
  for (const auto& [place, value] : event.changes) changed.push_back(value);
  const std::vector<double> parameters = values(changed), impulses = values(event.impulses);
  if (event.restitution) {
    const auto after =
        velocities_after_impact(evaluator, state, event.when_rate, values({*event.restitution})[0]);
    if (!after) {
      return fmt::format("no motion that the constraints allow leads away from event '{}'",
                         event.name);
    }
    state.v = *after;
  }
  if (!impulses.empty()) {
    state.v = velocities_after_impulse(evaluator, state, event.impulse_rates, impulses);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    state.p[event.changes[i].first] = parameters[i];
  }
  return {};
}

}  // namespace koppel

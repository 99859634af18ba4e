#include <koppel/formulation/fixed_cost/descriptor.hpp>

#include <koppel/formulation/add_fixed_cost.hpp>
#include <koppel/formulation/fixed_cost/fixed_cost_terms.hpp>

namespace koppel {
namespace {

using States = FormulationInfo::States;

Descriptor make_descriptor(const Source& s, const FormulationInfo& info) {
  Descriptor out;
  out.equations = s.shared;
  out.lambda = s.lambda;
  append(out.lambda, s.mu);
  out.state = s.state;
  out.level = info.states == States::Velocities ? Descriptor::Level::Velocity
                                                : Descriptor::Level::Acceleration;
  if (info.has_feedback) {
    out.alpha = s.options.alpha;
    out.beta = s.options.beta;
  }
  out.closes_positions = info.closes_positions;
  return out;
}

}  // namespace

Descriptor make_descriptor(const Shared<Equations>& equations, const Formulation& formulation,
                           const State& state, const FormulationOptions& options) {
  const Source source(equations, state, with_feedback(options), formulation);
  return make_descriptor(source, source.whole);
}

void add_fixed_cost(const SourcePtr& s, const FormulationInfo& info, Problem& problem) {
  problem.fixed_cost = FixedCostSteps(
      [s, &info](const FixedCostOptions& options) {
        return make_fixed_cost_terms(make_descriptor(*s, info), options);
      },
      s->state.u, s->state.p, s->options.compile);
  if (s->e.rows.empty()) return;
  using Rule = FixedCostOptions::Rule;
  if (info.states == States::Velocities) {
    problem.fixed_cost.needs(Rule::Rosenbrock) =
        "constraints that are stated by accelerations; formulation '" + problem.formulation +
        "' states velocities";
  }
  if (!info.closes_positions) {
    problem.fixed_cost.needs(Rule::Rattle) =
        "constraints whose positions and velocities both hold; formulation '" +
        problem.formulation + "' does not close positions";
  }
}

}  // namespace koppel

#include <koppel/formulation/add_steps.hpp>

#include <koppel/formulation/step_forms.hpp>

namespace koppel {
namespace {

InstantForm make_instant_form(const Source& s, const FormulationInfo& info) {
  Stated stated = state_constraints(s, info);
  InstantForm out{.e = s.e, .lambda = s.lambda, .mu = s.mu, .eta = stated.eta};
  for (std::size_t j = 0; j < s.e.num_v(); ++j) out.v_rate.push_back(s.v_rate(j));
  const std::vector<NamedExpr> motion = s.motion({});
  for (std::size_t j = 0; j < s.e.num_v(); ++j) {
    out.motion.push_back(motion[s.e.num_q() + j].value);
  }
  out.q_rate_less = stated.q_rate_less;
  out.for_lambda = stated.g;
  out.for_mu = stated.a;
  out.for_eta = stated.eta_rows;
  // One formulation for all rows.
  out.order_lambda = s.lambda.empty() ? 2 : 3 - stated.index.front();
  out.order_mu = s.mu.empty() ? 2 : 3 - stated.index.back();
  out.g = s.e.g;
  out.g_rate = s.g_rate();
  out.Gt_lambda = multiply_transposed(s.e.G, s.lambda);
  out.av = s.nonholonomic();
  out.at_mu = multiply_transposed(s.e.a, s.mu);
  out.given = s.given;
  return out;
}

StepEquations make_steps(const Source& s, const FormulationInfo& info, StepRule rule) {
  const InstantForm form = make_instant_form(s, info);
  const auto terms = [&] {
    switch (rule) {
      case StepRule::GeneralizedAlpha: return make_alpha_steps(form);
      case StepRule::EnergyMomentum: return make_energy_steps(form);
      case StepRule::VariationalMidpoint: return make_variational_steps(form, false);
      case StepRule::VariationalTrapezoidal: break;
    }
    return make_variational_steps(form, true);
  }();
  return StepEquations(terms, s.options.compile);
}

// What a rule for steps lacks; empty: nothing.
std::string missing_for(StepRule rule, const Equations& e, const FormulationInfo& info) {
  const std::string name(info.name), formulation = "; formulation '" + name + "' has none";
  if (rule == StepRule::GeneralizedAlpha) {
    return info.has_residual() && !info.has_accelerations
               ? ""
               : "a residual in positions and velocities" + formulation;
  }
  if (info.states != FormulationInfo::States::Positions && !e.rows.empty()) {
    return "the constraints as they are; formulation '" + name + "' has others";
  }
  const auto coordinates = [&](const char* what, const char* others) {
    return what + std::string(", which some of the '") + e.coordinates +
           "' coordinates have not; " + "others, such as " + others + ", may";
  };
  if (rule == StepRule::EnergyMomentum) {
    return has_linear_rates(e) ? ""
                               : coordinates("rates that are linear in the coordinates",
                                             "absolute, directors or natural ones");
  }
  if (e.num_a() > 0) return "constraints on positions only; '" + e.model + "' has others";
  return has_holonomic_velocities(e)
             ? ""
             : coordinates("velocities that are their rates", "directors or natural ones");
}

}  // namespace

void add_steps(const SourcePtr& s, const FormulationInfo& info, Problem& problem) {
  for (std::size_t i = 0; i < kNumStepRules; ++i) {
    const auto rule = static_cast<StepRule>(i);
    Problem::Steps& steps = problem.steps[i];
    steps.needs =
        s->is_mixed() ? "one formulation for all constraints" : missing_for(rule, s->e, info);
    if (!steps.needs.empty()) continue;
    steps.equations = Lazy<StepEquations>([s, &info, rule] { return make_steps(*s, info, rule); });
  }
}

}  // namespace koppel

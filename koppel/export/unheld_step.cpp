#include <koppel/export/unheld_step.hpp>

#include <algorithm>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

bool conserves_energy(const StepModel& step) {
  const auto& balance = step.prepared.problem.energy;
  return step.inputs.empty() && balance && balance->is_known() && balance->is_conservative();
}

// Whether those of `all` start with `some`.
bool starts_with(const std::vector<CVariable>& all, const std::vector<CVariable>& some) {
  return some.size() <= all.size() &&
         std::equal(some.begin(), some.end(), all.begin(),
                    [](const CVariable& a, const CVariable& b) { return a.label == b.label; });
}

bool is_part_of(const StepModel& step, const StepModel& held) {
  return starts_with(held.q, step.q) && held.q.size() == step.q.size() &&
         starts_with(held.v, step.v) && held.v.size() == step.v.size() &&
         starts_with(held.x, step.x) && starts_with(held.inputs, step.inputs) &&
         starts_with(held.parameters, step.parameters) &&
         starts_with(held.multipliers, step.multipliers) &&
         held.multipliers.size() == step.multipliers.size();
}

// 1 where the step can be trusted.
Expr trust(const Equations& e, const FixedCostTerms& terms) {
  constexpr double kClosed = 1e-10, kGain = 1e-2, kRounding = 1e-9, kFinite = 1e300;
  Exprs from = {e.t}, to = {e.t + terms.inputs[1]};
  for (const auto& [before, after] :
       {std::pair{&e.q, &terms.q}, std::pair{&e.v, &terms.v}, std::pair{&e.x, &terms.x}}) {
    from.insert(from.end(), before->begin(), before->end());
    to.insert(to.end(), after->begin(), after->end());
  }
  Exprs wanted = e.g;
  wanted.insert(wanted.end(), {e.kinetic, e.kinetic + e.potential});
  const Exprs after = substitute(wanted, from, to);
  const Expr T1 = after[e.num_g()], E1 = after[e.num_g() + 1], E0 = e.kinetic + e.potential;
  Expr violation = 0;
  for (std::size_t i = 0; i < e.num_g(); ++i) violation = max(violation, abs(after[i]));
  const Expr allowed = kGain * (e.kinetic + T1) + kRounding * (abs(E0) + abs(E1));
  Expr size = 0;
  for (const Exprs* part : {&terms.q, &terms.v, &terms.x, &terms.lambda}) {
    for (const Expr& value : *part) size += abs(value);
  }
  // Comparisons with NaN are false.
  return select(size <= kFinite, select(violation <= kClosed, select(E1 - E0 <= allowed, 1, 0), 0),
                0);
}

}  // namespace

std::optional<UnheldStep> make_unheld_step(const Model& model, const StepModel& held,
                                           SimulateOptions options) try {
  options.coordinates = held.prepared.choice.coordinates;
  options.step = held.step;
  const StepModel step = make_step_model(model, options);
  const Integrator& integrator = step.prepared.choice.integrator;
  FixedCostOptions rule = integrator.fixed_cost(options.projection);
  rule.corrections = 6;  // it may have been thrown
  if (!conserves_energy(step) || rule.order() < 2 || !is_part_of(step, held)) return {};
  const FixedCostTerms terms = step.prepared.problem.fixed_cost.terms(rule);
  Exprs after;
  for (const auto* part : {&terms.q, &terms.v, &terms.x, &terms.lambda}) {
    after.insert(after.end(), part->begin(), part->end());
  }
  after.push_back(trust(step.prepared.equations, terms));
  UnheldStep out{integrator.text(),  lower(terms.inputs, after, true), step.x.size(),
                 step.inputs.size(), step.parameters.size(),           held.hands};
  return out;
} catch (const Error&) {
  return {};  // none holds: the other step has to do
}

}  // namespace koppel

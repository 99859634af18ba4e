#include <koppel/formulation/fixed_cost/fixed_cost_terms.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/formulation/fixed_cost/euler_step.hpp>
#include <koppel/formulation/fixed_cost/rattle_step.hpp>
#include <koppel/formulation/fixed_cost/rosenbrock_step.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

FixedCostTerms make_terms(const Descriptor& descriptor, const FixedCostOptions& options) {
  if (options.rule != FixedCostOptions::Rule::Euler && !descriptor.equations->tracking.empty()) {
    throw Error("integrate.no-tracking",
                "steps of this integrator do not choose the forces of tracking.",
                "Use `integrator = linear-implicit` or explicit-euler.");
  }
  switch (options.rule) {
    case FixedCostOptions::Rule::Rosenbrock: return make_rosenbrock_step(descriptor, options);
    case FixedCostOptions::Rule::Rattle: return make_rattle_step(descriptor, options);
    case FixedCostOptions::Rule::Euler: break;
  }
  return make_euler_step(descriptor, options);
}

}  // namespace

FixedCostTerms make_fixed_cost_terms(const Descriptor& descriptor,
                                     const FixedCostOptions& options) {
  FixedCostTerms terms = make_terms(descriptor, options);
  // Of all that a step computes together, so that a step without η has the same bits.
  Exprs* const parts[] = {&terms.q, &terms.v, &terms.x, &terms.lambda, &terms.eta};
  Exprs all;
  for (const Exprs* part : parts) all.insert(all.end(), part->begin(), part->end());
  all = share_reciprocals(all);
  auto next = all.begin();
  for (Exprs* part : parts) {
    for (Expr& e : *part) e = *next++;
  }
  return terms;
}

}  // namespace koppel

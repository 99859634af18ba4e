#include <koppel/control/checks/verdict.hpp>

#include <koppel/control/checks/growth.hpp>

namespace koppel {

Verification find_verdict(const Model& model, const ComputedMotion& motion, const RankReport& rank,
                          const State& start, const InputPieces& inputs, double end, double bound) {
  const Equations& e = motion.equations;
  Verification out = verify(model, e, rank, start, as_expressions(e, inputs), start.p, end);
  out.bound = bound;
  out.is_verified = out.is_done && out.relative_error <= bound;
  if (out.is_verified || !out.is_possible) return out;
  const DeviationGrowth growth = find_growth(motion, start);
  out.growth = growth.factor;
  out.growth_at = growth.at;
  return out;
}

}  // namespace koppel

#include <koppel/formulation/fixed_cost/rate_terms.hpp>

#include <koppel/formulation/fixed_cost/saddle_builder.hpp>

namespace koppel {
namespace {

class RateBuilder : public SaddleBuilder {
 public:
  using SaddleBuilder::SaddleBuilder;

  RateTerms make() {
    RateTerms out;
    const Saddle s = make_saddle(here(), C_, true);
    const Elimination elimination = eliminate(s);
    Exprs lower = gamma_;
    for (Expr& x : lower) x = -x;
    const Exprs solution = solve(elimination, s, f_, lower);
    out.rate = Kv_;
    out.rate.insert(out.rate.end(), solution.begin(), solution.begin() + n_);
    out.rate.insert(out.rate.end(), e_.r.begin(), e_.r.end());
    out.multipliers.assign(solution.begin() + n_, solution.end());

    add_held(s, elimination, lower, out);

    Exprs eta;
    const Exprs q =
        close_positions(elimination, s, restore_invariants(e_.q, e_.t), e_.t, e_.K, eta);
    const Exprs v = project_velocities(q, e_.t, e_.v);
    out.projected = q;
    out.projected.insert(out.projected.end(), v.begin(), v.end());
    out.violation.assign(g_.begin(), g_.begin() + static_cast<std::ptrdiff_t>(num_g_));
    out.violation.insert(out.violation.end(), rate_.begin(), rate_.end());
    return out;
  }

 private:
  // (2); invariants are restored at the same pace.
  void add_held(const Saddle& s, const Elimination& elimination, const Exprs& lower,
                RateTerms& out) const {
    const Expr omega = kHold / h_;
    const Exprs none(static_cast<std::size_t>(n_));
    Exprs of_g = g_;
    for (Expr& x : of_g) x = -x;
    const Exprs rate = solve(elimination, s, f_, plus(lower, -omega, rate_));
    const Exprs closing = solve(elimination, s, none, of_g);
    const Exprs back = multiply(e_.K, std::span(closing).first(static_cast<std::size_t>(n_)));
    out.held = plus(plus(Kv_, omega, back), omega, plus(restore_invariants(e_.q, e_.t), -1, e_.q));
    out.held.insert(out.held.end(), rate.begin(), rate.begin() + n_);
    out.held.insert(out.held.end(), e_.r.begin(), e_.r.end());
  }
};

}  // namespace

RateTerms make_rate_terms(const Descriptor& descriptor) { return RateBuilder(descriptor).make(); }

}  // namespace koppel

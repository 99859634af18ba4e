#include <koppel/formulation/fixed_cost/rosenbrock_step.hpp>

#include <cmath>

#include <fmt/format.h>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/fixed_cost/saddle_builder.hpp>
#include <koppel/formulation/fixed_cost/stiff_parts.hpp>

namespace koppel {
namespace {

const double kGamma = 1 - std::sqrt(0.5);

class RosenbrockBuilder : public SaddleBuilder {
 public:
  RosenbrockBuilder(const Descriptor& descriptor, const FixedCostOptions& options)
      : SaddleBuilder(descriptor),
        options_(options),
        stiff_(stiff_forces(descriptor, f_, options.stiff)),
        t1_(e_.t + h_),
        gh_(kGamma * h_) {
    for (std::size_t i = 0; i < e_.num_rows(); ++i) {
      before_.push_back(e_.graph->symbol(fmt::format("step.lambda[{}]", i)));
    }
    moving_ = e_.q;
    moving_.push_back(e_.t);
  }

  FixedCostTerms make() {
    inputs();
    first_stage();
    second_stage();
    out_.pivots = pivots_;
    out_.check = check_;
    out_.num_factorizations = num_factorizations();
    return std::move(out_);
  }

 private:
  void inputs() {
    out_.inputs = {e_.t, h_};
    for (const Exprs* part :
         std::initializer_list<const Exprs*>{&e_.q, &e_.v, &e_.x, &before_, &e_.u, &e_.p}) {
      out_.inputs.insert(out_.inputs.end(), part->begin(), part->end());
    }
  }

  // − γh J_v − γ²h² J_q K, at the start of the step in both stages.
  void add_stiffness(ExprMatrix& matrix, const Place&) const override {
    matrix.add(jacobian(stiff_.by_v, e_.v), 0, 0, -gh_);
    matrix.add(product(jacobian(stiff_.by_q, e_.q), e_.K), 0, 0, -gh_ * gh_);
  }

  // F at the stage: where forces depend on reactions and on velocities, order 2 needs both there.
  SparseExpr forces_of_reactions(const Place&) const override {
    return to_.empty() ? F_ : SparseExpr{F_.pattern, staged(F_.values)};
  }

  // J_q q̇ + f_t ṫ.
  Exprs along(Exprs q_rate, Expr t_rate) const {
    q_rate.push_back(t_rate);
    return time_derivative(stiff_.by_q, moving_, q_rate);
  }

  // −γ_c − 2α (C v + c) − β² g, at the start of the step.
  Exprs stated() const {
    Exprs s(e_.num_rows());
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double first = i < num_g_ ? 2 * d_.alpha : d_.alpha;
      s[i] = -gamma_[i] - first * rate_[i] - d_.beta * d_.beta * g_[i];
    }
    return s;
  }

  // Of values at the start of the step, those of the second stage.
  Exprs staged(const Exprs& values) const { return substitute(values, from_, to_); }

  // (3)
  void first_stage() {
    const Saddle s = make_saddle(here(), C_, true);
    const Exprs upper = plus(f_, gh_, along(Kv_, 1));
    const Exprs solution = solve(eliminate(s), s, upper, stated());
    kv1_.assign(solution.begin(), solution.begin() + n_);
    kq1_ = multiply(e_.K, plus(e_.v, gh_, kv1_));
    kx1_ = further(e_.r);
    from_ = moving_;
    to_ = plus(e_.q, h_, kq1_);
    to_.push_back(t1_);
    const auto add = [&](const Exprs& symbols, const Exprs& rates) {
      const Exprs values = plus(symbols, h_, rates);
      from_.insert(from_.end(), symbols.begin(), symbols.end());
      to_.insert(to_.end(), values.begin(), values.end());
    };
    add(e_.v, kv1_);
    add(e_.x, kx1_);
  }

  // (4), the new values, and projection.
  void second_stage() {
    const Place place{Exprs(to_.begin(), to_.begin() + static_cast<std::ptrdiff_t>(e_.q.size())),
                      t1_};
    const Saddle s = make_saddle(place, at(place, C_), true);
    const Exprs moved = plus(staged(Kv_), -2, kq1_);  // K_s v_s − 2 k_q1
    Exprs upper = plus(staged(f_), gh_, along(moved, -1));
    upper = plus(upper, -2, multiply(at(place, *e_.M), kv1_));
    const Exprs lower = plus(staged(stated()), -2, multiply(s.columns, kv1_));
    const Elimination elimination = eliminate(s);
    const Exprs solution = solve(elimination, s, upper, lower);
    const Exprs kv2(solution.begin(), solution.begin() + n_);
    const Exprs kq2 = plus(moved, gh_, multiply(e_.K, kv2));
    const Exprs kx2 = further(plus(staged(e_.r), -2, kx1_));
    out_.lambda.assign(solution.begin() + n_, solution.end());
    out_.q = restore_invariants(combine(e_.q, kq1_, kq2), t1_);
    out_.v = combine(e_.v, kv1_, kv2);
    out_.x = combine(e_.x, kx1_, kx2);
    if (m_ == 0 || !options_.projects || d_.alpha != 0) return;
    out_.q = close_positions(elimination, s, out_.q, t1_, e_.K, out_.eta);
    for (Expr& eta : out_.eta) eta /= h_;
    out_.v = project_velocities(out_.q, t1_, out_.v);
  }

  Exprs combine(const Exprs& start, const Exprs& k1, const Exprs& k2) const {
    return plus(plus(start, 1.5 * h_, k1), 0.5 * h_, k2);
  }

  // (I − γh r_x)⁻¹ b
  Exprs further(const Exprs& b) const {
    if (e_.x.empty()) return {};
    ExprMatrix matrix(static_cast<int>(e_.x.size()));
    std::vector<int> order;
    for (int i = 0; i < matrix.size(); ++i) {
      matrix.add(i, i, 1);
      order.push_back(i);
    }
    matrix.add(jacobian(e_.r, e_.x), 0, 0, -gh_);
    return Elimination(matrix, order).solve(b);
  }

  FixedCostOptions options_;
  StiffForces stiff_;
  Expr t1_, gh_;
  Exprs before_, moving_;
  Exprs kq1_, kv1_, kx1_;
  Exprs from_, to_;  // t, q, v, x at the start, and at the second stage
  FixedCostTerms out_;
};

}  // namespace

FixedCostTerms make_rosenbrock_step(const Descriptor& descriptor, const FixedCostOptions& options) {
  return RosenbrockBuilder(descriptor, options).make();
}

}  // namespace koppel

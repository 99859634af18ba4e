#include <koppel/formulation/fixed_cost/rattle_step.hpp>

#include <fmt/format.h>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/fixed_cost/saddle_builder.hpp>

namespace koppel {
namespace {

class RattleBuilder : public SaddleBuilder {
 public:
  RattleBuilder(const Descriptor& descriptor, int num_corrections)
      : SaddleBuilder(descriptor),
        num_corrections_(num_corrections),
        t1_(e_.t + h_),
        half_(0.5 * h_) {
    for (std::size_t i = 0; i < e_.num_rows(); ++i) {
      before_.push_back(e_.graph->symbol(fmt::format("step.lambda[{}]", i)));
    }
    f_v_ = jacobian(substitute(e_.f, d_.lambda, before_), e_.v);
  }

  FixedCostTerms make() {
    out_.inputs = {e_.t, h_};
    for (const Exprs* part :
         std::initializer_list<const Exprs*>{&e_.q, &e_.v, &e_.x, &before_, &e_.u, &e_.p}) {
      out_.inputs.insert(out_.inputs.end(), part->begin(), part->end());
    }
    stage_ = {e_.t, e_.q, e_.v, e_.x, before_};
    stage_.x = further();
    first_kick();
    second_kick();
    stage_.v = out_.v;
    out_.x = further();
    out_.pivots = pivots_;
    out_.check = check_;
    out_.num_factorizations = num_factorizations();
    return std::move(out_);
  }

 private:
  // What expressions of the state are evaluated at.
  struct Stage {
    Expr t;
    Exprs q, v, x, lambda;
  };
  Exprs staged(const Exprs& values) const {
    Exprs from{e_.t}, to{stage_.t};
    const auto add = [&](const Exprs& symbols, const Exprs& at) {
      from.insert(from.end(), symbols.begin(), symbols.end());
      to.insert(to.end(), at.begin(), at.end());
    };
    add(e_.q, stage_.q);
    add(e_.v, stage_.v);
    add(e_.x, stage_.x);
    add(before_, stage_.lambda);
    return from == to ? values : substitute(values, from, to);
  }
  SparseExpr staged(const SparseExpr& A) const { return {A.pattern, staged(A.values)}; }

  // The matrix of (3).
  void add_stiffness(ExprMatrix& matrix, const Place&) const override {
    matrix.add(staged(f_v_), 0, 0, -(0.5 * half_));
  }
  SparseExpr forces_of_reactions(const Place&) const override { return staged(F_); }

  // X of (1), from the stage: (2) with τ = h/2.
  Exprs further() const {
    if (e_.x.empty()) return {};
    ExprMatrix matrix(static_cast<int>(e_.x.size()));
    matrix.add(staged(jacobian(e_.r, e_.x)), 0, 0, -(0.5 * half_));
    return plus(stage_.x, half_, solve_beside_one(std::move(matrix), staged(e_.r)));
  }

  // (1 + A)⁻¹ b.
  static Exprs solve_beside_one(ExprMatrix A, const Exprs& b) {
    std::vector<int> order;
    for (int i = 0; i < A.size(); ++i) {
      A.add(i, i, 1);
      order.push_back(i);
    }
    return Elimination(A, order).solve(b);
  }

  // (4), as a function of the velocities e_.v. Coordinates that are counted follow from the others.
  Exprs drift() const {
    std::vector<char> is_counted(e_.q.size());
    for (const auto& counted : e_.counted) is_counted[static_cast<std::size_t>(counted.q)] = true;
    ExprMatrix matrix(static_cast<int>(e_.q.size()));
    const SparseExpr D = jacobian(Kv_, e_.q);
    for (std::size_t c = 0; c < e_.q.size(); ++c) {
      for (int k = D.pattern.column_start[c]; k < D.pattern.column_start[c + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        const int row = D.pattern.row[entry];
        if (is_counted[static_cast<std::size_t>(row)]) continue;
        matrix.add(row, static_cast<int>(c), -half_ * D.values[entry]);
      }
    }
    return restore_invariants(plus(e_.q, h_, solve_beside_one(std::move(matrix), Kv_)), t1_);
  }

  // (5), and its derivative at v₀.
  void find_closure() {
    moved_ = drift();
    const Place end{moved_, t1_};
    Exprs middle = plus(e_.q, 1, moved_);
    for (Expr& q : middle) q = 0.5 * q;
    const Exprs g = at(end, g_), rate = at({middle, e_.t + half_}, rate_);
    for (std::size_t i = 0; i < e_.num_rows(); ++i) {
      rho_.push_back(i < num_g_ ? g[i] / h_ : rate[i]);
    }
    const bool is_plain = num_g_ == e_.num_rows() && moved_ == plus(e_.q, h_, Kv_);
    R_ = is_plain ? at(end, C_) : jacobian(rho_, e_.v);
  }

  // −(2/h) ρ, of values of ρ.
  Exprs over_half_step(Exprs values) const {
    for (Expr& x : values) x = -(x / half_);
    return values;
  }

  // (6)
  void first_kick() {
    find_closure();
    const Saddle s = make_saddle(here(), R_, true);
    const Elimination elimination = eliminate(s);
    Exprs z = solve(elimination, s, staged(f_), over_half_step(rho_));
    const auto half_velocity = [&] { return plus(e_.v, half_, {z.begin(), z.begin() + n_}); };
    for (int k = 0; m_ > 0 && k < num_corrections_; ++k) {
      const Exprs rho = substitute(rho_, e_.v, half_velocity());
      z = plus(z, 1,
               solve(elimination, s, Exprs(static_cast<std::size_t>(n_)), over_half_step(rho)));
    }
    stage_.v = half_velocity();
    stage_.lambda.assign(z.begin() + n_, z.end());
    out_.q = substitute(moved_, e_.v, stage_.v);
  }

  // (3) at the new positions, with (7).
  void second_kick() {
    stage_.q = out_.q;
    stage_.t = t1_;
    const Place there{out_.q, t1_};
    const Saddle s = make_saddle(there, at(there, C_), true);
    const Exprs z = solve(eliminate(s), s, staged(f_), over_half_step(staged(rate_)));
    out_.v = plus(stage_.v, half_, {z.begin(), z.begin() + n_});
    out_.lambda = plus(stage_.lambda, 1, {z.begin() + n_, z.end()});
    for (Expr& lambda : out_.lambda) lambda = 0.5 * lambda;
  }

  int num_corrections_;
  Expr t1_, half_;
  Exprs before_;
  SparseExpr f_v_, R_;
  Exprs moved_, rho_;  // q₁(v) and ρ(v) of (5), in the symbols e_.v
  Stage stage_;
  FixedCostTerms out_;
};

}  // namespace

FixedCostTerms make_rattle_step(const Descriptor& descriptor, const FixedCostOptions& options) {
  return RattleBuilder(descriptor, options.corrections).make();
}

}  // namespace koppel

#include <koppel/formulation/fixed_cost/euler_step.hpp>

#include <fmt/format.h>

#include <koppel/formulation/fixed_cost/saddle_builder.hpp>
#include <koppel/formulation/fixed_cost/stiff_parts.hpp>
#include <koppel/formulation/fixed_cost/tracking.hpp>

namespace koppel {
namespace {

using Jacobian = FixedCostOptions::Jacobian;
using Updates = FixedCostOptions::Updates;
using Level = Descriptor::Level;

class EulerBuilder : public SaddleBuilder {
 public:
  EulerBuilder(const Descriptor& descriptor, const FixedCostOptions& options)
      : SaddleBuilder(descriptor),
        options_(options),
        stiff_(stiff_forces(descriptor, f_, options.stiff)),
        t1_(e_.t + h_) {
    for (std::size_t i = 0; i < e_.num_rows(); ++i) {
      before_.push_back(e_.graph->symbol(fmt::format("step.lambda[{}]", i)));
    }
  }

  FixedCostTerms make() {
    out_.inputs = {e_.t, h_};
    for (const Exprs* part :
         std::initializer_list<const Exprs*>{&e_.q, &e_.v, &e_.x, &before_, &e_.u, &e_.p}) {
      out_.inputs.insert(out_.inputs.end(), part->begin(), part->end());
    }
    advance_x();
    if (options_.updates == Updates::NewPositions) {
      step_new_positions();
    } else if (options_.updates == Updates::PositionsFirst && d_.level == Level::Velocity &&
               options_.jacobian != Jacobian::Exact) {
      step_positions_first();
    } else {
      step_velocities_then_positions();
    }
    for (Expr& eta : out_.eta) eta /= h_;
    out_.pivots = pivots_;
    out_.check = check_;
    out_.num_factorizations = num_factorizations();
    return std::move(out_);
  }

 private:
  bool has_J_v() const {
    return options_.jacobian != Jacobian::None && options_.jacobian != Jacobian::J3;
  }

  // − h J_v of (1).
  void add_stiffness(ExprMatrix& matrix, const Place& place) const override {
    if (!has_J_v()) return;
    matrix.add(at(place, jacobian(stiff_.by_v, e_.v)), 0, 0, -h_);
    if (options_.jacobian == Jacobian::J1) return;
    matrix.add(at(place, product(jacobian(stiff_.by_q, e_.q), e_.K)), 0, 0, -h_ * h_);
  }

  // f + h J_q; J_q only where forces are those of the old positions.
  Exprs forces(const Place& place) const {
    if (options_.jacobian == Jacobian::None || options_.updates != Updates::PositionsFirst) {
      return at(place, f_);
    }
    Exprs moving = e_.q, rates = Kv_;
    moving.push_back(e_.t);
    rates.push_back(1);
    return plus(f_, h_, time_derivative(stiff_.by_q, moving, rates));
  }

  // The linear-implicit Euler method itself.
  bool is_euler() const {
    return options_.jacobian == Jacobian::Exact && options_.updates == Updates::PositionsFirst;
  }

  // The lower right-hand side of (1).
  Exprs stated(const Place& place) const {
    const Exprs g = at(place, g_), rate = at(place, rate_);
    Exprs s(e_.num_rows());
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (d_.level == Level::Acceleration) {
        s[i] = is_euler() ? (next_rate(i) - rate[i]) / h_ : -feedback(i, g[i], rate[i]);
        continue;
      }
      s[i] = -((rate[i] + d_.alpha * g[i]) / h_);
      if (is_euler() && d_.alpha != 0) s[i] /= 1 + d_.alpha * h_;  // (4)
    }
    if (d_.level == Level::Acceleration && !is_euler()) s = plus(s, -1, at(place, gamma_));
    return s;
  }

  // 2α and β² of a row.
  double first(std::size_t i) const { return i < num_g_ ? 2 * d_.alpha : d_.alpha; }
  double second(std::size_t i) const { return i < num_g_ ? d_.beta * d_.beta : 0; }
  // ġ₁ of (5).
  Expr next_rate(std::size_t i) const {
    return (rate_[i] - second(i) * h_ * g_[i]) / (1 + first(i) * h_ + second(i) * (h_ * h_));
  }
  // −γ − C w: of (2), and of (6) where that is.
  Expr feedback(std::size_t i, Expr g, Expr rate) const {
    if (d_.alpha == 0 || options_.updates == Updates::PositionsFirst) {
      return first(i) * rate + second(i) * g;
    }
    return (first(i) * rate + second(i) * (g + h_ * rate)) /
           (1 + first(i) * h_ + second(i) * (h_ * h_));
  }

  bool projects() const {
    return m_ > 0 && (d_.closes_positions || (options_.projects && d_.alpha == 0));
  }

  // (3), left.
  Exprs close(const Elimination& elimination, const Saddle& s, const Exprs& q) {
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t k = 0; options_.with_projector && k < num_g_; ++k) {
      Exprs unit(e_.num_rows());
      unit[k] = 1;
      const Exprs solution = solve(elimination, s, Exprs(n), unit);
      const Exprs column = multiply(e_.K, std::span(solution).first(n));
      out_.projector.insert(out_.projector.end(), column.begin(), column.end());
    }
    return close_positions(elimination, s, q, t1_, e_.K, out_.eta);
  }

  // The solution of (1), with forces that are chosen in this step. They act where reactions do, and
  // rates are taken where constraints are stated.
  Exprs solve_with_tracking(const Elimination& elimination, const Saddle& s, const Exprs& upper,
                            const Exprs& lower, const Place& acting, const Place& stated) {
    Exprs solution = solve(elimination, s, upper, lower);
    if (e_.tracking.empty()) return solution;
    const Place place = m_ > 0 ? stated : here();
    const SparseExpr B = m_ > 0 ? at(acting, B_) : B_;
    StepResponse response{m_ > 0 ? at(place, B_) : B_,
                          Exprs(solution.begin(), solution.begin() + n_),
                          {},
                          {},
                          MobilityChange(e_, B_, C_, place.q, place.t)};
    std::vector<Exprs> columns;
    for (int k = 0; k < B.pattern.num_columns; ++k) {
      Exprs b(static_cast<std::size_t>(n_));
      for (int i = 0; i < n_; ++i) b[static_cast<std::size_t>(i)] = B.at(i, k);
      columns.push_back(solve(elimination, s, b, Exprs(lower.size())));
      const auto middle = columns.back().begin() + n_;
      response.W.emplace_back(columns.back().begin(), middle);
      response.reactions.emplace_back(middle, columns.back().end());
    }
    const Exprs mu = follow_targets(e_, d_.state, h_, response);
    for (std::size_t k = 0; k < mu.size(); ++k) solution = plus(solution, mu[k], columns[k]);
    auto next = mu.begin();
    for (const Equations::Tracking& t : e_.tracking) {
      for (const std::size_t i : t.forces) out_.x[i] = *next++;
      out_.held.insert(out_.held.end(), t.forces.begin(), t.forces.end());
    }
    return solution;
  }

  // v₁ and λ from the solution of (1).
  void take(const Exprs& solution) {
    out_.v = plus(e_.v, h_, Exprs(solution.begin(), solution.begin() + n_));
    out_.lambda.assign(solution.begin() + n_, solution.end());
  }

  // Eq. (6), and GGL where positions are projected: q₁, then v₁ with C at q₁.
  void step_positions_first() {
    out_.q = restore_invariants(plus(e_.q, h_, Kv_), t1_);
    if (projects()) {
      const Saddle s = make_saddle(here(), C_, true);
      out_.q = close(eliminate(s), s, out_.q);
    }
    const Place there{out_.q, t1_};
    const Saddle s = make_saddle(here(), at(there, C_), true);
    take(solve_with_tracking(eliminate(s), s, forces(here()), stated(there), here(), there));
  }

  // All at the old positions, or with constraints at the predicted ones.
  void step_velocities_then_positions() {
    const Place rows = is_euler() ? Place{plus(e_.q, h_, Kv_), t1_} : here();
    const SparseExpr C = at(rows, C_);
    const Saddle s = make_saddle(here(), C, C, true);
    const Elimination elimination = eliminate(s);
    take(solve_with_tracking(elimination, s, forces(here()), stated(rows), rows, rows));
    const bool uses_new = options_.updates == Updates::VelocitiesFirst || is_euler();
    out_.q = restore_invariants(plus(e_.q, h_, uses_new ? multiply(e_.K, out_.v) : Kv_), t1_);
    project(elimination, s);
  }

  void step_new_positions() {
    out_.q = restore_invariants(plus(e_.q, h_, Kv_), t1_);
    const Place there{out_.q, t1_};
    const Saddle s = make_saddle(there, at(there, C_), true);
    const Elimination elimination = eliminate(s);
    take(solve_with_tracking(elimination, s, forces(there), stated(there), there, there));
    project(elimination, s);
  }

  // (3). What follows a hand is thrown about, and closed twice more, each time by two steps with
  // one matrix: an error δ becomes δ² and then δ³.
  void project(const Elimination& elimination, const Saddle& s) {
    if (!projects()) return;
    out_.q = close(elimination, s, out_.q);
    if (e_.tracking.empty()) {
      out_.v = project_velocities(out_.q, t1_, out_.v);
      return;
    }
    out_.q = restore_invariants(out_.q, t1_);
    for (int k = 0; k < 2; ++k) {
      Closed closed = close_again(out_.q, t1_, out_.v);
      out_.q = restore_invariants(closed.q, t1_);
      out_.v = std::move(closed.v);
    }
  }

  void advance_x() {
    if (e_.x.empty()) return;
    Exprs rates = e_.r;
    if (has_J_v()) {
      ExprMatrix matrix(static_cast<int>(e_.x.size()));
      std::vector<int> order;
      for (int i = 0; i < matrix.size(); ++i) {
        matrix.add(i, i, 1);
        order.push_back(i);
      }
      matrix.add(jacobian(e_.r, e_.x), 0, 0, -h_);
      rates = Elimination(matrix, order).solve(e_.r);
    }
    out_.x = plus(e_.x, h_, rates);
  }

  FixedCostOptions options_;
  StiffForces stiff_;
  Expr t1_;
  Exprs before_;
  FixedCostTerms out_;
};

}  // namespace

FixedCostTerms make_euler_step(const Descriptor& descriptor, const FixedCostOptions& options) {
  return EulerBuilder(descriptor, options).make();
}

}  // namespace koppel

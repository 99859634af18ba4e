#include <koppel/study/start_tangent.hpp>

#include <algorithm>
#include <cmath>

#include <Eigen/Dense>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/equations/expected_start.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd evaluate(const Equations& e, const SparseExpr& A, const State& at, const Exprs& more = {},
                  const VectorXd& values = {}) {
  const MatrixFunction function(e, A, more);
  const Matrix m = function(at, {values.data(), static_cast<std::size_t>(values.size())});
  return Eigen::Map<const MatrixXd>(m.values.data(), m.rows, m.columns);
}

VectorXd evaluate(const Equations& e, const Exprs& values, const State& at) {
  const std::vector<double> out = VectorFunction(e, values)(at);
  return Eigen::Map<const VectorXd>(out.data(), static_cast<Eigen::Index>(out.size()));
}

// Half the squares of a vector.
Expr half_square(const Exprs& a) {
  Expr sum = 0;
  for (const Expr& x : a) sum += x * x;
  return 0.5 * sum;
}

Expr product(const Exprs& a, const Exprs& b) {
  Expr sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class StartEquations {
 public:
  StartEquations(const Model& model, const Equations& e, const State& at)
      : e_(e), at_(at), expected_(make_expected_start(model, e)) {
    // A guess that only the assembly knows stays where it is.
    for (std::size_t i = 0; i < e.num_q(); ++i) {
      if (expected_.q[i] == e.q[i]) expected_.q[i] = at.q[i];
    }
  }

  Matrix tangent() {
    add_wishes();
    const MatrixXd dq = of_positions();
    const MatrixXd dv = of_velocities(dq);
    const MatrixXd dx = evaluate(e_, jacobian(expected_.x, e_.p), at_);
    Matrix out(static_cast<int>(dq.rows() + dv.rows() + dx.rows()), static_cast<int>(e_.p.size()));
    Eigen::Map<MatrixXd> all(out.values.data(), out.rows, out.columns);
    all << dq, dv, dx;
    return out;
  }

 private:
  void add_wishes() {
    position_ = join({e_.g, e_.h});
    const Exprs Gv = multiply(e_.G, e_.v), av = multiply(e_.a, e_.v);
    for (std::size_t i = 0; i < Gv.size(); ++i) velocity_.push_back(Gv[i] + e_.g_t[i]);
    for (std::size_t i = 0; i < av.size(); ++i) velocity_.push_back(av[i] + e_.b[i]);
    Exprs soft[2];
    for (const Equations::Wish& wish : e_.wishes) {
      Exprs& firm = wish.is_rate ? velocity_ : position_;
      (wish.fixed ? firm : soft[wish.is_rate]).push_back(wish.residual);
    }
    hold_or_pull(soft[0], e_.q, position_, position_pulls_);
    hold_or_pull(soft[1], e_.v, velocity_, velocity_pulls_);
  }

  // Wishes are held where all of them can be had, whatever the parameters are; else they pull:
  // those for what the distance is measured in by the guess, the others by themselves.
  void hold_or_pull(const Exprs& wishes, const Exprs& x, Exprs& rows, Exprs& pulls) const {
    constexpr double kMet = 1e-8;
    if (wishes.empty()) return;
    const Exprs all = join({rows, wishes});
    const auto rank = [&](const Exprs& of) {
      return of.empty() ? 0 : scaled_rank(evaluate(e_, jacobian(of, x), at_));
    };
    const bool are_met = evaluate(e_, wishes, at_).cwiseAbs().maxCoeff() <= kMet;
    if (are_met && rank(all) == rank(rows) + static_cast<Eigen::Index>(wishes.size())) {
      rows = all;
      return;
    }
    for (const Expr& wish : wishes) {
      if (!is_guess(wish, x)) pulls.push_back(wish);
    }
  }

  static Eigen::Index scaled_rank(MatrixXd A) {
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
      if (const double norm = A.row(i).norm(); norm > 0) A.row(i) /= norm;
    }
    return static_cast<Eigen::Index>(dense::independent_columns(A, 1e-9).size());
  }

  // Of a single coordinate, or rate, that moves no body.
  bool is_guess(Expr wish, const Exprs& x) const {
    const std::vector<int> rate = find_rates(e_);
    Expr symbol;
    int occurring = 0;
    for (const Expr& s : symbols_of(wish)) {
      if (std::find(x.begin(), x.end(), s) == x.end()) continue;
      ++occurring;
      symbol = s;
    }
    if (occurring != 1 || !diff(wish, symbol).is_constant(1)) return false;
    for (std::size_t i = 0; i < e_.num_q(); ++i) {
      if (!expected_.is_free[i]) continue;
      if (symbol == e_.q[i]) return true;
      if (rate[i] >= 0 && symbol == e_.v[static_cast<std::size_t>(rate[i])]) return true;
    }
    return false;
  }

  // ½ (x − x₀)ᵀF (x − x₀) of the free coordinates, or of their rates.
  Expr free_square(const Exprs& x, const Exprs& x0, bool of_rates) const {
    const std::vector<int> rate = find_rates(e_);
    const SparseExpr& M = *e_.M;
    // The masses are those at the guess, but for rates of mechanisms without bodies.
    const bool is_here = of_rates && expected_.rows.empty();
    Exprs moved;  // x − x₀
    std::vector<int> which(e_.num_v(), -1);
    for (std::size_t i = 0; i < e_.num_q(); ++i) {
      if (!expected_.is_free[i] || rate[i] < 0) continue;
      which[static_cast<std::size_t>(rate[i])] = static_cast<int>(moved.size());
      const std::size_t k = of_rates ? static_cast<std::size_t>(rate[i]) : i;
      moved.push_back(x[k] - x0[k]);
    }
    Expr sum = 0;
    for (std::size_t j = 0; j < e_.num_v(); ++j) {
      for (int k = M.pattern.column_start[j]; k < M.pattern.column_start[j + 1]; ++k) {
        const int a = which[static_cast<std::size_t>(M.pattern.row[static_cast<std::size_t>(k)])];
        const int b = which[j];
        if (a < 0 || b < 0) continue;
        Expr mass = M.values[static_cast<std::size_t>(k)];
        if (!is_here) mass = substitute(Exprs{mass}, e_.q, expected_.q)[0];
        sum += mass * moved[static_cast<std::size_t>(a)] * moved[static_cast<std::size_t>(b)];
      }
    }
    return 0.5 * sum;
  }

  Exprs pulled(Exprs residuals) const {
    for (Expr& residual : residuals) residual = expected_.weight * residual;
    return residuals;
  }

  // d of the stationary point of `distance` over x under `rows` = 0, where what was found before
  // changes by `before`.
  MatrixXd solve(Expr distance, const Exprs& rows, const Exprs& x, const Exprs& before,
                 const MatrixXd& d_before) const {
    if (x.empty()) return MatrixXd(0, static_cast<Eigen::Index>(e_.p.size()));
    const Exprs slope = gradient(distance, x);
    const SparseExpr rows_x = jacobian(rows, x);
    const MatrixXd A = evaluate(e_, rows_x, at_);
    VectorXd eta(A.rows());
    if (A.rows() > 0) {
      eta = dense::LeastNorm(A.transpose()).solve(-evaluate(e_, slope, at_));
    }
    const Exprs weights =
        make_symbols(*e_.graph, "weight.row", static_cast<std::size_t>(rows.size()));
    const Exprs stationary = gradient(distance + product(weights, rows), x);
    const auto by = [&](const Exprs& f, const Exprs& y) {
      return evaluate(e_, jacobian(f, y), at_, weights, eta);
    };
    const auto n = static_cast<Eigen::Index>(x.size()), m = static_cast<Eigen::Index>(rows.size());
    MatrixXd system = MatrixXd::Zero(n + m, n + m);
    system.topLeftCorner(n, n) = by(stationary, x);
    system.topRightCorner(n, m) = A.transpose();
    system.bottomLeftCorner(m, n) = A;
    MatrixXd right(n + m, static_cast<Eigen::Index>(e_.p.size()));
    right << by(stationary, e_.p), by(rows, e_.p);
    if (!before.empty()) {
      MatrixXd by_before(n + m, d_before.rows());
      by_before << by(stationary, before), by(rows, before);
      right += by_before * d_before;
    }
    return scaled_solve(system, -right).topRows(n);
  }

  // Of least norm, with rows and columns of norm 1: masses and lengths differ by orders.
  static MatrixXd scaled_solve(const MatrixXd& A, const MatrixXd& b) {
    const auto scale = [](const auto& norms) {
      return norms.unaryExpr([](double x) { return x > 0 ? 1 / std::sqrt(x) : 1.0; }).eval();
    };
    const VectorXd s = scale(A.colwise().norm().transpose());
    const dense::LeastNorm solver(s.asDiagonal() * A * s.asDiagonal(), 1e-11);
    return s.asDiagonal() * solver.solve(s.asDiagonal() * b);
  }

  MatrixXd of_positions() const {
    Exprs moved = expected_.rows;
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= expected_.target[i];
    const Expr distance = half_square(moved) + free_square(e_.q, expected_.q, false) +
                          half_square(pulled(position_pulls_));
    return solve(distance, position_, e_.q, {}, {});
  }

  MatrixXd of_velocities(const MatrixXd& dq) const {
    Exprs moved = rate_of(e_, expected_.rows);
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] -= expected_.target_rate[i];
    const Expr distance = half_square(moved) + free_square(e_.v, expected_.v, true) +
                          half_square(pulled(velocity_pulls_));
    return solve(distance, velocity_, e_.v, e_.q, dq);
  }

  const Equations& e_;
  const State& at_;
  ExpectedStart expected_;
  Exprs position_, velocity_, position_pulls_, velocity_pulls_;
};

}  // namespace

Matrix start_tangent(const Model& model, const Equations& equations, const State& start) {
  return StartEquations(model, equations, start).tangent();
}

}  // namespace koppel

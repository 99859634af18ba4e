// The servo problem extended until its index is 1: `minimal-extension:twice`.
//
// With the offsets c_i of its equations and d_j of its unknowns (signature.hpp), the equations
//   F_i = 0, F_i′ = 0, …, F_i⁽ᶜⁱ⁾ = 0                                                        (1)
// determine the x_j⁽ᵈʲ⁾ where the matrix J = ∂F_i⁽ᶜⁱ⁾/∂x_j⁽ᵈʲ⁾ is regular. All derivatives become
// unknowns of algebraic equations; Σ c_i of them, the dummy derivatives, are not tied to what they
// are derivatives of [Mattsson & Söderlind 1993]; for the others
//   d/dt x_j⁽ˡ⁾ = x_j⁽ˡ⁺¹⁾.                                                                  (2)
// Dummies of order d_j − κ, κ = 0, 1, …, are those columns for which the rows of J with c_i > κ are
// regular, found by pivoting at the start; those of κ + 1 are among those of κ. For a crane in
// dependent coordinates these are the extension by the servo constraints and their derivatives, and
// then by h̄(t, p) = 0 and its [Yang 2017, section 5.1.3]. Without internal dynamics Σ c = Σ d:
// every derivative is a dummy, and (1) is purely algebraic.
#include <algorithm>

#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/servo/servo_terms.hpp>

namespace koppel {
namespace {

using Place = SeriesTerms::Place;

class Extension {
 public:
  Extension(const ServoTerms& terms, const FlatSolution& solution)
      : terms_(terms), dae_(terms.servo.dae), places_(terms.servo.problem.series->terms().y) {
    shift_offsets();
    make_symbols();
    choose_dummies(solution.point());
  }

  ReducedForm run() {
    ReducedForm out;
    ResidualTerms& r = out.residual;
    r.t = dae_.t;
    r.given = {terms_.e.p, terms_.state.p};
    add_unknowns(out);
    for (std::size_t i = 0; i < dae_.residuals.size(); ++i) add_equation(i, r);
    r.y_rate = servo_symbols(*dae_.graph, "rate_of", r.y.size());
    r.index.assign(r.y.size(), 1);
    for (std::size_t k = 0; k < r.y.size(); ++k) {
      const Place next = {out.start[k].unknown, out.start[k].order + 1};
      if (!is_tied(next)) continue;
      r.F.push_back({"rate of " + std::string(r.y[k].name()), r.y_rate[k] - symbol(next)});
      r.index[k] = 0;
    }
    return out;
  }

 private:
  // All offsets are as much larger as is needed for every velocity to be an unknown.
  void shift_offsets() {
    c_ = terms_.servo.structure.c;
    d_ = terms_.servo.structure.d;
    int shift = 0;
    for (const Place& p : places_) {
      shift = std::max(shift, p.order - d_[static_cast<std::size_t>(p.unknown)]);
    }
    for (int& c : c_) c += shift;
    for (int& d : d_) d += shift;
  }

  void make_symbols() {
    for (std::size_t j = 0; j < d_.size(); ++j) {
      Exprs symbols = dae_.unknowns[j].derivative;
      for (int l = static_cast<int>(symbols.size()); l <= d_[j]; ++l) {
        symbols.push_back(dae_.graph->symbol("servo.derivative[" + std::to_string(j) + "][" +
                                             std::to_string(l) + ']'));
      }
      symbols_.push_back(std::move(symbols));
    }
  }
  Expr symbol(const Place& p) const {
    return symbols_[static_cast<std::size_t>(p.unknown)][static_cast<std::size_t>(p.order)];
  }

  void choose_dummies(const DaePoint& point) {
    is_dummy_.resize(d_.size());
    std::vector<Eigen::Index> columns(d_.size());
    for (std::size_t j = 0; j < d_.size(); ++j) {
      is_dummy_[j].assign(static_cast<std::size_t>(d_[j]) + 1, false);
      columns[j] = static_cast<Eigen::Index>(j);
    }
    const Eigen::MatrixXd J = dense::view(evaluate(dae_, terms_.servo.structure, point));
    const dense::Equilibration scale = dense::equilibrate(J);
    const Eigen::MatrixXd scaled = scale.rows.asDiagonal() * J * scale.columns.asDiagonal();
    for (int kappa = 0;; ++kappa) {
      std::vector<Eigen::Index> rows;
      for (std::size_t i = 0; i < c_.size(); ++i) {
        if (c_[i] > kappa) rows.push_back(static_cast<Eigen::Index>(i));
      }
      if (rows.empty()) return;
      const Eigen::MatrixXd part = scaled(rows, columns);
      const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(part);
      std::vector<Eigen::Index> chosen;
      for (std::size_t k = 0; k < rows.size(); ++k) {
        const auto at = qr.colsPermutation().indices()[static_cast<Eigen::Index>(k)];
        chosen.push_back(columns[static_cast<std::size_t>(at)]);
      }
      columns = std::move(chosen);
      for (const Eigen::Index j : columns) {
        const auto at = static_cast<std::size_t>(j);
        is_dummy_[at][static_cast<std::size_t>(d_[at] - kappa)] = true;
      }
    }
  }

  static Matrix evaluate(const Dae& dae, const Structure& structure, const DaePoint& point) {
    const SparseExpr J = system_jacobian(dae, structure);
    Exprs in = {dae.t};
    std::vector<double> values = {point.t};
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      const auto& symbols = dae.unknowns[j].derivative;
      in.insert(in.end(), symbols.begin(), symbols.end());
      values.insert(values.end(), point.unknowns[j].begin(), point.unknowns[j].end());
    }
    in.insert(in.end(), dae.given.begin(), dae.given.end());
    values.insert(values.end(), point.given.begin(), point.given.end());
    const std::vector<double> entries = Function(in, J.values)(values);
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(J.pattern.num_rows, J.pattern.num_columns);
    for (int column = 0; column < J.pattern.num_columns; ++column) {
      const auto at = static_cast<std::size_t>(column);
      for (int k = J.pattern.column_start[at]; k < J.pattern.column_start[at + 1]; ++k) {
        out(J.pattern.row[static_cast<std::size_t>(k)], column) =
            entries[static_cast<std::size_t>(k)];
      }
    }
    return dense::to_matrix(out);
  }

  // Whether (2) says that this is the derivative of the one below it.
  bool is_tied(const Place& p) const {
    const auto j = static_cast<std::size_t>(p.unknown);
    return p.order >= 1 && p.order <= d_[j] && !is_dummy_[j][static_cast<std::size_t>(p.order)];
  }

  // The unknowns of the servo problem, and between multipliers and inputs all other derivatives.
  void add_unknowns(ReducedForm& out) const {
    std::vector<std::vector<char>> is_in(d_.size());
    for (std::size_t j = 0; j < d_.size(); ++j) {
      is_in[j].assign(static_cast<std::size_t>(d_[j]) + 1, false);
    }
    for (const Place& p : places_) {
      is_in[static_cast<std::size_t>(p.unknown)][static_cast<std::size_t>(p.order)] = true;
    }
    const auto inputs = places_.end() - static_cast<long>(terms_.e.u.size());
    out.start.assign(places_.begin(), inputs);
    for (std::size_t j = 0; j < d_.size(); ++j) {
      for (int l = 0; l <= d_[j]; ++l) {
        if (!is_in[j][static_cast<std::size_t>(l)]) out.start.push_back({static_cast<int>(j), l});
      }
    }
    out.start.insert(out.start.end(), inputs, places_.end());
    for (const Place& p : out.start) out.residual.y.push_back(symbol(p));
  }

  // (1)
  void add_equation(std::size_t i, ResidualTerms& out) const {
    Exprs moving = {dae_.t}, rates = {1};
    for (std::size_t j = 0; j < d_.size(); ++j) {
      for (int l = 0; l < d_[j]; ++l) {
        moving.push_back(symbol({static_cast<int>(j), l}));
        rates.push_back(symbol({static_cast<int>(j), l + 1}));
      }
    }
    Expr F = dae_.residuals[i].value;
    for (int l = 0; l <= c_[i]; ++l) {
      if (l > 0) F = time_derivative(F, moving, rates);
      out.F.push_back({dae_.residuals[i].name + std::string(static_cast<std::size_t>(l), '\''), F});
    }
  }

  const ServoTerms& terms_;
  const Dae& dae_;
  const std::vector<Place>& places_;
  std::vector<int> c_, d_;
  std::vector<Exprs> symbols_;
  std::vector<std::vector<char>> is_dummy_;
};

}  // namespace

ReducedForm extend_twice(const ServoTerms& terms, const FlatSolution& solution) {
  return Extension(terms, solution).run();
}

}  // namespace koppel

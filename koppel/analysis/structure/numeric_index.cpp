#include <koppel/analysis/structure/numeric_index.hpp>

#include <algorithm>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/expr/series/series.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The array to order k, as Taylor coefficients. Its unknowns are the coefficients X_{j,l} of x_j,
// l = 0 … top_j + k, where top_j is the highest derivative that occurs. A symbol of x_j⁽ʳ⁾ has the
// coefficients (l)!/(l−r)! X_{j,l} at l − r; so with E_r = ∂F/∂x_j⁽ʳ⁾ along the series,
//   ∂F_k/∂X_{j,l} = Σ_r (E_r)_{k−l+r} · l!/(l−r)!.                                       (1)
class DerivativeArray {
 public:
  DerivativeArray(const Dae& dae, const DaePoint& point, int order)
      : dae_(dae),
        order_(order),
        series_(make_series(dae, order)),
        work_(series_.make_workspace(Uses::Few)) {
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      first_.push_back(size_);
      top_.push_back(static_cast<int>(dae.unknowns[j].derivative.size()) - 1);
      size_ += top_.back() + order + 1;
    }
    X_ = VectorXd::Zero(size_);
    double factorial = 1;
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      factorial = 1;
      for (std::size_t l = 0; l < point.unknowns[j].size(); ++l) {
        if (l > 1) factorial *= static_cast<double>(l);
        X_[first_[j] + static_cast<Index>(l)] = point.unknowns[j][l] / factorial;
      }
    }
    const std::size_t time = num_symbols();
    work_.variable(time)[0] = point.t;
    if (order > 0) work_.variable(time)[1] = 1;
    for (std::size_t i = 0; i < point.given.size(); ++i) work_.parameter(i) = point.given[i];
  }

  Index num_rows() const { return static_cast<Index>(dae_.residuals.size()) * (order_ + 1); }
  Index size() const { return size_; }
  // The column of coefficient l of unknown j.
  Index column(std::size_t j, int l) const { return first_[j] + l; }
  int top(std::size_t j) const { return top_[j]; }

  // The array's residual and Jacobian at X.
  void evaluate(VectorXd& F, MatrixXd& J) {
    std::size_t symbol = 0;
    for (std::size_t j = 0; j < dae_.unknowns.size(); ++j) {
      for (int r = 0; r <= top_[j]; ++r, ++symbol) {
        for (int k = 0; k <= order_; ++k) {
          work_.variable(symbol)[static_cast<std::size_t>(k)] =
              falling(k + r, r) * X_[column(j, k + r)];
        }
      }
    }
    for (int k = 0; k <= order_; ++k) series_.evaluate(k, work_);
    const auto n = static_cast<Index>(dae_.residuals.size());
    F.resize(num_rows());
    J.setZero(num_rows(), size_);
    for (Index i = 0; i < n; ++i) {
      for (int k = 0; k <= order_; ++k) {
        F[k * n + i] = work_.output(static_cast<std::size_t>(i))[static_cast<std::size_t>(k)];
      }
    }
    std::size_t entry = 0;
    for (std::size_t s = 0; s < place_.size(); ++s) {
      const auto [j, r] = place_[s];
      for (int e = partial_.column_start[s]; e < partial_.column_start[s + 1]; ++e, ++entry) {
        const Index row = partial_.row[static_cast<std::size_t>(e)];
        const auto E = work_.output(static_cast<std::size_t>(n) + entry);
        for (int k = 0; k <= order_; ++k) {
          for (int l = r; l - r <= k; ++l) {  // Eq. (1)
            J(k * n + row, column(j, l)) += E[static_cast<std::size_t>(k - l + r)] * falling(l, r);
          }
        }
      }
    }
  }

  VectorXd& X() { return X_; }

 private:
  static double falling(int l, int r) {
    double product = 1;
    for (int i = 0; i < r; ++i) product *= l - i;
    return product;
  }

  std::size_t num_symbols() const { return place_.size(); }

  Series make_series(const Dae& dae, int order) {
    std::vector<Expr> variables, outputs;
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      const auto& symbols = dae.unknowns[j].derivative;
      for (std::size_t r = 0; r < symbols.size(); ++r) {
        variables.push_back(symbols[r]);
        place_.emplace_back(j, static_cast<int>(r));
      }
    }
    for (const NamedExpr& residual : dae.residuals) outputs.push_back(residual.value);
    const SparseExpr partial = jacobian(outputs, variables);
    partial_ = partial.pattern;
    outputs.insert(outputs.end(), partial.values.begin(), partial.values.end());
    variables.push_back(dae.t);
    return Series(variables, dae.given, outputs, order);
  }

  const Dae& dae_;
  int order_;
  std::vector<std::pair<std::size_t, int>> place_;  // unknown and order of each symbol
  Sparsity partial_;                                // of F by the symbols
  Series series_;
  SeriesWorkspace work_;
  std::vector<Index> first_;
  std::vector<int> top_;
  Index size_ = 0;
  VectorXd X_;
};

// Gauss-Newton to a point of the array, least-norm steps.
bool find_point(DerivativeArray& array, VectorXd& F, MatrixXd& J) {
  array.evaluate(F, J);
  constexpr int kMost = 50;
  for (int i = 0; i < kMost; ++i) {
    const VectorXd terms = J.cwiseAbs() * array.X().cwiseAbs() + VectorXd::Ones(F.size());
    if (!F.allFinite()) return false;
    if (F.cwiseQuotient(terms).cwiseAbs().maxCoeff() < 1e-12) return true;
    const dense::Equilibration scale = dense::equilibrate(J);
    const MatrixXd A = scale.rows.asDiagonal() * J * scale.columns.asDiagonal();
    const VectorXd step =
        scale.columns.cwiseProduct(dense::solve_least_norm(A, scale.rows.cwiseProduct(F), 1e-10));
    const VectorXd before = array.X();
    const double merit = scale.rows.cwiseProduct(F).norm();
    double length = 1;
    for (; length > 1e-4; length *= 0.5) {
      array.X() = before - length * step;
      array.evaluate(F, J);
      if (F.allFinite() && scale.rows.cwiseProduct(F).norm() < merit) break;
    }
    if (length <= 1e-4) break;
  }
  const VectorXd terms = J.cwiseAbs() * array.X().cwiseAbs() + VectorXd::Ones(F.size());
  return F.allFinite() && F.cwiseQuotient(terms).cwiseAbs().maxCoeff() < 1e-8;
}

}  // namespace

NumericIndex find_numeric_index(const Dae& dae, const DaePoint& near,
                                const NumericIndexOptions& options) {
  NumericIndex result;
  for (int k = 0; k <= options.max_index; ++k) {
    DerivativeArray array(dae, near, k);
    if (std::max(array.size(), array.num_rows()) > options.max_size) {
      result.text = "the system is too large to find its index from ranks.";
      return result;
    }
    VectorXd F;
    MatrixXd J;
    if (!find_point(array, F, J)) {
      result.text = "the equations differentiated " + std::to_string(k) +
                    " times have no solution near the start.";
      return result;
    }
    // Columns of the state, of the orders m_j to be determined, and of those above.
    std::vector<Index> state, above;
    std::vector<std::size_t> sought;  // positions in `above`
    bool occur = true;
    for (std::size_t j = 0; j < dae.unknowns.size(); ++j) {
      const int m = std::max(array.top(j), 1);
      occur = occur && m <= array.top(j) + k;
      for (int l = 0; l <= array.top(j) + k; ++l) {
        if (l == m) sought.push_back(above.size());
        (l < m ? state : above).push_back(array.column(j, l));
      }
    }
    if (!occur) continue;
    const dense::Equilibration scale = dense::equilibrate(J);
    const MatrixXd A = scale.rows.asDiagonal() * J * scale.columns.asDiagonal();
    const MatrixXd N = dense::null_space(A(Eigen::all, above), options.tolerance);
    double largest = 0;
    for (const std::size_t i : sought) {
      if (N.cols() > 0) largest = std::max(largest, N.row(static_cast<Index>(i)).norm());
    }
    constexpr double kSupport = 1e-5;  // of orthonormal null vectors
    if (largest > kSupport) continue;
    result.index = k;
    const MatrixXd all = dense::null_space(A, options.tolerance);
    result.degrees_of_freedom = static_cast<int>(all.cols() - N.cols());
    return result;
  }
  result.text = "the index is above " + std::to_string(options.max_index) +
                ", or some unknowns are never determined.";
  return result;
}

}  // namespace koppel

#include <koppel/problem/right_hand_side.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {
namespace {

std::vector<Expr> inputs_of(const RightHandSideTerms& terms, const std::vector<Expr>& z) {
  std::vector<Expr> inputs = {terms.t};
  inputs.insert(inputs.end(), terms.y.begin(), terms.y.end());
  inputs.insert(inputs.end(), z.begin(), z.end());
  inputs.insert(inputs.end(), terms.given.symbols.begin(), terms.given.symbols.end());
  return inputs;
}

std::vector<Expr> z_symbols(const RightHandSideTerms& terms) {
  std::vector<Expr> z;
  for (std::size_t i = 0; i < terms.b.size(); ++i) {
    z.push_back(terms.t.graph()->symbol("solution[" + std::to_string(i) + ']'));
  }
  return z;
}

RareInputs given_of(const RightHandSideTerms& terms) {
  return {1 + terms.y.size() + terms.b.size(), terms.given.symbols.size(), {}};
}

// r where it is meant, then b, then A.
std::vector<Expr> outputs_of(const RightHandSideTerms& terms) {
  std::vector<Expr> out;
  for (std::size_t i = 0; i < terms.y.size(); ++i) {
    out.push_back(terms.z_of[i] < 0 ? terms.rate[i] : Expr(0));
  }
  out.insert(out.end(), terms.b.begin(), terms.b.end());
  out.insert(out.end(), terms.A.values.begin(), terms.A.values.end());
  return out;
}

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

// The derivative of (A z − b; r) by y at fixed z.
struct Derivatives {
  Derivatives(const RightHandSideTerms& terms, CompileOptions options)
      : matrix(make_matrix(terms)),
        function(inputs_of(terms, z_symbols(terms)), matrix.values, options, given_of(terms)) {}

  static SparseExpr make_matrix(const RightHandSideTerms& terms) {
    const std::vector<Expr> z = z_symbols(terms);
    std::vector<Expr> rows = terms.b;
    for (Expr& row : rows) row = -row;
    const Sparsity& A = terms.A.pattern;
    for (std::size_t j = 0; j < z.size(); ++j) {
      for (int k = A.column_start[j]; k < A.column_start[j + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        rows[static_cast<std::size_t>(A.row[at])] += terms.A.values[at] * z[j];
      }
    }
    for (std::size_t i = 0; i < terms.y.size(); ++i) {
      rows.push_back(terms.z_of[i] < 0 ? terms.rate[i] : Expr(0));
    }
    return koppel::jacobian(rows, terms.y);
  }

  SparseExpr matrix;
  Function function;
};

struct LinearWorkspace : RateWorkspace {
  explicit LinearWorkspace(const Sparsity& A) : solver(A) {}
  std::vector<double> in;  // t, y, z, given
  koppel::Workspace terms, derivatives;
  std::vector<double> values;    // rates, b, A
  std::vector<double> jacobian;  // of (A z − b) and r by y
  std::vector<double> column;
  LinearSolver<double> solver;
};

// Rates by one linear system.
class LinearRates : public RateFunction {
 public:
  LinearRates(RightHandSideTerms terms, CompileOptions options);

  int size() const override { return static_cast<int>(z_of_.size()); }
  int num_z() const override { return num_z_; }
  std::unique_ptr<RateWorkspace> make_workspace() const override;
  bool evaluate(double t, std::span<const double> y, std::span<double> y_rate,
                RateWorkspace& work) const override;
  // From A ∂z/∂y = −∂(A z − b)/∂y at fixed z.
  bool jacobian(double t, std::span<const double> y, std::span<double> by_y,
                RateWorkspace& work) const override;

 private:
  std::vector<int> z_of_;
  int num_z_ = 0;
  std::vector<double> given_;
  Sparsity A_;
  Function terms_;
  Lazy<Derivatives> derivatives_;  // few integrators need them
};

LinearRates::LinearRates(RightHandSideTerms terms, CompileOptions options)
    : z_of_(terms.z_of),
      num_z_(static_cast<int>(terms.b.size())),
      given_(terms.given.values),
      A_(terms.A.pattern),
      terms_(inputs_of(terms, z_symbols(terms)), outputs_of(terms), options, given_of(terms)),
      derivatives_([terms = std::move(terms), options] { return Derivatives(terms, options); }) {}

std::unique_ptr<RateWorkspace> LinearRates::make_workspace() const {
  auto work = std::make_unique<LinearWorkspace>(A_);
  work->terms = terms_.make_workspace();
  work->values.resize(terms_.num_outputs());
  work->z.resize(static_cast<std::size_t>(num_z_));
  work->column.resize(static_cast<std::size_t>(num_z_));
  work->in.resize(terms_.num_inputs());
  std::copy(given_.begin(), given_.end(),
            work->in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  return work;
}

bool LinearRates::evaluate(double t, std::span<const double> y, std::span<double> y_rate,
                           RateWorkspace& workspace) const {
  auto& work = static_cast<LinearWorkspace&>(workspace);
  work.in[0] = t;
  std::copy(y.begin(), y.end(), work.in.begin() + 1);
  terms_.evaluate(work.in, work.values, work.terms);
  const std::span<const double> values = work.values;
  const std::size_t n = z_of_.size(), m = work.z.size();
  if (m > 0) {
    const auto b = values.subspan(n, m);
    std::copy(b.begin(), b.end(), work.z.begin());
    if (!work.solver.factor(values.subspan(n + m))) return false;
    work.solver.solve(work.z);
  }
  for (std::size_t i = 0; i < n; ++i) {
    y_rate[i] = z_of_[i] < 0 ? values[i] : work.z[static_cast<std::size_t>(z_of_[i])];
  }
  return all_finite(y_rate.first(n));
}

bool LinearRates::jacobian(double t, std::span<const double> y, std::span<double> by_y,
                           RateWorkspace& workspace) const {
  auto& work = static_cast<LinearWorkspace&>(workspace);
  const std::size_t n = z_of_.size(), m = work.z.size();
  if (!evaluate(t, y, by_y.first(n), work)) return false;
  const Derivatives& d = *derivatives_;
  if (work.jacobian.empty()) {
    work.derivatives = d.function.make_workspace();
    work.jacobian.resize(d.function.num_outputs());
  }
  std::copy(work.z.begin(), work.z.end(), work.in.begin() + 1 + static_cast<std::ptrdiff_t>(n));
  d.function.evaluate(work.in, work.jacobian, work.derivatives);
  const Sparsity& pattern = d.matrix.pattern;
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(work.column.begin(), work.column.end(), 0.0);
    const std::span<double> out = by_y.subspan(j * n, n);
    std::fill(out.begin(), out.end(), 0.0);
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
      const double value = work.jacobian[static_cast<std::size_t>(k)];
      if (row < m) {
        work.column[row] = -value;
      } else {
        out[row - m] = value;
      }
    }
    if (m > 0) work.solver.solve(work.column);
    for (std::size_t i = 0; i < n; ++i) {
      if (z_of_[i] >= 0) out[i] = work.column[static_cast<std::size_t>(z_of_[i])];
    }
  }
  return all_finite(by_y);
}

}  // namespace

RightHandSide::RightHandSide(RightHandSideTerms terms, CompileOptions options)
    : rates_(std::make_shared<const LinearRates>(std::move(terms), options)) {}

bool RateFunction::jacobian(double t, std::span<const double> y, std::span<double> by_y,
                            RateWorkspace& work) const {
  const auto n = static_cast<std::size_t>(size());
  work.moved.assign(y.begin(), y.begin() + static_cast<std::ptrdiff_t>(n));
  work.rates.resize(n);
  if (!evaluate(t, y, work.rates, work)) return false;
  const double root = std::sqrt(std::numeric_limits<double>::epsilon());
  for (std::size_t j = 0; j < n; ++j) {
    work.moved[j] = y[j] + root * std::max(std::abs(y[j]), 1.0);
    const double h = work.moved[j] - y[j];  // as it is in this arithmetic
    const std::span<double> column = by_y.subspan(j * n, n);
    if (!evaluate(t, work.moved, column, work)) return false;
    for (std::size_t i = 0; i < n; ++i) column[i] = (column[i] - work.rates[i]) / h;
    work.moved[j] = y[j];
  }
  return true;
}

}  // namespace koppel

#include <koppel/problem/residual.hpp>

#include <algorithm>

namespace koppel {
namespace {

std::vector<Expr> inputs_of(const ResidualTerms& terms) {
  std::vector<Expr> inputs = {terms.t};
  inputs.insert(inputs.end(), terms.y.begin(), terms.y.end());
  inputs.insert(inputs.end(), terms.y_rate.begin(), terms.y_rate.end());
  inputs.insert(inputs.end(), terms.given.symbols.begin(), terms.given.symbols.end());
  return inputs;
}

RareInputs given_of(const ResidualTerms& terms) {
  return {1 + terms.y.size() + terms.y_rate.size(), terms.given.symbols.size(), {}};
}

std::vector<Expr> values_of(const std::vector<NamedExpr>& named) {
  std::vector<Expr> values;
  for (const NamedExpr& e : named) values.push_back(e.value);
  return values;
}

struct Jacobians {
  explicit Jacobians(const ResidualTerms& terms) {
    const std::vector<Expr> F = values_of(terms.F);
    by_y = jacobian(F, terms.y);
    by_rate = jacobian(F, terms.y_rate);
    values = by_y.values;
    values.insert(values.end(), by_rate.values.begin(), by_rate.values.end());
  }

  SparseExpr by_y, by_rate;
  std::vector<Expr> values;
};

// The union of two patterns of one size, and where the entries of each are in it.
Sparsity unite(const Sparsity& a, const Sparsity& b, std::vector<int>& place_a,
               std::vector<int>& place_b) {
  Sparsity both{a.num_rows, a.num_columns, {0}, {}};
  for (std::size_t j = 0; j < static_cast<std::size_t>(a.num_columns); ++j) {
    int ka = a.column_start[j], kb = b.column_start[j];
    const int end_a = a.column_start[j + 1], end_b = b.column_start[j + 1];
    while (ka < end_a || kb < end_b) {
      const int row_a = ka < end_a ? a.row[static_cast<std::size_t>(ka)] : a.num_rows;
      const int row_b = kb < end_b ? b.row[static_cast<std::size_t>(kb)] : b.num_rows;
      const int place = both.num_entries();
      both.row.push_back(std::min(row_a, row_b));
      if (row_a <= row_b) {
        place_a.push_back(place);
        ++ka;
      }
      if (row_b <= row_a) {
        place_b.push_back(place);
        ++kb;
      }
    }
    both.column_start.push_back(both.num_entries());
  }
  return both;
}

}  // namespace

Residual::Residual(const ResidualTerms& terms, CompileOptions options)
    : index_(terms.index),
      given_(terms.given.values),
      F_(inputs_of(terms), values_of(terms.F), options, given_of(terms)),
      J_(inputs_of(terms), std::vector<Expr>{}, options) {
  for (const NamedExpr& e : terms.F) names_.push_back(e.name);
  const Jacobians J(terms);
  pattern_ = unite(J.by_y.pattern, J.by_rate.pattern, place_of_y_, place_of_rate_);
  J_ = Function(inputs_of(terms), J.values, options, given_of(terms));
}

Residual::Workspace Residual::make_workspace() const {
  Workspace work{{}, F_.make_workspace(), J_.make_workspace(), {}};
  work.in.resize(F_.num_inputs());
  std::copy(given_.begin(), given_.end(),
            work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  work.values.resize(J_.num_outputs());
  return work;
}

void Residual::put(double t, std::span<const double> y, std::span<const double> y_rate,
                   Workspace& work) const noexcept {
  work.in[0] = t;
  std::copy(y.begin(), y.end(), work.in.begin() + 1);
  std::copy(y_rate.begin(), y_rate.end(),
            work.in.begin() + 1 + static_cast<std::ptrdiff_t>(y.size()));
}

void Residual::evaluate(double t, std::span<const double> y, std::span<const double> y_rate,
                        std::span<double> F, Workspace& work) const noexcept {
  put(t, y, y_rate, work);
  F_.evaluate(work.in, F, work.F);
}

void Residual::jacobian(double t, std::span<const double> y, std::span<const double> y_rate,
                        std::span<double> by_y, std::span<double> by_y_rate,
                        Workspace& work) const noexcept {
  put(t, y, y_rate, work);
  J_.evaluate(work.in, work.values, work.J);
  std::fill(by_y.begin(), by_y.end(), 0.0);
  std::fill(by_y_rate.begin(), by_y_rate.end(), 0.0);
  const double* value = work.values.data();
  for (const int place : place_of_y_) by_y[static_cast<std::size_t>(place)] = *value++;
  for (const int place : place_of_rate_) by_y_rate[static_cast<std::size_t>(place)] = *value++;
}

}  // namespace koppel

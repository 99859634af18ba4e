#include <koppel/equations/evaluator.hpp>

namespace koppel {
namespace {

std::vector<Expr> inputs_of(const Equations& equations, std::span<const Expr> more) {
  std::vector<Expr> inputs = symbols_of_state(equations);
  inputs.insert(inputs.end(), more.begin(), more.end());
  return inputs;
}

std::vector<Expr> sum(std::vector<Expr> a, std::span<const Expr> b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  return a;
}

// a v + b.
std::vector<Expr> velocity_rows(const Equations& e) { return sum(multiply(e.a, e.v), e.b); }

}  // namespace

State start_of(const Equations& e) {
  return {0, e.q_guess, e.v_guess, e.x_start, std::vector<double>(e.u.size(), 0.0), e.p_value};
}

std::vector<Expr> symbols_of_state(const Equations& e) {
  std::vector<Expr> symbols = {e.t};
  for (const auto* part : {&e.q, &e.v, &e.x, &e.u, &e.p}) {
    symbols.insert(symbols.end(), part->begin(), part->end());
  }
  return symbols;
}

std::vector<double> values_of(const State& s) {
  std::vector<double> values = {s.t};
  for (const auto* part : {&s.q, &s.v, &s.x, &s.u, &s.p}) {
    values.insert(values.end(), part->begin(), part->end());
  }
  return values;
}

VectorFunction::VectorFunction(const Equations& equations, std::span<const Expr> values,
                               std::span<const Expr> more)
    : function_(inputs_of(equations, more), values) {}

std::vector<double> VectorFunction::operator()(const State& state,
                                               std::span<const double> more) const {
  std::vector<double> in = values_of(state);
  in.insert(in.end(), more.begin(), more.end());
  return function_(in);
}

MatrixFunction::MatrixFunction(const Equations& equations, const SparseExpr& matrix,
                               std::span<const Expr> more)
    : pattern_(matrix.pattern), values_(equations, matrix.values, more) {}

Matrix MatrixFunction::operator()(const State& state, std::span<const double> more) const {
  const std::vector<double> values = values_(state, more);
  Matrix m(pattern_.num_rows, pattern_.num_columns);
  for (int j = 0; j < pattern_.num_columns; ++j) {
    const auto column = static_cast<std::size_t>(j);
    for (int k = pattern_.column_start[column]; k < pattern_.column_start[column + 1]; ++k) {
      m(pattern_.row[static_cast<std::size_t>(k)], j) = values[static_cast<std::size_t>(k)];
    }
  }
  return m;
}

Evaluator::Evaluator(Shared<Equations> of) : Evaluator(*of, of) {}

Evaluator::Evaluator(const Equations& e, const Shared<Equations>& of)
    : equations(of),
      g(e, e.g),
      h(e, e.h),
      g_q(e, jacobian(e.g, e.q)),
      h_q(e, jacobian(e.h, e.q)),
      K(e, e.K),
      G(e, e.G),
      g_rate(e, sum(multiply(e.G, e.v), e.g_t)),
      a_rate(e, velocity_rows(e)),
      g_t(e, e.g_t),
      b(e, e.b),
      a(e, e.a),
      M([of] { return MatrixFunction(*of, *of->M); }),
      f(e, e.f),
      r(e, e.r),
      gamma(e, e.gamma),
      alpha(e, rate_of(e, velocity_rows(e))),
      v_rate(e, e.v_rate) {}

Matrix Evaluator::all_constraints(const State& state) const {
  const Matrix upper = G(state), lower = a(state);
  Matrix all(upper.rows + lower.rows, static_cast<int>(equations->num_v()));
  for (int j = 0; j < all.columns; ++j) {
    for (int i = 0; i < upper.rows; ++i) all(i, j) = upper(i, j);
    for (int i = 0; i < lower.rows; ++i) all(upper.rows + i, j) = lower(i, j);
  }
  return all;
}

std::vector<double> Evaluator::all_gamma(const State& state) const {
  std::vector<double> all = gamma(state);
  const std::vector<double> more = alpha(state);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<Expr> multiply(const SparseExpr& A, std::span<const Expr> x) {
  std::vector<Expr> y(static_cast<std::size_t>(A.pattern.num_rows));
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (int k = A.pattern.column_start[j]; k < A.pattern.column_start[j + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      y[static_cast<std::size_t>(A.pattern.row[entry])] += A.values[entry] * x[j];
    }
  }
  return y;
}

std::vector<Expr> multiply_transposed(const SparseExpr& A, std::span<const Expr> y) {
  std::vector<Expr> x(static_cast<std::size_t>(A.pattern.num_columns));
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (int k = A.pattern.column_start[j]; k < A.pattern.column_start[j + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      x[j] += A.values[entry] * y[static_cast<std::size_t>(A.pattern.row[entry])];
    }
  }
  return x;
}

std::vector<Expr> constraint_rates(const Equations& e) {
  std::vector<Expr> all = sum(multiply(e.G, e.v), e.g_t);
  const std::vector<Expr> of_a = velocity_rows(e);
  all.insert(all.end(), of_a.begin(), of_a.end());
  return all;
}

SparseExpr constraint_matrix(const Equations& e) {
  SparseExpr C{{static_cast<int>(e.num_rows()), static_cast<int>(e.num_v()), {0}, {}}, {}};
  for (std::size_t j = 0; j < e.num_v(); ++j) {
    const auto take = [&](const SparseExpr& A, std::size_t first) {
      if (A.pattern.num_columns == 0) return;
      for (int k = A.pattern.column_start[j]; k < A.pattern.column_start[j + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        C.pattern.row.push_back(static_cast<int>(first) + A.pattern.row[at]);
        C.values.push_back(A.values[at]);
      }
    };
    take(e.G, 0);
    take(e.a, e.num_g());
    C.pattern.column_start.push_back(C.pattern.num_entries());
  }
  return C;
}

std::vector<int> find_rates(const Equations& e) {
  std::vector<int> entries(e.num_q(), 0), rate(e.num_q(), -1);
  const Sparsity& pattern = e.K.pattern;
  for (const int row : pattern.row) ++entries[static_cast<std::size_t>(row)];
  for (std::size_t j = 0; j < e.num_v(); ++j) {
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto row = static_cast<std::size_t>(pattern.row[static_cast<std::size_t>(k)]);
      if (entries[row] == 1 && e.K.values[static_cast<std::size_t>(k)].is_constant(1)) {
        rate[row] = static_cast<int>(j);
        break;
      }
    }
  }
  return rate;
}

std::vector<Expr> rate_of(const Equations& e, std::span<const Expr> values) {
  std::vector<Expr> moving = e.q, rate = multiply(e.K, e.v);
  moving.push_back(e.t);
  rate.push_back(1);
  return time_derivative(values, moving, rate);
}

}  // namespace koppel

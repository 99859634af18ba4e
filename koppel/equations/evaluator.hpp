// Evaluator: the terms of Equations as numbers at a state, compiled once for all analyses.
#pragma once

#include <span>
#include <vector>

#include <koppel/base/matrix.hpp>
#include <koppel/equations/equations.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {

// Where equations are evaluated.
struct State {
  double t = 0;
  std::vector<double> q, v, x, u, p;
};

// What the model expects at the start (not yet consistent), with inputs 0.
State start_of(const Equations& equations);

// The symbols (t, q, v, x, u, p), the inputs of all that follows, and their values.
std::vector<Expr> symbols_of_state(const Equations& equations);
std::vector<double> values_of(const State& state);

// Expressions of the state, and of further symbols `more` given with it.
class VectorFunction {
 public:
  VectorFunction(const Equations& equations, std::span<const Expr> values,
                 std::span<const Expr> more = {});
  std::vector<double> operator()(const State& state, std::span<const double> more = {}) const;
  std::size_t size() const { return function_.num_outputs(); }

 private:
  Function function_;
};

class MatrixFunction {
 public:
  MatrixFunction(const Equations& equations, const SparseExpr& matrix,
                 std::span<const Expr> more = {});
  Matrix operator()(const State& state, std::span<const double> more = {}) const;
  // The entries of the pattern only.
  const Sparsity& pattern() const { return pattern_; }
  std::vector<double> values(const State& state, std::span<const double> more = {}) const {
    return values_(state, more);
  }
  int rows() const { return pattern_.num_rows; }
  int columns() const { return pattern_.num_columns; }

 private:
  Sparsity pattern_;
  VectorFunction values_;
};

// The names are those of Equations. Immutable; any number of threads may use one.
struct Evaluator {
  explicit Evaluator(Shared<Equations> equations);

  Shared<Equations> equations;

  // Positions.
  VectorFunction g, h;
  MatrixFunction g_q, h_q;  // ∂g/∂q, ∂h/∂q
  MatrixFunction K, G;
  // Velocities: ġ = G v + g_t, and a v + b.
  VectorFunction g_rate, a_rate;
  VectorFunction g_t, b;
  MatrixFunction a;
  // Dynamics.
  Lazy<MatrixFunction> M;
  VectorFunction f, r;
  // What G v̇ and a v̇ are lacking: g̈ = G v̇ + gamma, d/dt(a v + b) = a v̇ + alpha.
  VectorFunction gamma, alpha;
  // v̇ where Equations has it.
  VectorFunction v_rate;

  // [G; a], and [gamma; alpha].
  Matrix all_constraints(const State& state) const;
  std::vector<double> all_gamma(const State& state) const;

 private:
  Evaluator(const Equations& e, const Shared<Equations>& of);
};

// A·x of expressions.
std::vector<Expr> multiply(const SparseExpr& A, std::span<const Expr> x);
// Aᵀ·y.
std::vector<Expr> multiply_transposed(const SparseExpr& A, std::span<const Expr> y);
// [ġ; a v + b] = C v + c with C = [G; a], and C.
std::vector<Expr> constraint_rates(const Equations& equations);
SparseExpr constraint_matrix(const Equations& equations);
// For each coordinate, the velocity that is its rate, −1 where none is (or another has it).
std::vector<int> find_rates(const Equations& equations);
// d/dt of expressions of q and t (and of v, x, for v̇ = ẋ = 0).
std::vector<Expr> rate_of(const Equations& equations, std::span<const Expr> e);

}  // namespace koppel

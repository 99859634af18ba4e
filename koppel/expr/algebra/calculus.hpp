// Derivatives of expressions. They are expressions again, in the same graph.
//
// Variables are distinct; usually symbols, but any expressions may be held as independent. Every
// derivative visits a node once; the number of new nodes is linear in the number of nodes visited
// (a gradient has at most 5 times the nodes of its function; where it is all atan2 or powers with
// varying exponents, 6 or 8 times).
#pragma once

#include <span>
#include <vector>

#include <koppel/base/sparsity.hpp>
#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// A sparse matrix of expressions; values[k] belongs to entry k of the pattern.
struct SparseExpr {
  Sparsity pattern;
  std::vector<Expr> values;

  Expr at(int row, int column) const;  // 0 outside the pattern
};

// ∂f/∂x for one variable.
Expr diff(Expr f, Expr x);

// (∂f/∂x_i)_i by reverse accumulation.
std::vector<Expr> gradient(Expr f, std::span<const Expr> x);

// ∂f_i/∂x_j by reverse accumulation, a row at a time; entries that vanish identically are left out.
SparseExpr jacobian(std::span<const Expr> f, std::span<const Expr> x);

// (∂f/∂x) d, forward.
std::vector<Expr> jacobian_times_vector(std::span<const Expr> f, std::span<const Expr> x,
                                        std::span<const Expr> d);

// wᵀ (∂f/∂x), reverse.
std::vector<Expr> vector_times_jacobian(std::span<const Expr> w, std::span<const Expr> f,
                                        std::span<const Expr> x);

// ∂²f/∂x_i∂x_j, both triangles.
SparseExpr hessian(Expr f, std::span<const Expr> x);

// df/dt when each x_i moves with rate[i]; all other symbols stand still. For explicit time, pass t
// among the variables with rate 1.
std::vector<Expr> time_derivative(std::span<const Expr> f, std::span<const Expr> x,
                                  std::span<const Expr> rate);
Expr time_derivative(Expr f, std::span<const Expr> x, std::span<const Expr> rate);

}  // namespace koppel

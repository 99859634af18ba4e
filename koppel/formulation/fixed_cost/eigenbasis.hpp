// Eigenvalues and eigenvectors of a small symmetric matrix of expressions.
//
// Jacobi's method [Golub & Van Loan 2013, section 8.5] with a fixed number of sweeps over all
// pairs: the same operations for all values, none of them a branch. A matrix of size 2 is done
// after one rotation; four sweeps leave rounding errors up to size 3, five up to size 6.
#pragma once

#include <vector>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {

struct Eigenbasis {
  std::vector<Expr> values;                // not sorted, and not below zero
  std::vector<std::vector<Expr>> vectors;  // of length 1
};

// Of ½(A + Aᵀ), which should be positive semi-definite but for rounding.
Eigenbasis make_eigenbasis(const std::vector<std::vector<Expr>>& A);

// The components of x along the vectors, and back.
std::vector<Expr> to_basis(const Eigenbasis& basis, const std::vector<Expr>& x);
std::vector<Expr> from_basis(const Eigenbasis& basis, const std::vector<Expr>& components);

}  // namespace koppel

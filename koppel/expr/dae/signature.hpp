// Structural analysis of a DAE by Pryce's signature method [Pryce 2001].
//
// The signature σ_ij is the order of the highest derivative of x_j in F_i (none: −∞). A transversal
// of largest sum, one entry in every row and column, is found as a sparse assignment problem; the
// canonical offsets are the smallest c_i, d_j ≥ 0 with
//   d_j − c_i ≥ σ_ij, with equality on the transversal.                                  (1)
// Differentiating F_i c_i times gives a system for the x_j⁽ᵈʲ⁾ whose Jacobian
//   J_ij = ∂F_i⁽ᶜⁱ⁾/∂x_j⁽ᵈʲ⁾ = ∂F_i/∂x_j⁽ᵈʲ⁻ᶜⁱ⁾                                          (2)
// decides: where J is regular, the offsets are right, the DAE has Σd − Σc degrees of freedom
// (values to choose at the start), and its structural index
//   ν = max c_i + (1 if some d_j = 0, else 0)                                            (3)
// is at least the differentiation index. An explicit or implicit ODE has index 0 by this count, a
// mechanism with constraints and multipliers has 3, a crane with servo constraints 5.
// Where J is singular the structure deceives; numeric_index.hpp then finds the index by rank.
//
// Cost: the assignment takes O(n · entries · log n) at worst, and about O(entries) in practice.
#pragma once

#include <string>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/dae/dae.hpp>

namespace koppel {

struct Signature {
  // Entry k of row i, for k = row_start[i] … row_start[i+1]−1, is in column[k] with order[k].
  std::vector<int> row_start{0}, column, order;
};

struct Structure {
  Signature signature;
  std::vector<int> transversal;  // for each equation its unknown; −1: none
  bool is_regular = false;       // whether there is a transversal at all
  std::vector<int> c, d;         // canonical offsets of equations and unknowns
  int index = -1;
  int degrees_of_freedom = -1;
  // Where there is no transversal: equations that together have fewer unknowns than they are, and
  // in words.
  std::vector<int> overdetermined;
  std::string problem;
};

Structure analyze_structure(const Dae& dae);

// J of (2).
SparseExpr system_jacobian(const Dae& dae, const Structure& structure);

}  // namespace koppel

// Piecewise polynomials of any degree, as expressions of `held` tables:
//   f(x) = Σ_k c_k(x) (x − x₀(x))ᵏ,
// where x₀ and the c_k are constant from each knot to the next. Tables by points (table.hpp) have
// degree 3 at most.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// Piece i holds from knots[i] to knots[i + 1] (the last one without end, the first one from minus
// infinity), with coefficients[i][k] of (x − knots[i])ᵏ; all pieces have the same number of them.
// The graph gets tables under names that begin with `name`. Throws as Graph::add_table does.
Expr piecewise_polynomial(Graph& graph, std::string_view name, Expr x,
                          std::span<const double> knots,
                          const std::vector<std::vector<double>>& coefficients);

}  // namespace koppel

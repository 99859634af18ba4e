// The linear system J X = b of the stages of a series (series_system.hpp) as straight-line code.
//
// Pivots stand where the partners of equations and unknowns meet, multipliers last: in a mechanism
// none of them can vanish while the constraints are independent (elimination.hpp), and nothing has
// to be searched for. Whether that is so is not taken on trust. Together with the factors comes the
// backward error of a solution with known result, and where it is more than round-off the caller
// takes a solver that pivots.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/analysis/dae.hpp>
#include <koppel/expr/series.hpp>

namespace koppel {

struct SeriesElimination {
  // As functions of t, the x_j⁽ˡ⁾ and what is given.
  std::vector<Expr> entries;     // of the factors
  std::vector<Expr> row_scales;  // max_j |J_ij| max(1, |x_j|) of each row
  Expr defect;
  SeriesSolution solution;  // without its unknowns
};

// Nothing where an equation has no partner.
std::optional<SeriesElimination> eliminate(const Dae& dae, const SparseExpr& J);

}  // namespace koppel

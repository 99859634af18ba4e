// The linear system J X = b of the stages of a series (series_system.hpp) as straight-line code.
//
// Pivots stand where the partners of equations and unknowns meet, multipliers last: in a mechanism
// whose mass matrix is regular none of them can vanish while the constraints are independent
// (elimination.hpp). Where sample points show that one does, as with massless coordinates, pivots
// are chosen by their values there (pivots.hpp). Whether the order serves is not taken on trust:
// the caller checks the backward error of a solution, and where it is more than round-off takes a
// solver that pivots.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/dae/dae.hpp>
#include <koppel/expr/series/series.hpp>
#include <koppel/problem/pivots.hpp>

namespace koppel {

struct SeriesElimination {
  std::vector<Expr> entries;  // of the factors, as functions of t, the x_j⁽ˡ⁾ and what is given
  SeriesSolution solution;    // without its unknowns
};

// `samples`: the values of J at a few points. Nothing where an equation has no partner, where no
// order of pivots serves at the samples, and for large systems.
std::optional<SeriesElimination> eliminate(const Dae& dae, const SparseExpr& J,
                                           MatrixSamples samples);

}  // namespace koppel

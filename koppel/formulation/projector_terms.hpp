// Rows of constraints as a projection needs them.
#pragma once

#include <span>

#include <koppel/equations/equations.hpp>
#include <koppel/problem/projector.hpp>

namespace koppel {

// The rows of [G; a] that are kept, numbered anew.
SparseExpr kept_rows(const Equations& equations, std::span<const int> kept);

// `kept` are the rows of [g; a] that count; `p` and `u` the values of parameters and inputs.
ProjectorTerms make_projector_terms(const Equations& equations, std::span<const int> kept,
                                    std::span<const double> p, std::span<const double> u);

}  // namespace koppel

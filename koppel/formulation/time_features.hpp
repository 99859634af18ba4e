// Where functions of time that are smooth change within a time that is short against the run:
// pulses such as exp(−((t − 5)/10⁻³)²), steps such as tanh((t − 3)/10⁻⁴).
//
// Away from it such a function is constant to any tolerance, and neither a series nor stages of a
// step show that something is to come. Here every part of the expressions that depends on time and
// parameters only is bounded over the run by interval arithmetic (enclosure.hpp). The range is
// halved until, on each piece of length h and in units of what the part takes over the whole run,
//   width of values ≤ 10⁻¹⁰    it is constant, or
//   width of rates · h ≤ 0.05   it is nearly straight: no feature hides within,
// and the rate is nowhere more than 100 times that at the beginning, from where one sees it come.
// Where a part begins to vary that was constant, integrators have to start anew, and at the pieces
// that follow, so that no step passes over what is not seen yet from its beginning.
//
// Limits: a feature smaller than 10⁻¹⁰ of its part's range is not seen; at most kMostPieces pieces
// are looked at, longest first, so that beside functions that vary fast all over the run (with more
// than some thousand oscillations) narrower features may be missed; and only functions of time
// alone are looked at.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/algebra/interval.hpp>
#include <koppel/expr/graph/expr.hpp>

namespace koppel {

// Ascending, within the range. `breakpoints`, ascending, are there already.
std::vector<double> find_time_features(std::span<const Expr> expressions, Expr t,
                                       std::span<const Expr> symbols,
                                       std::span<const double> values, Interval range,
                                       std::span<const double> breakpoints);

}  // namespace koppel

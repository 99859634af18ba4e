// The size of a mechanism, and what errors are measured by where values are small.
//
// Errors of integrators are relative, and absolute for values below a scale of 1: a metre, a
// radian. A mechanism of micrometres has no value near that. So for mechanisms smaller than a
// centimetre the scale is their size over a centimetre: lengths are exact to a hundred times the
// tolerance, by the mechanism's size. Larger ones keep 1.
#pragma once

#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>

namespace koppel {

// The largest coordinate that is a length, at a state; 1 where there is none or all are 0
// but for round-off.
double length_of(const Equations& equations, const State& state);

// For IntegrateOptions::absolute_scale.
double absolute_scale_for(const Equations& equations, const State& start);

}  // namespace koppel

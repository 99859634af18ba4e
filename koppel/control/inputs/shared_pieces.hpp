// Inputs within their limits as piecewise polynomials. Where another limit begins to hold they have
// a kink: pieces end there, at times found by bisection, and between them the inputs are
// interpolated to round-off.
#pragma once

#include <koppel/control/checks/verify.hpp>
#include <koppel/control/inputs/input_sharing.hpp>
#include <koppel/control/servo/flat.hpp>

namespace koppel {

// From a consistent state to `end`. Empty where the solution fails on the way.
InputPieces shared_pieces(const ServoProblem& servo, const Evaluator& evaluator, const State& start,
                          InputSharing& sharing, double end);

}  // namespace koppel

// Why an initial rate cannot be met: the start is a dead point of that quantity.
//
// Let w be the gradient of the rate, w v = rate, and C = [G; a]. At a dead point every velocity
// that the constraints allow leaves the quantity as it is,
//   w = yᵀC      at the start, and not beside it,                                        (1)
// as the position of a slider where crank and rod are in line. y are the forces of the joints that
// withstand a force on the quantity: those that are not 0 hold it. Among them rods that are in line
// are looked for: two bodies that share a pivot, or a body and a rod of fixed length, whose other
// pivots are on one line with it.
#pragma once

#include <string>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// A sentence for the rate that an assembly failed at, the first of its gaps. Empty where it failed
// for another reason, and for models without bodies.
std::string explain_dead_point(const Model& model, const Assembly& failed);

}  // namespace koppel

// Why a loop of rods cannot close, from lengths alone: where the longest link between two pivots is
// longer than all others together, no angles help.
#pragma once

#include <string>

#include <koppel/model/model.hpp>

namespace koppel {

// In words, for the shortest loop of revolute and spherical joints through a joint: "loop 'rocker'
// cannot close: the rods reach 0.92 m, the pivots are 1.10 m apart." Empty where there is no such
// loop, or where its lengths would allow it to close. `closing`: takes the name of the loop.
std::string explain_open_loop(const Model& model, const std::string& joint,
                              std::string* closing = nullptr);

}  // namespace koppel

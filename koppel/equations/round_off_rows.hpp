// Rows of joints that say nothing but round-off.
//
// Two hinges in line hold a shaft, and of the second one's equations most hold by themselves in
// coordinates that satisfy the first. Written in numbers, their coefficients are not 0 but
// differences of rounded ones, 10⁻¹⁷ or, where places were given to nine digits, 10⁻⁹. As equations
// they would lock the shaft.
#pragma once

#include <vector>

#include <koppel/equations/kinematics.hpp>

namespace koppel {

// For each row: whether it is 0 at some places of all coordinates, far from the constraints and
// from each other, and also for other values of the parameters, which may be varied later; to 1e-8
// of the size of the joint's bodies or of direction cosines. Only what joints hold is looked at.
std::vector<char> rows_of_round_off(const Model& model, const Kinematics& kinematics,
                                    const std::vector<ConstraintRow>& rows);

}  // namespace koppel

// Accelerations of a tree without constraints, M v̇ = f solved by elimination from the leaves to the
// root: the articulated-body algorithm [Featherstone 1983]. Its expressions grow linearly with the
// bodies, where M has an entry for each pair of them.
#pragma once

#include <vector>

#include <koppel/equations/kinematics.hpp>

namespace koppel {

// v̇ = M⁻¹ f for kinematics with links; f without the forces of constraints. Empty where a freedom
// moves no mass.
std::vector<Expr> articulated_accelerations(const Kinematics& kinematics,
                                            const std::vector<Expr>& f);

}  // namespace koppel

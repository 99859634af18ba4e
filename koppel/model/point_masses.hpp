// What a point mass cannot be part of. It has no orientation: its axes never turn, and no torque
// has an effect on it.
#pragma once

#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// Joints that hold its axes to those of a body that turns; forces, impulses and constraints on a
// rotation that it takes part in. The model's names and indices are right.
std::vector<Diagnostic> find_turned_point_masses(const Model& model);

}  // namespace koppel

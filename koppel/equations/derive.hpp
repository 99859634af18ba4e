// Model → Equations.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// The coordinate sets that a model can be described in; the first is the default.
std::vector<std::string> coordinate_sets(const Model& model);

// The equations of motion in a coordinate set ("": the default). The principle of virtual power,
// the same for all sets: with w(q, v) the velocities of all masses and ρ(q, v) the rates of all
// quantities on which efforts e act, both linear in v,
//   M = (∂w/∂v)ᵀ I (∂w/∂v),    f = (∂ρ/∂v)ᵀ e − (∂w/∂v)ᵀ (I ẇ₀ + gyro),
// where ẇ₀ is the rate of w for v̇ = 0. Both products by (∂/∂v)ᵀ are reverse accumulations, so that
// f has a size linear in that of w and ρ.
// Throws Error: equations.unknown-coordinates, equations.contradiction, equations.not-linear.
Equations derive(const Model& model, const std::string& coordinates = "");

}  // namespace koppel

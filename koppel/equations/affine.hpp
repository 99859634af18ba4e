// Bodies whose frames are linear in the coordinates: directors and natural coordinates.
#pragma once

#include <vector>

#include <koppel/equations/kinematics.hpp>

namespace koppel {

// The rates of vectors that are expressions of the coordinates.
std::vector<Vec3e> rates_of(const Kinematics& kinematics, const std::vector<Vec3e>& vectors);

// The kinetic energy of a body from the rates of its centre of mass and of its axes:
//   T = ½ m ṙ·ṙ + ½ Σ Eᵢⱼ ḋᵢ·ḋⱼ,    E = ½ tr(J) I − J   (Euler's tensor),
// constant in these rates. In the plane d₂ is d₁ turned by a right angle, so one axis says all and
// E₁₁ = J; a point mass has no axes.
Inertia affine_inertia(const Body& body, const std::vector<Vec3e>& rates, bool planar);

}  // namespace koppel

// Rotations as signals: what an orientation shall be, and how far it is from being so.
//
// A signal gives the orientation by a rotation vector, by roll, pitch and yaw, or by a quaternion
// of any length. All become a quaternion p, so that no signal has a singular position. Between a
// body with the rotation R and a target R_z the rotation A = R_z Rᵀ is left, with the quaternion r:
// a column of 4 r rᵀ follows from the entries of A without a root, and the one with the largest
// diagonal is never zero [Shepperd 1978]. With r₀ ≥ 0 the rotation vector
//
//   d = 2 atan2(|r_v|, r₀) r_v/|r_v|,    |d| ≤ π,                                            (1)
//
// in world axes, is the shortest way. It is smooth but for half a turn, where both ways are equally
// long and one is taken. Near the target its rate is the angular velocity of the target less that
// of the body.
#pragma once

#include <array>
#include <span>

#include <koppel/model/model.hpp>

namespace koppel {

enum class RotationForm { RotationVector, RollPitchYaw, Quaternion };

// Of 3 or 4 numbers, scalar first; of any length but zero where they are a quaternion.
std::array<Expr, 4> quaternion_of_signal(RotationForm form, std::span<const Expr> signal);

// (1), of what turns and of a unit quaternion.
Vec3e rotation_between(const Mat3e& from, const std::array<Expr, 4>& to);

}  // namespace koppel

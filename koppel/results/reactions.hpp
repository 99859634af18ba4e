// Reactions: the forces and torques in joints, from the multipliers of their equations.
//
// Let the marker of the second body be displaced by δ and turned by θ (both small, world axes). The
// equations of a joint g_i change by (∂g_i/∂δ) δ + (∂g_i/∂θ) θ, and their multipliers do the power
//   −λ_i ġ_i = F·δ̇ + T·θ̇,    hence    F = −Σ λ_i ∂g_i/∂δ,   T = −Σ λ_i ∂g_i/∂θ,          (1)
// the force on the second body and the torque on it about the marker's point. On the first body act
// their opposites. In the advance of a screw, z_a·d − p α/2π, its angle α turns with θ by z_a·θ.
//
// Equations that the model has beside its joints act on quantities s (values or rates) with efforts
//   e = −Σ λ_i ∂g_i/∂s − Σ μ_i ∂(a v)_i/∂s′.                                               (2)
// Drives and couplings act on the coordinate of a joint: on its angle with the torque e z_a, on its
// position with the force e z_a at the second marker, and count as reactions of the joint. The
// efforts of a rolling contact on the coordinates of points of its wheel add up to the force on the
// wheel; it acts where the wheel touches the plane, and has no torque about that point.
//
// A joint that the coordinates satisfy by themselves (all of them in a tree of joint coordinates,
// shared points of natural ones) has no multipliers and no reactions here; absolute coordinates and
// directors give those of all joints.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

enum class ReactionAxes {
  None,   // no reactions
  World,  // components along world axes
  // Along the axes of the joint's first marker: z is the axis of a hinge or a slide; of a rolling
  // contact, those of its plane: z is the normal.
  Joint,
};

struct Reaction {
  std::string name;  // "hinge.force.x", "hinge.torque.z"
  std::string unit;  // N, N m
  Expr value;        // of the state and the multipliers
};

// `multipliers`: a symbol for each row of g, then of a. In planar models force.x, force.y and
// torque.z only; along the axes of joints, those that are not always zero.
std::vector<Reaction> reactions_of(const Model& model, const Equations& equations,
                                   std::span<const Expr> multipliers, ReactionAxes axes);

// Names of the joints whose reactions are not among these.
std::vector<std::string> joints_without_reactions(const Model& model, const Equations& equations);

}  // namespace koppel

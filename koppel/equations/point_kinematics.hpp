// Positions, velocities and Jacobians of the bodies of a model and of their points, as expressions
// of the coordinates of a set. With q̇ = K v and r(q, t) the position of a point in world axes,
//   ṙ = (∂r/∂q) K v + ∂r/∂t = J v + ∂r/∂t,     J = ∂ṙ/∂v                                 (1)
//   ω = J_ω v + …,                             J_ω = ∂ω/∂v                               (2)
// What drives prescribe is in ∂r/∂t and in the part of ω without v. Cost: linear in the size of the
// expressions times three for each point.
#pragma once

#include <string>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// A point fixed to a body: one that has a name, its centre of mass (`com`, where that is not the
// origin of its frame), or the origin itself (no name).
struct PointKinematics {
  std::string name;
  Vec3e position, velocity;  // world axes
  SparseExpr jacobian;       // 3 × n_v
};

struct BodyKinematics {
  std::string name;
  Mat3e axes;              // of the body frame in world axes, by columns
  Vec3e angular_velocity;  // world axes
  SparseExpr angular_jacobian;
  std::vector<PointKinematics> points;  // the origin first
};

struct ModelKinematics {
  std::string coordinates;
  std::vector<Expr> q, v;
  std::vector<BodyKinematics> bodies;  // without the ground
};

// Throws Error `equations.no-bodies` where the model has none.
ModelKinematics describe_kinematics(const Model& model, const std::string& set);

}  // namespace koppel

// A constant-velocity joint of two shafts, such as Rzeppa's: the points coincide, and b swings
// against a about an axis that is perpendicular to the z axes of both, without twist. Then both
// shafts turn at the same rate whatever the angle between them: their balls stay in the plane that
// halves it. The rotation from a to b has the quaternion (e₀, e₁, e₂, 0), so that
//   x_b·y_a − y_b·x_a = 4 e₀ e₃ = 0.                                                       (1)
// Along a tree the swing is σ = tan(φ/4) (cos ψ, sin ψ, 0), modified Rodrigues parameters, which
// have no singular position below a full turn [Schaub & Junkins 2018]:
//   e₀ = (1 − σ²)/(1 + σ²),   (e₁, e₂, e₃) = 2 σ/(1 + σ²)                                  (2)
//   w = 4/(1 + σ²)² [(1 − σ²) σ̇ − 2 σ × σ̇ + 2 σ (σ·σ̇)]    (axes of b)                      (3)
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct ConstantVelocity {
  static constexpr ElementInfo kInfo{
      "constant-velocity",
      "the points together, the shafts along the axes turning at the same rate", false};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  bool closes = false;

  static const std::vector<Field<ConstantVelocity>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

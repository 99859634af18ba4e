// Rolling without slip on a fixed plane through `at` with the unit normal n.
//
// A ball of radius r about c touches the plane at c + ρ with ρ = −r n; a thin disc with the axis a
// at the point of its rim that is lowest,
//   ρ = −r (n − (n·a) a) / √(1 − (n·a)²)                                                   (1)
// That it stays on the plane and does not slip is
//   n·(c + ρ − p) = 0                                                                      (2)
//   τ·(ċ + ω × ρ) = 0    for two directions τ in the plane                                 (3)
// In the plane (3) is the rate of τ·c + r φ, which is kept constant instead.
//
// A thin disc that lies has no lowest point: (1) is a cone there, and no step finds its way across
// the tip. With `side` = ε the sides of the disc are caps of spheres that end at the rim, where
// their normals are at the angle ε to the axis: radius r/sin ε, centre on the axis at r cot ε
// beyond the disc. Where √(1 − (n·a)²) < sin ε it rolls on a side,
//   ρ = sign(n·a) r cot ε a − (r/sin ε) n,                                                 (4)
// which goes on from (1) with (2) and its derivative.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Rolling {
  static constexpr ElementInfo kInfo{"rolling", "a disc or ball on a plane without slip"};

  std::optional<Place> body = {};
  std::optional<Expr> radius = {};
  std::optional<Direction> axis = {};
  std::optional<WorldDirection> normal = {};
  std::optional<WorldPoint> at = {};
  std::optional<Expr> side = {};

  static const std::vector<Field<Rolling>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

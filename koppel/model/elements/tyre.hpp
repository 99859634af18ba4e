// A simple tyre: a thin elastic disc on a fixed plane through p with the unit normal n.
//
// The wheel has the centre c, the spin axis a (a unit vector) and the unloaded radius r. With the
// direction ν of the spoke that points up and the deflection δ of its rim,
//   ν = (n − (n·a) a) / √(1 − (n·a)²)                                                       (1)
//   δ = r n·ν − n·(c − p),    δ̇ = −n·(ċ − r ω × ν)                                          (2)
// (2) holds because ν turns as the wheel does but for a spin, which leaves n·ν alone. The load is
// that of a linear spring and damper on a deflection that goes smoothly to zero in the air,
//   δ₊ = ½ (δ + √(δ² + ε²)),    s = dδ₊/dδ = δ₊/√(δ² + ε²)                                  (3)
//   N = s (k δ₊ + d s δ̇),    stored ½ k δ₊²                                                 (4)
// so that N = k δ + d δ̇ but for terms of ε⁴/δ⁴ in contact, and vanishes as ε⁴/|δ|³ above.
// The contact point c + ρ is in the plane, below the lowest point of the rim:
//   ρ = δ n − r ν                                                                           (5)
// A force N n there has the power −N δ̇. Along τ = a × n/|a × n| (forward) and σ = n × τ (sideways)
// the tyre resists slip, the velocity of the material in contact over that of travel,
//   ζ = −(C_τ τ·(ċ + ω × ρ), C_σ σ·(ċ + ω × ρ)) / √((τ·ċ)² + v₀²)                           (6)
//   F = μ N₀ ζ / √(μ² + ζ·ζ),    N₀ = s k δ₊                                                (7)
// linear for small slip, with slip stiffness C times load, and of size μ N₀ at most. N₀ leaves the
// damper out, so that friction never pushes. v₀ keeps (6) finite for a wheel at rest, which creeps.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Tyre {
  static constexpr ElementInfo kInfo{"tyre", "of a wheel on the ground"};

  std::optional<Place> on = {};
  std::optional<Direction> axis = {};
  std::optional<Expr> radius = {}, stiffness = {}, damping = {}, friction = {}, velocity = {};
  Numbers slip_stiffness = {};  // forward and sideways, or one for both
  std::optional<WorldDirection> normal = {};
  std::optional<WorldPoint> at = {};
  bool stiff = false;

  static const std::vector<Field<Tyre>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

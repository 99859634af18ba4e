// Servo constraints for the attitude of a body that turns about one axis from an orientation R₀ to
// another, R₁ = R₀ exp(φ [e]), with φ in [0, π]; a time law c goes from 0 to 1:
//   R(q) = R₀ exp(c(t) φ [e]).                                                              (1)
// Three outputs say so. With the orientation half-way, H = R₀ exp(φ/2 [e]), and P = Hᵀ R,
//   s(q) = ½ (P₃₂ − P₂₃, P₁₃ − P₃₁, P₂₁ − P₁₂) = sin((c − ½) φ) e.                            (2)
// Their rates are independent as long as the body is less than a right angle away from H, which
// is always so for φ < π.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

// Adds the three servo constraints, by their names `name.x`, `name.y`, `name.z`. A turn of 180
// degrees is rejected: which way is not determined.
void add_attitude_servo(ModelWriter& writer, int body, const Mat3<double>& from,
                        const Mat3<double>& to, Expr law);

}  // namespace koppel

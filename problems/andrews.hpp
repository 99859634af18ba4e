// Andrews' squeezing mechanism (models/andrews.yaml) by hand: seven bodies in the plane, seven
// angles, six constraints [Hairer & Wanner 1996, section VI.9].
//
// With the angles of the bodies from the x axis, q = (β, α, γ, ψ, δ, χ, ε), where α = β + θ,
// ψ = φ + δ, χ = ω + ε, all is short. Each angle turns one vector,
//
//   w_β = rr (cos β, sin β)       w_α = −d (cos α, sin α)    w_γ = ss (−sin γ, cos γ)
//   w_ψ = e (−sin ψ, cos ψ)       w_δ = −zt (cos δ, sin δ)
//   w_χ = −zf (cos χ, sin χ)      w_ε = u (−sin ε, cos ε),
//
// and the constraints, two rows each, are sums of such vectors:
//
//   w_β + w_α + w_γ = B,     w_β + w_α + w_ψ + w_δ = A,     w_β + w_α + w_χ + w_ε = A.     (1)
//
// The derivative of a vector with respect to its angle is w⊥ = (−w_y, w_x), the second one −w. The
// mass matrix has blocks of two (x, y) = (β, α), (δ, ψ), (ε, χ), with
//
//   T = ½ m_x ẋ² + ½ m_y ẏ² + h(y − x) ẋ ẏ,   hence forces −h′ ẏ² on x and h′ ẋ² on y,        (2)
//
// and γ alone. A constant torque acts on β. The spring leads from C to D = B + s, where s turns
// with γ, and has the potential V(γ) = c₀/2 (L − l₀)², L² = |s + B − C|².
#pragma once

#include <array>

#include <problems/ggl.hpp>

namespace koppel::problems {

// Index 1 for Runge–Kutta methods (runge_kutta.hpp), projected after every step. y: q, q̇. The
// matrix [M Gᵀ; G 0] is factorised as M, block by block, and S = G M⁻¹ Gᵀ = L D Lᵀ.
class Andrews {
 public:
  using State = std::array<double, 14>;
  static constexpr bool kProjects = true;

  static State start();  // at rest
  // β, θ, γ, φ, δ, ω, ε and their rates for a state, and back.
  static State relative(const State& y);
  static State absolute(const State& angles);

  void rate(const State& y, State& y_rate);
  // λ of M q̈ = f − Gᵀλ, of the last rates.
  const std::array<double, 6>& multipliers() const { return lambda_; }
  // One step of Newton's method for positions, and velocities, in the mass metric.
  void project(State& y);

 private:
  std::array<double, 6> lambda_;
};

// The same in the form of ggl.hpp.
class AndrewsGgl : public GglByTerms<AndrewsGgl> {
 public:
  AndrewsGgl();

  void residual(const double* y, const double* y_rate, double* F) const override;
  template <typename Add>
  void visit_jacobian(const double* y, const double* y_rate, double c, Add&& add) const;
};

extern template class GglByTerms<AndrewsGgl>;

}  // namespace koppel::problems

// Bricard's mechanism (models/bricard.yaml) by hand, in natural coordinates: points P_i and unit
// vectors u_i along the axes of the six hinges. Rod i has r_i = P_{i+1} − P_i, u_i and u_{i+1} as
// perpendicular axes. P₁ = 0, u₁ = e_y and P₆ = e_z, u₆ = e_x are fixed, so that the first and the
// last rod turn in planes, and u₂ = r₁ × e_y and u₅ = e_x × r₅ follow from their points:
//
//   P₂ = (x₂, 0, z₂),   u₂ = (−z₂, 0, x₂),     P₅ = (0, y₅, z₅),   u₅ = (0, z₅ − 1, −y₅),
//   q = (x₂, z₂, P₃, P₄, u₃, u₄, y₅, z₅), 16 coordinates.
//
// A rod of mass 1 and length 1 with a square section of side w has
//   T = ⅙ (Ṗ_i² + Ṗ_i·Ṗ_{i+1} + Ṗ_{i+1}²) + w²/24 (u̇_i² + u̇_{i+1}²),                      (1)
// so that M is constant. The constraints are dot products of vectors that are linear in q:
//   ½ (a·a − 1) = 0 for a = u₂, u₅, r₂, r₃, r₄, u₃, u₄,
//   a·b = 0         for r₂u₂, r₂u₃, u₂u₃, r₃u₃, r₃u₄, r₄u₄, r₄u₅, u₄u₅.                   (2)
// The sixteenth, u₃·u₄ = 0, repeats the others: without it G keeps its rank, 15, in the whole
// motion (the condition number of G M⁻¹ Gᵀ stays below 8·10³).
#pragma once

#include <array>
#include <vector>

#include <problems/ggl.hpp>

namespace koppel::problems {

// Index 1 for Runge–Kutta methods (runge_kutta.hpp), projected after every step. y: q, q̇. As M⁻¹
// is known once and for all, [M Gᵀ; G 0] is factorised as S = G M⁻¹ Gᵀ = L D Lᵀ.
class Bricard {
 public:
  static constexpr int n = 16, m = 15;
  using State = std::array<double, 2 * n>;
  static constexpr bool kProjects = true;

  static State start();  // at rest
  static std::array<double, 3> P3(const State& y) { return {y[2], y[3], y[4]}; }

  void rate(const State& y, State& y_rate);
  // λ of M q̈ = f − Gᵀλ, of the last rates.
  std::array<double, m> multipliers() const;
  // One step of Newton's method for positions, and velocities, in the mass metric.
  void project(State& y);

 private:
  // One more than there are constraints, for the sake of vector instructions.
  using Row = std::array<double, m + 1>;

  void factor(const double* q);
  void solve(Row& b) const;
  void pull(const Row& lambda, double* a) const;  // a −= M⁻¹Gᵀ λ

  std::array<Row, n> Gt_{}, W_;  // Gᵀ, M⁻¹Gᵀ
  std::array<Row, m> l_;         // L, and S above the diagonal
  Row pivot_;                    // 1/D
  Row lambda_;
};

// The same in the form of ggl.hpp.
class BricardGgl : public GglByTerms<BricardGgl> {
 public:
  BricardGgl();

  void residual(const double* y, const double* y_rate, double* F) const override;
  template <typename Add>
  void visit_jacobian(const double* y, const double* y_rate, double c, Add&& add) const;

 private:
  // ∂²g_k/∂q_i∂q_j.
  struct Curvature {
    int k, i, j;
    double value;
  };
  std::vector<Curvature> curvatures_;
};

extern template class GglByTerms<BricardGgl>;

}  // namespace koppel::problems

// Equations of motion of a step (step_equations.hpp) by rule, from the descriptor form
//   q̇ = K v,   M v̇ = f − Gᵀλ − aᵀμ,   0 = g,   0 = a v + b,   ẋ = r.                         (1)
//
// All rules turn velocities into positions in the same way: with a mean velocity w,
//   q₁ − q₀ = h K(q̄) w,     q̄ = (q₀ + q₁)/2,                                              (2)
// which keeps unit quaternions at unit length. Coordinates that are counted beside the others
// follow from their invariants at the end of the step instead.
//
// For sources of this folder only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/formulation/formulation.hpp>

namespace koppel {

// (1) as a formulation states it at an instant: residuals in q, v, x, t, the symbols v_rate for v̇
// and the multipliers.
struct InstantForm {
  const Equations& e;
  std::vector<Expr> lambda = {}, mu = {}, eta = {};  // symbols
  std::vector<Expr> v_rate = {};
  std::vector<Expr> motion = {};       // M v̇ − f + Gᵀλ + aᵀμ
  std::vector<Expr> q_rate_less = {};  // what q̇ is less than K v; empty: nothing
  std::vector<Expr> for_lambda = {}, for_mu = {}, for_eta = {};  // 0 = …
  int order_lambda = 0;  // how often g is differentiated in for_lambda
  int order_mu = 1;      // the same for a v + b, which counts as once already
  // The constraints themselves, as many as multipliers, their rates, and their forces.
  std::vector<Expr> g = {}, g_rate = {}, Gt_lambda = {};
  std::vector<Expr> av = {}, at_mu = {};  // a v + b, aᵀμ
  Given given = {};
};

// Symbols of a step's two ends, and expressions of an instant at its start, its end and its middle.
class StepFrame {
 public:
  explicit StepFrame(const InstantForm& form);

  const Equations& e;
  Expr t, h;
  std::vector<Expr> q0, v0, x0, q1, v1, x1;
  std::vector<Expr> q_mean, v_mean, x_mean;

  std::vector<Expr> start(std::span<const Expr> f) const;
  std::vector<Expr> end(std::span<const Expr> f) const;
  std::vector<Expr> middle(std::span<const Expr> f) const;  // at v_mean
  std::vector<Expr> middle(std::span<const Expr> f, std::span<const Expr> v) const;
  SparseExpr middle(const SparseExpr& A) const;
  std::vector<Expr> new_symbols(const char* name, std::size_t count) const;

  // (2), and invariants for counted coordinates, as rows.
  std::vector<StepTerms::Row> kinematics(std::span<const Expr> w,
                                         std::span<const Expr> less = {}) const;
  // Guesses: q by Euler's method.
  std::vector<Expr> guess_q(std::span<const Expr> w) const;
  std::vector<Expr> guess_x() const;

  bool has_variable_mass() const { return has_variable_mass_; }
  // p = M v, and Ṁ v along q̇ = K v.
  std::vector<Expr> momentum() const { return momentum_; }
  std::vector<Expr> momentum_rate() const;

 private:
  std::vector<Expr> replace(std::span<const Expr> f, std::span<const Expr> q,
                            std::span<const Expr> v, std::span<const Expr> x, Expr time) const;
  bool has_variable_mass_;
  std::vector<Expr> momentum_;
};

// Collects terms of a step: unknowns with what they are at the start.
class StepBuilder {
 public:
  StepBuilder(const InstantForm& form, const StepFrame& frame);

  void begin_stage(bool is_linear = false);
  // A block of unknowns of the problem's y from `first_y` on, or of none (−1).
  void add_unknowns(std::span<const Expr> at_start, std::span<const Expr> at_end,
                    std::span<const Expr> guess, int exponent, int first_y);
  void add_rows(std::span<const Expr> values, const std::string& name, int exponent);
  void add_rows(std::vector<StepTerms::Row> rows);
  void carry(std::span<const Expr> at_start, std::span<const Expr> at_end,
             StepTerms::Origin::Kind kind);
  StepTerms& terms() { return terms_; }

 private:
  StepTerms terms_;
};

// Generalised-α [Chung & Hulbert 1993; Arnold & Brüls 2007]; c = (α_m, α_f, β, γ).
StepTerms make_alpha_steps(const InstantForm& form);
// Discrete gradients in the place of gradients [Gonzalez 1996, 1999].
StepTerms make_energy_steps(const InstantForm& form);
// A discrete action that is stationary [Marsden & West 2001].
StepTerms make_variational_steps(const InstantForm& form, bool is_trapezoidal);

// Whether K is linear in q, counted coordinates aside: then a mean of q has the mean of its rates,
// and unit quaternions stay so.
bool has_linear_rates(const Equations& e);
// Whether v are the rates of coordinates: q̇_j = v_k for all but the counted ones.
bool has_holonomic_velocities(const Equations& e);

}  // namespace koppel

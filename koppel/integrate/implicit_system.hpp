// The residual of a problem as implicit integrators use it: F(t, y, ẏ) = 0 with its Jacobians, the
// matrices c ∂F/∂ẏ + ∂F/∂y of their Newton iterations, and norms in which every unknown counts as
// it should.
//
// In a DAE of index 3 an error δ in the constraints' residual changes positions by δ, velocities by
// δ/h and multipliers by δ/h², in index 2 multipliers by δ/h. Each unknown therefore has an
// exponent e_j and is measured as h^e_j y_j [Hairer & Wanner 1996, section VII.4]: so are its
// errors, and the columns of the matrices are scaled by h^−e_j. After scaling rows, which the
// linear solver does, all entries are then of order 1 however small the step is. What moves by δ is
// a mass, so that multipliers change by m δ/h²: those on heavy parts are weighted with 1/m, else
// their round-off, far above ε, would keep Newton's method from ending.
#pragma once

#include <complex>
#include <optional>
#include <span>
#include <vector>

#include <koppel/integrate/explicit_system.hpp>
#include <koppel/integrate/segment.hpp>

namespace koppel {

class ImplicitSystem {
 public:
  ImplicitSystem(const Segment& segment, Statistics& statistics);

  std::size_t size() const { return exponent_.size(); }
  int exponent(std::size_t j) const { return exponent_[j]; }
  bool is_differential(std::size_t j) const { return residual_.index()[j] == 0; }

  // False where a value is not finite.
  bool residual(double t, std::span<const double> y, std::span<const double> y_rate,
                std::span<double> F);
  // ∂F/∂y and ∂F/∂ẏ, kept for factor(), and the weights of multipliers.
  bool jacobian(double t, std::span<const double> y, std::span<const double> y_rate);
  std::span<const double> by_y() const { return by_y_; }
  std::span<const double> by_rate() const { return by_rate_; }

  // The scaling of unknowns for a step h.
  void set_step(double h);
  // Factorises c ∂F/∂ẏ + ∂F/∂y, with columns scaled; false where it is singular.
  template <typename Scalar>
  bool factor(Scalar c, LinearSolver<Scalar>& solver);
  // Then b ← (c ∂F/∂ẏ + ∂F/∂y)⁻¹ b.
  template <typename Scalar>
  void solve(const LinearSolver<Scalar>& solver, std::span<Scalar> b) const;
  // max_j s_j |δ_j| / max(s_j |y_j|, absolute scale), s_j = w_j h^e_j; infinite where a value is
  // not finite.
  double norm(std::span<const double> delta, std::span<const double> y) const;

  // Rates at a start, and those algebraic variables that F determines together with them. Where F
  // does not determine the rates, they are set to 0, and the answer is false.
  bool starting_rates(double t, std::span<double> y, std::span<double> y_rate);
  // The largest change of y relative to its size per unit of time.
  double relative_rate(std::span<const double> y, std::span<const double> y_rate) const;

  // Moves q and v of y onto the constraints, where the options ask for it.
  bool project(double t, std::span<double> y);

 private:
  void weigh_multipliers();
  bool rates_by_right_hand_side(double t, std::span<double> y, std::span<double> y_rate);
  bool rates_by_newton(double t, std::span<double> y, std::span<double> y_rate);

  const Segment& segment_;
  Statistics& statistics_;
  const Residual& residual_;
  Residual::Workspace work_;
  std::optional<Projector::Workspace> projector_;
  std::vector<int> exponent_;
  std::vector<double> scale_;   // h^e_j
  std::vector<double> weight_;  // w_j
  std::vector<double> row_rate_;
  std::vector<double> by_y_, by_rate_;
  std::vector<double> values_;
  std::vector<std::complex<double>> complex_values_;
};

}  // namespace koppel

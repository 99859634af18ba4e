// The balance of energy. With T(q, v), V(q, t) and M v̇ = f − Gᵀλ − aᵀμ, ġ = G v + g_t = 0,
// a v + b = 0, and ∂T/∂v = M v where T is quadratic in v,
//
//   d(T + V)/dt = vᵀ(f − Gᵀλ − aᵀμ) + (the rate of T + V at v̇ = 0)
//               = vᵀf + (rate at v̇ = 0) + g_tᵀλ + bᵀμ =: P.                             (1)
//
// P is the power of all that does not conserve energy: dampers, motors, moving constraints. Along
// an exact motion E(t) − E(0) − ∫P dt = 0, whatever the mechanism.
//
// Immutable; evaluation neither allocates nor throws.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/expr/code/function.hpp>
#include <koppel/problem/given.hpp>

namespace koppel {

struct EnergyTerms {
  Expr t;
  std::vector<Expr> q, v, x, multipliers;  // y, as far as it is needed here
  Given given;
  Expr kinetic, potential;
  // The terms of P that are there without multipliers: vᵀf, and the rates of T and V at v̇ = 0.
  Expr of_forces, kinetic_rate, potential_rate;
  Expr power;          // (1): these, and g_tᵀλ + bᵀμ
  bool moves = false;  // some constraint does, by itself
  // A state in whose surroundings the terms are compared.
  double t0 = 0;
  std::vector<double> q0, v0, x0;

  Expr without_multipliers() const { return of_forces + kinetic_rate + potential_rate; }
};

class EnergyBalance {
 public:
  struct Workspace {
    std::vector<double> in;  // t, y as far as the multipliers, given
    koppel::Workspace energies, power, arguments;
  };
  struct Energies {
    double kinetic = 0, potential = 0;
    double sum() const { return kinetic + potential; }
  };

  explicit EnergyBalance(const EnergyTerms& terms, CompileOptions options = {});

  // Whether (1) holds: T is quadratic in v.
  bool is_known() const { return is_known_; }
  // Whether P vanishes everywhere: no constraint moves by itself, and the terms of (1) cancel, as
  // expressions or, where these are smooth and do not depend on time, in numbers at random states.
  bool is_conservative() const { return is_conservative_; }
  // Whether P is put together from pieces that depend on y. The arguments that decide, and the
  // values of each at which the next piece begins (switches.hpp).
  bool has_switches() const { return has_switches_; }
  std::size_t num_switches() const { return pieces_.size(); }
  std::span<const double> pieces(std::size_t i) const { return pieces_[i]; }
  void arguments(double t, std::span<const double> y, Workspace& work, std::span<double> out) const;
  bool needs_multipliers() const { return needs_multipliers_; }  // for P
  // Where y has what P depends on, in ascending order.
  const std::vector<int>& places_of_power() const { return places_of_power_; }

  Workspace make_workspace() const;
  // y as the problem has it: q, v, x, λ, μ first.
  Energies energies(double t, std::span<const double> y, Workspace& work) const;
  double power(double t, std::span<const double> y, Workspace& work) const;
  // T at positions y and with all velocities the same.
  double kinetic_at(double velocity, double t, std::span<const double> y, Workspace& work) const;

 private:
  void put(double t, std::span<const double> y, Workspace& work) const;
  void probe(const EnergyTerms& terms);

  std::size_t num_q_, num_v_, num_y_;
  std::vector<double> given_;
  bool is_known_ = true, is_conservative_ = false, has_switches_ = false;
  bool needs_multipliers_ = false;
  std::vector<int> places_of_power_;
  std::vector<std::vector<double>> pieces_;  // by argument
  Function energies_, power_;
  std::optional<Function> arguments_;
};

}  // namespace koppel

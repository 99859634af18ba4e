// Problem: what is to be integrated. The waist between mechanics and time stepping: here there are
// unknowns y with names and equations for them, in the forms that integrators consume,
//
//   a right-hand side   ẏ = φ(t, y) for the first num_differential() of y,
//   a residual          F(t, y, ẏ) = 0 with exact Jacobians,
//   a series            the DAE's own Taylor coefficients, order by order,
//   steps               equations between the two ends of a step, for rules that preserve
//   structure,
//   fixed-cost steps    programs that take a whole step,
//
// and the constraints that projection and diagnostics need. Which of the forms there are is up to
// the formulation that made the problem; each is compiled when it is first asked for. Immutable and
// cheap to copy; any number of threads may integrate one.
//
//   y = (q, v, x, λ, μ, η, w, u)  positions, velocities, further states; multipliers,
//                                 accelerations w = v̇ as unknowns of their own and unknown inputs,
//                                 as far as the formulation has them
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <koppel/base/event_direction.hpp>
#include <koppel/base/lazy.hpp>
#include <koppel/problem/energy_balance.hpp>
#include <koppel/problem/event_functions.hpp>
#include <koppel/problem/fixed_cost.hpp>
#include <koppel/problem/projector.hpp>
#include <koppel/problem/residual.hpp>
#include <koppel/problem/right_hand_side.hpp>
#include <koppel/problem/series_system.hpp>
#include <koppel/problem/step_equations.hpp>

namespace koppel {

// Rules for steps. Their equations are made of the descriptor form, as rates and residuals are.
enum class StepRule {
  GeneralizedAlpha,
  EnergyMomentum,
  VariationalMidpoint,
  VariationalTrapezoidal,
};
inline constexpr std::size_t kNumStepRules = 4;

struct Problem {
  std::string name;         // of the model
  std::string formulation;  // what made it
  int index = 0;            // of the residual: 0 for an ODE

  int num_q = 0, num_v = 0, num_x = 0, num_lambda = 0, num_mu = 0, num_eta = 0;
  int num_w = 0;
  int num_u = 0;                    // inputs, where they are unknown
  std::vector<std::string> labels;  // of y
  std::vector<int> rows;            // of the model's [g; a] that λ and μ belong to

  Lazy<RightHandSide> rhs;
  Lazy<Residual> residual;
  Lazy<SeriesSystem> series;
  FixedCostSteps fixed_cost;
  Lazy<Projector> projector;
  Lazy<EnergyBalance> energy;   // what a motion must conserve
  Lazy<EventFunctions> events;  // none: nothing happens
  std::vector<EventDirection> event_directions;
  // Zero where laws pass from piece to piece, or begin to change (equations/switch_events.hpp).
  Lazy<EventFunctions> switches;       // none: laws are of one piece
  std::size_t num_sharp_switches = 0;  // the first of them; where others are zero nothing jumps
  // The rates at a consistent state and, as its z, accelerations and multipliers: what index 1
  // says, for formulations that have no right-hand side.
  Lazy<RightHandSide> rates;
  // By rule; where there are none, the reason, as the end of "… needs …".
  struct Steps {
    Lazy<StepEquations> equations;
    std::string needs;
  };
  std::array<Steps, kNumStepRules> steps;
  const Steps& steps_of(StepRule rule) const { return steps[static_cast<std::size_t>(rule)]; }

  // Times at which the equations are not smooth: corners of signals and tables of time, switches.
  // Integrators step to them and start anew. Ascending.
  std::vector<double> breakpoints;

  int num_differential() const { return num_q + num_v + num_x; }
  int size() const { return num_differential() + num_lambda + num_mu + num_eta + num_w + num_u; }

  std::span<double> q(std::span<double> y) const { return part(y, 0, num_q); }
  std::span<double> v(std::span<double> y) const { return part(y, num_q, num_v); }
  std::span<const double> q(std::span<const double> y) const { return part(y, 0, num_q); }
  std::span<const double> v(std::span<const double> y) const { return part(y, num_q, num_v); }
  std::span<double> multipliers(std::span<double> y) const {
    return y.subspan(static_cast<std::size_t>(num_differential()));
  }

 private:
  template <typename T>
  static std::span<T> part(std::span<T> y, int first, int count) {
    return y.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  }
};

}  // namespace koppel

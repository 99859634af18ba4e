// What the reduced forms of servo problems (reduced_servo.hpp) are made of, as expressions. With
// S = (∂s/∂q) K the outputs obey ṡ = S v + s_t and s̈ = S v̇ + σ.
#pragma once

#include <string>
#include <vector>

#include <koppel/control/servo/reduced_servo.hpp>
#include <koppel/control/servo/servo_problem.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/residual.hpp>

namespace koppel {

using Exprs = std::vector<Expr>;

struct ServoTerms {
  ServoTerms(const Equations& equations, const State& at, const ServoProblem& problem);

  // M α − f + Gᵀλ + aᵀμ.
  Exprs motion(const Exprs& accelerations, const Exprs& multipliers) const;
  // S α + σ − ÿ_d
  Exprs servo_acceleration(const Exprs& accelerations) const;
  // g and a v + b; G α + γ and the rate of a v + b.
  Exprs constraints() const;
  Exprs constraint_acceleration(const Exprs& accelerations) const;

  const Equations& e;
  const State& state;
  const ServoProblem& servo;
  Exprs y, rate, v_rate;                 // y = (q, v, x)
  Exprs lambda;                          // multipliers of all rows of [g; a]
  Exprs error, error_rate, error_gamma;  // s − y_d, its rate, and S α + σ − ÿ_d for α = 0
  SparseExpr S;
};

// Writes the residual of a reduced form, equation by equation.
class ResidualBuilder {
 public:
  explicit ResidualBuilder(const ServoTerms& terms);

  void add(const std::string& what, const Exprs& rows);
  void add_motion(const Exprs& rows);
  // q̇ − K v − (∂h/∂q)ᵀη with the invariants h = 0, and ẋ − r; but for the positions in `without`
  // (ascending). Counted coordinates follow from their invariants.
  void add_rates(const std::vector<int>& without);
  void add_constraints();
  void add_servo(const Exprs& rows, const char* level);
  // Values at the start are those of these places; none: 0.
  void add_unknowns(const Exprs& unknowns, int index,
                    const std::vector<SeriesTerms::Place>& places);
  void add_multipliers();
  void add_inputs();
  void set_index(std::size_t unknown, int index) { form_.residual.index[unknown] = index; }
  ReducedForm finish();

  // Of v̇ and of the multipliers among the unknowns of the servo problem.
  std::vector<SeriesTerms::Place> acceleration_places() const;
  std::vector<SeriesTerms::Place> multiplier_places() const;

 private:
  const ServoTerms& terms_;
  const std::vector<SeriesTerms::Place>& places_;  // of y of the servo problem
  ReducedForm form_;
  Exprs eta_;
};

// Symbols of their own.
Exprs servo_symbols(Graph& graph, const std::string& name, std::size_t count);

// Positions and velocities that the servo constraints can be solved for, by pivoting. Throws Error
// `control.dependent-outputs` where there are none.
struct Dependent {
  std::vector<int> q, v;  // ascending
};
Dependent choose_dependent(const ServoTerms& terms);

// The forms.
ReducedForm extend_once(const ServoTerms& terms);
ReducedForm extend_twice(const ServoTerms& terms, const FlatSolution& solution);
ReducedForm project(const ServoTerms& terms);
ReducedForm project_by_null_space(const ServoTerms& terms);

}  // namespace koppel

// A model made ready for export: its step and its outputs as programs, and the names, units and
// values of all that goes in and out. What C and FMUs are written from.
//
// The step is one of fixed cost, or (dop853) as many accurate ones as its length takes: those need
// the rates of the model and a projection, which are programs of the same layout. All of them take
// the sines of runtime/trig.h, which have the same bits on every machine.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/export/names.hpp>
#include <koppel/export/start_code.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/model/model.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

// A number with a name of its own in C.
struct CVariable {
  std::string name;   // an identifier
  std::string label;  // as in the model: "crank.angle'"
  std::string unit;   // may be empty
  double start = 0;
};

struct StepModel {
  std::string name;    // an identifier
  std::string title;   // of the model, in a line
  std::string method;  // coordinates, formulation, integrator, in a line
  double start_time = 0, step = 0;
  std::vector<CVariable> q, v, x, multipliers, inputs, parameters, outputs;
  std::vector<std::size_t> hands;  // parameters: the bodies that hands hold, −1: none
  std::vector<Expr> layout;        // symbols: t, h, q, v, x, multipliers, inputs, parameters
  Program advance;                 // of the layout → (q, v, x, multipliers); empty where accurate
  Program rates, project;  // accurate: of the layout → (q̇, v̇, ẋ), and (q, v) on the constraints
  std::size_t num_rows = 0;  // accurate: of constraints; 0: nothing to project
  Program observe;           // (t, q, v, x, inputs, parameters) → outputs
  Prepared prepared;
  StartTerms start;                 // what it follows from
  double solver_tolerance = 1e-8;   // for solvers outside
  std::optional<double> tolerance;  // of an accurate step; else the cost is fixed
  MethodChoice choice;              // how the method did in a trial

  std::size_t state_size() const { return q.size() + v.size() + x.size() + multipliers.size(); }
  // All of the state, one after the other.
  std::vector<CVariable> state() const;
};

// What is asked of a step where the integrator is open.
enum class StepKind { FixedCost, Accurate };

// The integrator must be one with steps of fixed cost, rk4 or dop853; empty: the choice of
// fixed_cost_choice.hpp. With rk4 and dop853 there are no multipliers: they are eliminated, and
// every step is followed by one Newton step onto the constraints. `name` is empty: from the
// model's.
// `origins` of the parameters (parameter_origins.hpp); empty: all can be set.
// Throws Error `export.needs-step`, `export.wrong-integrator`, `export.has-events`,
// `export.does-not-hold` (an open integrator, and none holds at the step), and what prepare() does.
StepModel make_step_model(const Model& model, SimulateOptions options, std::string name = "",
                          StepKind kind = StepKind::FixedCost,
                          std::span<const ParameterOrigin> origins = {});

// Steps of fixed cost, exported C and Octave do not watch for events. Throws Error
// `export.has-events`.
void refuse_events(const Equations& equations);

}  // namespace koppel

// A model made ready for export: its step of fixed cost and its outputs as programs, and the names,
// units and values of all that goes in and out. What C and FMUs are written from.
#pragma once

#include <string>
#include <vector>

#include <koppel/expr/program.hpp>
#include <koppel/integrate/euler_step.hpp>
#include <koppel/model/model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

// A number with a name of its own in C.
struct Field {
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
  std::vector<Field> q, v, x, multipliers, inputs, parameters, outputs;
  Program advance;  // (t, h, q, v, x, multipliers, inputs, parameters) → (q, v, x, multipliers)
  Program observe;  // (t, q, v, x, inputs, parameters) → outputs
  Prepared prepared;
  EulerTerms euler;  // what `advance` was made of

  std::size_t state_size() const { return q.size() + v.size() + x.size() + multipliers.size(); }
  // All of the state, one after the other.
  std::vector<Field> state() const;
};

// The integrator must be one with steps of fixed cost; empty: linear-implicit. `name` is empty:
// from the model's. Throws Error `export.needs-step`, `export.wrong-integrator`, and what prepare()
// does.
StepModel make_step_model(const Model& model, SimulateOptions options, std::string name = "");

// An identifier of C: letters, digits and underscores; a quote (a rate) becomes `d_` in front.
std::string c_identifier(std::string_view label);

}  // namespace koppel

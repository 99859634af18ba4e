// Inverse simulation: the inputs that make the outputs of a model follow their references.
//
//   Inverse result = inverse(model, {.end = 3});
//   result.trajectory["F_t"];  result.summary.index;
//
// The structure of the full DAE with servo constraints gives its index and the order of its
// internal dynamics. Where that is 0 (the system is flat with these outputs), everything follows
// algebraically from the references (flat.hpp). Where it is not, the internal dynamics are
// integrated (Taylor series on the servo problem itself) from the model's start, if their
// linearisation is not unstable there (internal_dynamics.hpp).
//
// The methods `projection` and `minimal-extension` (reduced_servo.hpp) step in time with an
// implicit integrator. They are less accurate; they are what others use, to compare with.
//
// A numerical failure is a status with its story; all rows before it are kept. A solution is judged
// at its end and may be doubtful (inverse_health.hpp).
#pragma once

#include <optional>
#include <string>

#include <koppel/control/inverse_summary.hpp>
#include <koppel/control/motion/computed_motion.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

struct InverseOptions {
  double end = 10;
  std::string coordinates = {};  // empty or "auto": chosen
  std::string method = {};       // empty or "auto": flat; or one of reduced_methods()
  // Of the methods that reduce: implicit-euler (the default), bdf2 … bdf5, radau5, midpoint.
  // Of integrated internal dynamics: taylor (the default) or radau5.
  Integrator integrator = {};
  std::optional<double> step = {};  // of them; a hundredth of the time where there is none
  Sampling sampling = {};
  double tolerance = 1e-10;  // of integrated internal dynamics
  bool verify = false;       // simulate forward with the inputs
  Native native = Native::Auto;
  bool bounded = false;       // of internal dynamics, the solution that is (bounded.hpp)
  bool across_jumps = false;  // go on where references are not smooth enough
  HealthOptions health = {};  // how the result is judged

  // Throws Error `control.bad-option`, `control.unknown-method`.
  void validate() const;
};

// The model's own wishes (`run:`), and defaults for what it leaves open.
InverseOptions inverse_options_of(const Model& model);

struct Inverse : ComputedMotion {
  Outcome::Status status = Outcome::Status::Done;
  std::string text;  // what went wrong
  InverseSummary summary;
};

// Throws Error for what is wrong with the model or the options.
Inverse inverse(const Model& model, const InverseOptions& options,
                const SimulateCallbacks& callbacks = {});

}  // namespace koppel

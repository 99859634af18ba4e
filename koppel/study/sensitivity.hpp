// How criteria of a run depend on parameters: exact derivatives, forwards or backwards.
//
//   Sensitivity s = sensitivity(model, {.run = {.end = 10}, .of = {parse_criterion("y:max")},
//                                       .over = {"l", "start.knee.angle"}});
//   s.values[0];  s.derivatives(0, 1);
//
// Forwards, each parameter costs about as much as a run; backwards, each criterion does, whatever
// the number of parameters. Steps of `dop853`, `rk4` and of fixed cost are differentiated as they
// were taken (traced_motion.hpp), also backwards; so is the flow that `taylor` follows. With any
// other integrator, and forwards with `taylor`, the varied equations are integrated together with
// the motion (varied_equations.hpp).
#pragma once

#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/matrix.hpp>
#include <koppel/results/trajectory.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/criteria.hpp>
#include <koppel/study/parameters.hpp>

namespace koppel {

struct SensitivityOptions {
  SimulateOptions run = {};
  std::vector<Criterion> of = {};
  std::vector<std::string> over = {};  // parameters; start.NAME: the initial value of NAME
  enum class Mode { Auto, Forward, Adjoint } mode = Mode::Auto;
  // Derivatives of the criteria's quantities over time too, at these times, ascending. Forwards.
  std::vector<double> times = {};
  // Second derivatives too: of values at the end, means and integrals, of runs without events.
  bool with_second = false;

  // Throws Error `study.bad-option`, `study.bad-criterion`, and for options of the run.
  void validate() const;
};

struct Sensitivity {
  std::vector<std::string> criteria, parameters;
  std::vector<double> parameter_values;
  std::vector<double> values;  // of the criteria
  Matrix derivatives;          // of criteria (rows) by parameters
  std::vector<Matrix> second;  // for each criterion, by parameters twice; where asked for

  // Over time, where asked for: the quantities, and d(QUANTITY)/d(PARAMETER) of all.
  Trajectory course;

  Choice choice;
  bool is_adjoint = false;
  std::string reason;  // for the mode, where it was chosen
  Outcome::Status status = Outcome::Status::Done;
  std::string text;  // why it is not done
  std::vector<std::string> messages;
  long steps = 0;
  double run_seconds = 0, derivative_seconds = 0;
};

// Of a model that was built, or read with its origins (parameter_origins.hpp). Throws as
// StudiedParameters and simulate() do.
Sensitivity sensitivity(const Model& model, const SensitivityOptions& options);
Sensitivity sensitivity(const Model& model, const std::vector<ParameterOrigin>& origins,
                        const SensitivityOptions& options);

// The end and the tolerance that the model wishes; the method is left open, since derivatives go
// through few.
SimulateOptions options_for_derivatives(const Model& model);

// By parameters that are known already, at the values of the model or at others.
Sensitivity find_sensitivity(const StudiedParameters& over, const SensitivityOptions& options);
Sensitivity find_sensitivity(const StudiedParameters& over, std::span<const double> values,
                             const SensitivityOptions& options);

std::string to_text(const Sensitivity& sensitivity);
std::string to_json(const Sensitivity& sensitivity);

}  // namespace koppel

// How criteria of a run depend on parameters: exact derivatives, forwards or backwards.
//
//   const StudiedParameters over(model, origins, {"l", "start.knee.angle"});
//   Sensitivity s = find_sensitivity(over, {.run = {.end = 10}, .of = {parse_criterion("y:max")}});
//   s.values[0];  s.derivatives(0, 1);
//
// Forwards, each parameter costs about as much as a run; backwards, each criterion does, whatever
// the number of parameters.
#pragma once

#include <string>
#include <vector>

#include <koppel/base/matrix.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/criteria.hpp>
#include <koppel/study/parameters.hpp>

namespace koppel {

struct SensitivityOptions {
  SimulateOptions run = {};
  std::vector<Criterion> of = {};
  enum class Mode { Auto, Forward, Adjoint } mode = Mode::Auto;
};

struct Sensitivity {
  std::vector<std::string> criteria, parameters;
  std::vector<double> parameter_values;
  std::vector<double> values;  // of the criteria
  Matrix derivatives;          // of criteria (rows) by parameters
  Choice choice;
  bool is_adjoint = false;
  Outcome::Status status = Outcome::Status::Done;
  std::string text;  // why it is not done
  std::vector<std::string> messages;
  long steps = 0;
  double run_seconds = 0, derivative_seconds = 0;
};

// At the values of the model, or at others. Throws as simulate() does.
Sensitivity find_sensitivity(const StudiedParameters& over, const SensitivityOptions& options);
Sensitivity find_sensitivity(const StudiedParameters& over, std::span<const double> values,
                             const SensitivityOptions& options);

std::string to_text(const Sensitivity& sensitivity);
std::string to_json(const Sensitivity& sensitivity);

}  // namespace koppel

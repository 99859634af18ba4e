// What the subcommands that differentiate runs have in common.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "apps/koppel/common_options.hpp"
#include "apps/koppel/load_origins.hpp"

namespace koppel::app {

struct StudyOptions {
  ModelOptions model;
  MethodRequest method;
  std::optional<double> end, tolerance;
  std::vector<std::string> controls;  // "F:21"

  static const OptionTable& options();
};

// What the command line says; derivatives go through few integrators, so that the model's own
// method is left aside. Settings that it does not take from the model are given, for `origins`.
SimulateOptions run_options(const StudyOptions& options, const Model& model,
                            std::vector<ParameterOrigin>& origins);

// The model with the inputs that are sampled, `end` being that of the run.
Model with_controls(Model model, const StudyOptions& options, double end);

}  // namespace koppel::app

// What the subcommands that differentiate runs have in common.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/koppel/load_origins.hpp"
#include "apps/koppel/method_options.hpp"

namespace koppel::app {

struct StudyOptions {
  std::shared_ptr<ModelOptions> model;
  std::shared_ptr<MethodOptions> method;
  std::optional<double> end, tolerance;
  std::vector<std::string> controls;  // "F:21"
};

// Adds MODEL and the options of a run.
void add_study_options(CLI::App& command, StudyOptions& options);

// What the command line says; derivatives go through few integrators, so that the model's own
// method is left aside. Settings that it does not take from the model are given, for `origins`.
SimulateOptions run_options(const StudyOptions& options, const Model& model,
                            std::vector<ParameterOrigin>& origins);

// The model with the inputs that are sampled, `end` being that of the run.
Model with_controls(Model model, const StudyOptions& options, double end);

}  // namespace koppel::app

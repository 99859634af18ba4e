// How a model is integrated, for all subcommands that do so.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <koppel/simulate/simulate.hpp>

#include "apps/koppel/model_options.hpp"

namespace koppel::app {

struct MethodOptions {
  std::string formulation, integrator, jacobian, updates, stiff, projection;
  std::optional<double> step;
  double baumgarte = 0;
};

// Adds --formulation, --projection, --integrator, --jacobian, --updates, --stiff, --baumgarte and
// --step.
std::shared_ptr<MethodOptions> add_method_options(CLI::App& command);

// Adds --native.
void add_native_option(CLI::App& command, Native& native);

// What the model says, then what the command line says.
SimulateOptions simulate_options(const MethodOptions& method, const ModelOptions& given,
                                 const Model& model);

Projection projection_of(const std::string& text);

}  // namespace koppel::app

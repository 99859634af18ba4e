#include "apps/koppel/study_options.hpp"

#include <CLI/CLI.hpp>

#include <koppel/study/sampled_inputs.hpp>

namespace koppel::app {

void add_study_options(CLI::App& command, StudyOptions& options) {
  options.model = add_model_options(command);
  command.add_option("--end", options.end, "End time, in seconds (default: the model's, or 10)")
      ->type_name("T");
  options.method = add_method_options(command);
  command.add_option("--tol", options.tolerance, "Error tolerance of a step (default: 1e-8)")
      ->type_name("X");
  command
      .add_option("--control", options.controls,
                  "INPUT:N: the input is linear between N samples over the run, or over the value "
                  "of a parameter with INPUT:N:PARAMETER. The samples are parameters INPUT[0], "
                  "INPUT[1], ...; INPUT[*] names all of them. May be repeated")
      ->type_name("INPUT:N")
      ->allow_extra_args(false);
}

Model with_controls(Model model, const StudyOptions& options, double end) {
  for (const std::string& text : options.controls) {
    model = with_sampled_input(std::move(model), parse_sampled_input(text), end);
  }
  return model;
}

SimulateOptions run_options(const StudyOptions& options, const Model& model,
                            std::vector<ParameterOrigin>& origins) {
  SimulateOptions run = simulate_options(*options.method, *options.model, model);
  if (options.end) run.end = *options.end;
  if (options.tolerance) run.tolerance = *options.tolerance;
  if (!options.method->step) run.step.reset();
  if (options.method->integrator.empty()) run.integrator = {};
  if (options.method->formulation.empty()) run.formulation = {};
  if (options.end) give_setting(origins, "end");
  if (options.tolerance) give_setting(origins, "tolerance");
  for (const char* unused : {"step", "samples"}) give_setting(origins, unused);
  return run;
}

}  // namespace koppel::app

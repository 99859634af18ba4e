#include "apps/koppel/study_options.hpp"

#include <koppel/study/sampled_inputs.hpp>

namespace koppel::app {

const OptionTable& StudyOptions::options() {
  using O = StudyOptions;
  static const OptionTable kOptions =
      within(&O::model) + OptionTable{end_option(&O::end)} + within(&O::method) +
      OptionTable{
          tolerance_option(&O::tolerance),
          {{.name = "control",
            .text = "INPUT:N: the input is linear between N samples over the run, or over the "
                    "value of a parameter with INPUT:N:PARAMETER. The samples are parameters "
                    "INPUT[0], INPUT[1], ...; INPUT[*] names all of them. May be repeated",
            .value = "INPUT:N"},
           &O::controls}};
  return kOptions;
}

Model with_controls(Model model, const StudyOptions& options, double end) {
  for (const std::string& text : options.controls) {
    model = with_sampled_input(std::move(model), parse_sampled_input(text), end);
  }
  return model;
}

SimulateOptions run_options(const StudyOptions& options, const Model& model,
                            std::vector<ParameterOrigin>& origins) {
  SimulateOptions run = simulate_options(options.method, options.model, model);
  if (options.end) run.end = *options.end;
  if (options.tolerance) run.tolerance = *options.tolerance;
  if (!options.method.step) run.step.reset();
  if (options.method.integrator.empty()) run.integrator = {};
  if (options.method.formulation.empty()) run.formulation = {};
  if (options.end) give_setting(origins, "end");
  if (options.tolerance) give_setting(origins, "tolerance");
  for (const char* unused : {"step", "samples"}) give_setting(origins, unused);
  return run;
}

}  // namespace koppel::app

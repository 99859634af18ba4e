#include <koppel/simulate/controllers.hpp>

#include <koppel/simulate/fixed_cost_choice.hpp>
#include <koppel/simulate/forward_run.hpp>

namespace koppel {

Simulation simulate(const Model& model, const SimulateOptions& options,
                    const SimulateCallbacks& callbacks) {
  return simulate(model, options, callbacks, {});
}

Simulation simulate(const Model& given, const SimulateOptions& options,
                    const SimulateCallbacks& callbacks, const Controls& controls) {
  options.validate();
  const auto model = std::make_shared<const Model>(with_outputs_for(controls, given));
  const auto with_model = [&](Simulation simulation) {
    simulation.model = model;
    return simulation;
  };
  if (!options.integrator.wants_fixed_cost()) {
    return with_model(ForwardRun(*model, options, callbacks, controls).go());
  }
  const MethodChoice choice = choose_fixed_cost(*model, options);
  ForwardRun run(*model, choice.options, callbacks, controls);
  run.tell("fixed-cost steps: " + choice.text());
  return with_model(run.go());
}

Prepared prepare(const Model& model, const SimulateOptions& options) {
  options.validate();
  const SimulateCallbacks callbacks;
  const Controls controls;
  return ForwardRun(model, options, callbacks, controls).prepared();
}

std::optional<Scene> make_scene(const Model& model, const Simulation& simulation,
                                std::size_t max_frames) {
  Scene scene = make_scene(model);
  if (scene.is_empty()) return {};
  add_frames(simulation.equations, *simulation.observation, simulation.trajectory, max_frames,
             scene);
  return scene;
}

}  // namespace koppel

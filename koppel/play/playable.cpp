#include <koppel/play/playable.hpp>

#include <algorithm>

#include <koppel/analysis/assembly/loop.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/placement.hpp>
#include <koppel/results/scene.hpp>
#include <koppel/results/scene_json.hpp>
#include <koppel/simulate/choose.hpp>

namespace koppel {
namespace {

constexpr double kStep = 1e-3;  // seconds, unless the model says another
constexpr double kTrial = 1.0;  // seconds of motion that methods are tried on: one waits for it

std::string describe(const IndexReport& report) {
  return report.index < 0 ? "not found: " + report.problem : std::to_string(report.index);
}

std::vector<std::pair<std::string, std::string>> ask_doctor(const Model& model,
                                                            const StepModel& step) {
  const Examination found =
      examine(step.prepared.equations, place_bodies(model, step.prepared.equations));
  std::vector<std::pair<std::string, std::string>> out;
  out.emplace_back("freedoms", std::to_string(found.rank.degrees_of_freedom));
  out.emplace_back("index", describe(found.forward));
  if (found.servo) out.emplace_back("servo index", describe(*found.servo));
  out.emplace_back("start", found.start.text);
  if (found.rank.redundant.empty()) out.emplace_back("redundant", "none");
  for (const Redundancy& r : found.rank.redundant) out.emplace_back("redundant", r.text);
  if (!found.singular.empty()) out.emplace_back("warning", found.singular);
  for (const std::string& name : found.massless) {
    out.emplace_back("warning", "the mass matrix is singular along the motion of " + name + '.');
  }
  out.emplace_back("method", step.method);
  return out;
}

}  // namespace

Playable make_playable(const Model& model, std::vector<ParameterOrigin> origins) {
  SimulateOptions options;
  options.step = model.run.step.value_or(kStep);
  options.end = std::min(model.run.end, kTrial);
  const StepModel step = make_step_with_hand(model, options, "", std::move(origins));
  return {make_mechanism_page(model, step), ask_doctor(model, step)};
}

std::string still_picture(const Model& model) {
  const Shared<Equations> equations = derive(model);
  const Assembly start = assemble(Evaluator(equations), place_bodies(model, equations));
  Scene scene = make_scene(model);
  add_frame(equations, start.state.t, start.state.q, scene);
  JsonText json;
  add_scene(json, scene);
  return json.take();
}

}  // namespace koppel

#include <koppel/play/playable.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/assembly/close_velocities.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/motion/driven_motion.hpp>
#include <koppel/analysis/motion/follow.hpp>
#include <koppel/analysis/rank/singular.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/placement.hpp>
#include <koppel/results/scene.hpp>
#include <koppel/results/scene_json.hpp>
#include <koppel/simulate/choose.hpp>

namespace koppel {
namespace {

constexpr std::size_t kMostRows = 100;  // of constraints, for what is found by dense matrices

std::string describe(const IndexReport& report) {
  return report.index < 0 ? "not found: " + report.problem : std::to_string(report.index);
}

using Findings = std::vector<std::pair<std::string, std::string>>;

Findings describe(const Examination& found, const PageStep& step) {
  Findings out;
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
  out.emplace_back("method", step.method());
  return out;
}

// Whether a value was known.
bool take_values(const std::vector<Expr>& symbols, const std::map<std::string, double>& known,
                 std::vector<double>& values) {
  bool is_known = false;
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    const auto found = known.find(std::string(symbols[i].name()));
    if (found == known.end() || !std::isfinite(found->second)) continue;
    values[i] = found->second;
    is_known = true;
  }
  return is_known;
}

std::vector<double> assemble_near(const std::map<std::string, double>& pose,
                                  const Prepared& prepared) {
  State state = prepared.state;
  const Equations& e = prepared.equations;
  if (!take_values(e.q, pose, state.q)) return {};
  const Evaluator evaluator(prepared.equations);
  if (!close_positions(evaluator, state)) return {};
  take_values(e.v, pose, state.v);
  close_velocities(evaluator, state);
  std::vector<double> out = state.q;
  out.insert(out.end(), state.v.begin(), state.v.end());
  const bool is_finite =
      std::all_of(out.begin(), out.end(), [](double x) { return std::isfinite(x); });
  return is_finite ? out : std::vector<double>();
}

// What the model says about its method, as far as a step of fixed cost can follow it; hands need
// linear-implicit, which is what is left open.
SimulateOptions method_of(const Model& model) {
  SimulateOptions options;
  options.coordinates = model.run.coordinates;
  const Integrator named = model.run.integrator;
  if (!named.is_fixed_cost() || named.info().pulls_hands) return options;
  options.integrator = named;
  options.formulation = model.run.formulation;
  return options;
}

}  // namespace

Playable make_playable(const Model& model, const std::vector<ParameterOrigin>& origins,
                       const std::map<std::string, double>& pose) {
  const PageStep page = make_step_for_page(model, method_of(model), "", origins);
  // As `koppel check` does, in coordinates in which joints are equations.
  const Shared<Equations> equations = derive(model);
  const Examination found = examine(equations, place_bodies(model, equations));
  Playable out{make_mechanism_page(model, page, true), describe(found, page), {}, {}};
  for (const Redundancy& r : found.rank.redundant) out.redundant.push_back(r.owner);
  if (!pose.empty()) out.present = assemble_near(pose, page.step.prepared);
  return out;
}

std::vector<std::string> find_singular_ahead(const Model& model) {
  const Shared<Equations> equations = derive(model);
  if (equations->num_rows() == 0 || equations->num_rows() > kMostRows) return {};
  const Evaluator evaluator(equations);
  const Assembly start = assemble(evaluator, place_bodies(model, equations));
  if (!start) return {};
  const int freedoms = analyze_rank(evaluator, start.state).degrees_of_freedom;
  if (freedoms > 1) return {};
  const std::vector<State> states =
      freedoms == 0
          ? solve_driven_motion(evaluator, start.state, {.end = model.run.end, .num_samples = 201})
                .states
          : follow_freedom(evaluator, start.state).states;
  std::vector<std::string> texts;
  for (const SingularPlace& place : find_singular_places(evaluator, states)) {
    if (std::find(texts.begin(), texts.end(), place.text) == texts.end())
      texts.push_back(place.text);
  }
  return texts;
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

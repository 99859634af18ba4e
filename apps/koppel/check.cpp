// koppel check: the mechanism doctor. What a model is made of, its freedoms, index, redundant
// constraints and consistent start, with reasons where something is wrong.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <koppel/analysis/assembly.hpp>
#include <koppel/analysis/dae.hpp>
#include <koppel/analysis/evaluator.hpp>
#include <koppel/analysis/rank.hpp>
#include <koppel/analysis/structural.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/model_options.hpp"

namespace koppel::app {
namespace {

struct Size {
  std::string set;
  std::size_t coordinates, constraints;
};

// The index of the model's DAE with or without its servo constraints.
struct Index {
  int value = -1;
  int free_values = -1;
  bool is_certain = false;  // the system Jacobian is regular at the start
  std::string problem;
};

struct Findings {
  Equations equations;
  std::vector<Size> sizes;
  Assembly start;
  RankReport rank;
  Index forward, servo;
};

Index find_index(const Evaluator& evaluator, const Findings& findings, bool with_servo) {
  const Dae dae = make_dae(findings.equations, {with_servo, findings.rank.redundant_rows});
  const Structure structure = analyze_structure(dae);
  Index index{structure.index, structure.degrees_of_freedom, false, structure.problem};
  if (structure.is_regular) {
    const DaePoint point = make_point(dae, evaluator, findings.start.state);
    index.is_certain = check_regularity(dae, structure, point).is_regular;
  }
  return index;
}

Findings examine(const Model& model, const std::string& set) {
  Findings findings;
  for (const std::string& name : coordinate_sets(model)) {
    Equations e = derive(model, name);
    findings.sizes.push_back({name, e.q.size(), e.g.size()});
    if (name == set) findings.equations = std::move(e);
  }
  if (findings.equations.graph == nullptr) findings.equations = derive(model, set);
  const Evaluator evaluator(findings.equations);
  findings.start = assemble(evaluator);
  findings.rank = analyze_rank(evaluator, findings.start.state);
  findings.forward = find_index(evaluator, findings, false);
  if (!findings.equations.s.empty()) findings.servo = find_index(evaluator, findings, true);
  return findings;
}

const char* kind_name(JointKind kind) {
  switch (kind) {
    case JointKind::Revolute: return "revolute";
    case JointKind::Prismatic: return "prismatic";
    case JointKind::Cylindrical: return "cylindrical";
    case JointKind::Screw: return "screw";
    case JointKind::Spherical: return "spherical";
    case JointKind::Universal: return "universal";
    case JointKind::Planar: return "planar";
    case JointKind::Fixed: return "fixed";
    case JointKind::Distance: return "distance";
    case JointKind::PointOnLine: return "point on line";
    case JointKind::PointOnPlane: return "point on plane";
  }
  return "";
}

template <typename Items, typename Text>
std::string join(const Items& items, Text&& text, std::size_t most = 8) {
  std::string out;
  std::size_t count = 0;
  for (const auto& item : items) {
    if (count++ == most) return out + ", … (" + std::to_string(items.size()) + " in all)";
    out += (out.empty() ? "" : ", ") + text(item);
  }
  return out.empty() ? "none" : out;
}

void print(const Model& model, const Findings& found) {
  const auto line = [](const char* label, const std::string& text) {
    std::printf("  %-12s %s\n", label, text.c_str());
  };
  std::printf("%s\n", model.name.c_str());
  if (model.bodies.size() > 1) {
    const std::vector<Body> bodies(model.bodies.begin() + 1, model.bodies.end());
    line("bodies", join(bodies, [](const Body& b) { return b.name; }));
    line("joints", join(model.joints, [&](const Joint& j) {
           const auto name = [&](const Marker& m) {
             return model.bodies[static_cast<std::size_t>(m.body)].name;
           };
           return j.name + " (" + kind_name(j.kind) + ", " + name(j.a) + "-" + name(j.b) + ")";
         }, 6));
  }
  if (!model.forces.empty()) line("forces", join(model.forces, [](const Force& f) { return f.name; }));
  if (!model.inputs.empty()) {
    line("inputs", join(model.inputs, [](Expr u) { return std::string(u.name()); }));
  }
  line("coordinates", join(found.sizes, [&](const Size& s) {
         return (s.set == found.equations.coordinates ? "*" : "") + s.set + " " +
                std::to_string(s.coordinates);
       }));
  line("constraints", std::to_string(found.equations.g.size()) + " equations, " +
                          std::to_string(found.rank.rank) + " independent");
  line("freedom", std::to_string(found.rank.degrees_of_freedom));
  line("index", std::to_string(found.forward.value) +
                    (found.forward.is_certain ? "" : " (by structure only)"));
  if (!found.equations.s.empty()) {
    line("servo index", std::to_string(found.servo.value) +
                            (found.servo.is_certain ? "" : " (by structure only)") +
                            (found.servo.free_values == 0
                                 ? ", no internal dynamics"
                                 : ", internal dynamics of order " +
                                       std::to_string(found.servo.free_values)));
  }
  line("start", found.start.text);
  if (found.rank.redundant.empty()) {
    line("redundant", "none");
  } else {
    for (const Redundancy& r : found.rank.redundant) line("redundant", r.text);
  }
  if (found.rank.is_near_singular()) {
    line("warning", "the start is near a singular configuration, where the freedoms change.");
  }
}

nlohmann::json to_json(const Model& model, const Findings& found) {
  nlohmann::json out;
  out["model"] = model.name;
  out["coordinate_set"] = found.equations.coordinates;
  for (const Expr& q : found.equations.q) out["coordinates"].push_back(q.name());
  out["constraints"] = found.equations.lambda;
  out["dof"] = found.rank.degrees_of_freedom;
  out["index"] = found.equations.s.empty() ? found.forward.value : found.servo.value;
  out["forward_index"] = found.forward.value;
  out["redundant"] = nlohmann::json::array();
  for (const Redundancy& r : found.rank.redundant) {
    for (const std::string& row : r.rows) out["redundant"].push_back(row);
  }
  for (const Size& s : found.sizes) {
    out["sets"][s.set] = {{"coordinates", s.coordinates}, {"constraints", s.constraints}};
  }
  out["start"] = {{"assembled", static_cast<bool>(found.start)}, {"text", found.start.text}};
  for (std::size_t i = 0; i < found.equations.q.size(); ++i) {
    out["start"]["q"][std::string(found.equations.q[i].name())] = found.start.state.q[i];
  }
  for (std::size_t i = 0; i < found.equations.v.size(); ++i) {
    out["start"]["v"][std::string(found.equations.v[i].name())] = found.start.state.v[i];
  }
  return out;
}

void run(const ModelOptions& options, bool json) {
  const Model model = load(options);
  const Findings found = examine(model, coordinates_of(options, model));
  if (json) {
    std::printf("%s\n", to_json(model, found).dump(2).c_str());
  } else {
    print(model, found);
  }
  if (!found.start) {
    throw Error("assembly.impossible", found.start.text);
  }
}

}  // namespace

void add_check(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "check", "Say what a model is made of, its freedoms and index, and what is wrong with it");
  auto options = add_model_options(*command);
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print the findings as JSON");
  command->callback([options, json] { run(*options, *json); });
}

}  // namespace koppel::app

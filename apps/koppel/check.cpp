// koppel check: the mechanism doctor. What a model is made of, its freedoms, index, redundant
// constraints and consistent start, with reasons where something is wrong.

#include <fmt/format.h>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/rank/local_freedoms.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/servo/realization.hpp>
#include <koppel/control/servo/singular_start.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/model/elements/joint_law.hpp>
#include <koppel/results/scene.hpp>

#include "apps/koppel/analyses.hpp"
#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/describe.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/print_line.hpp"
#include "apps/koppel/structure.hpp"

namespace koppel::app {
namespace {

struct Size {
  std::string set;
  std::size_t coordinates, constraints;
};

struct Findings {
  Shared<Equations> equations;
  std::vector<Size> sizes;  // of all coordinate sets
  Examination found;
  Diagnostic mistake;  // why there is no start, where there is none
  std::vector<LocalFreedom> local;
  std::optional<Realization> realization;  // of servo constraints
  std::string no_degree;                   // in words, where outputs have none at the start
  Analyses analyses;
  std::vector<StructureFindings> structure;  // where it is asked for
};

std::vector<LocalFreedom> find_local(const Model& model, const Findings& findings) {
  if (model.bodies.size() <= 1) return {};
  if (findings.equations->coordinates == "absolute") {
    return find_local_freedoms(model, Evaluator(findings.equations), findings.found.start.state);
  }
  const std::vector<std::string> sets = coordinate_sets(model);
  if (std::find(sets.begin(), sets.end(), "absolute") == sets.end()) return {};
  const Evaluator absolute(derive(model, "absolute"));
  return find_local_freedoms(model, absolute,
                             assemble(absolute, place_bodies(model, absolute.equations)).state);
}

// What keeps servo problems from being made is told by `koppel inverse`.
std::string find_no_degree(const Evaluator& evaluator, const Examination& found) {
  if (evaluator.equations->u.empty()) return {};
  try {
    const ServoProblem servo = make_servo_problem(
        leave_out(evaluator.equations, found.rank.redundant_rows), found.start.state);
    return describe_singular_start(servo, evaluator, found.start.state);
  } catch (const Error&) {
    return {};
  }
}

Findings look_at(const Model& model, const std::string& set, const AnalysisRequest& request) {
  // Of a large model only the set that is used: the others take long, joint coordinates above all,
  // where the mass matrix of n bodies has n² entries.
  constexpr std::size_t kManyBodies = 200;
  Findings findings;
  for (const std::string& name : coordinate_sets(model)) {
    if (name != set && model.bodies.size() > kManyBodies) continue;
    try {
      Equations e = derive(model, name);
      findings.sizes.push_back({name, e.q.size(), e.g.size()});
      if (name == set) findings.equations = std::move(e);
    } catch (const Error&) {
      // What contradicts itself in coordinates that satisfy the rest is told below.
    }
  }
  if (!findings.equations) findings.equations = derive(model, set);
  findings.found = examine(findings.equations, place_bodies(model, findings.equations));
  Assembly& start = findings.found.start;
  if (!start) {
    findings.mistake = mistake_of_failed_start(model, start);
    start.text = findings.mistake.message;
    return findings;
  }
  findings.local = find_local(model, findings);
  if (findings.found.servo) {
    const Evaluator evaluator(findings.equations);
    findings.realization = find_realization(evaluator, start.state);
    findings.no_degree = find_no_degree(evaluator, findings.found);
  }
  if (!request.is_empty()) {
    findings.analyses = analyze(model, Evaluator(findings.equations), start.state, request);
  }
  return findings;
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

// "1 equation", "3 equations"
std::string count(std::size_t n, const char* what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

std::string describe_index(const IndexReport& report) {
  if (report.index < 0) return "not found: " + report.problem;
  switch (report.evidence) {
    case IndexReport::Evidence::Structure: return std::to_string(report.index);
    case IndexReport::Evidence::Ranks:
      return std::to_string(report.index) + " (from ranks; the structure alone is misleading)";
    default: return std::to_string(report.index) + " (by structure only: the start is singular)";
  }
}

// "hip (revolute ground-thigh)"
std::vector<std::string> joints_of(const Model& model) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& name, std::string_view type, const Marker& a,
                       const Marker& b) {
    const auto body = [&](const Marker& m) {
      return model.bodies[static_cast<std::size_t>(m.body)].name;
    };
    out.push_back(fmt::format("{} ({} {}-{})", name, type, body(a), body(b)));
  };
  for (const Joint& j : model.joints) add(j.name, j.law->type(), j.a, j.b);
  for (const Contact& c : model.contacts) add(c.name, c.type, c.frame, c.point);
  return out;
}

void print(const Model& model, const Findings& findings) {
  const Equations& e = findings.equations;
  const auto& [start, rank, singular, massless, forward, servo] = findings.found;
  std::printf("%s\n", model.name.c_str());
  if (model.bodies.size() > 1) {
    const std::vector<Body> bodies(model.bodies.begin() + 1, model.bodies.end());
    print_line("bodies", join(bodies, [](const Body& b) { return b.name; }));
    print_line("joints", join(
                             joints_of(model), [](const std::string& text) { return text; }, 6));
  }
  if (!model.forces.empty()) {
    print_line("forces", join(model.forces, [](const Force& f) { return f.name; }));
  }
  if (!e.u.empty()) {
    print_line("inputs", join(e.u, [](Expr u) { return std::string(u.name()); }));
  }
  print_line("coordinates", join(findings.sizes, [&](const Size& s) {
               return s.set + ' ' + std::to_string(s.coordinates) +
                      (s.set == e.coordinates && findings.sizes.size() > 1 ? " (used here)" : "");
             }));
  print_line(
      "constraints",
      count(e.g.size(), "equation") +
          (e.num_a() == 0 ? "" : " of position, " + std::to_string(e.num_a()) + " of velocity") +
          ", " + std::to_string(rank.rank) + " independent");
  const std::size_t num_local = findings.local.size();
  print_line(
      "freedom",
      std::to_string(rank.degrees_of_freedom) +
          (num_local == 0 ? "" : "; " + std::to_string(num_local) + " of no effect on others:"));
  for (const LocalFreedom& local : findings.local) print_line("", local.text);
  print_line("index", describe_index(forward));
  if (servo) {
    print_line("servo index", describe_index(*servo) + (servo->num_free == 0
                                                            ? "; no internal dynamics"
                                                            : "; internal dynamics of order " +
                                                                  std::to_string(servo->num_free)));
  }
  if (findings.realization) {
    const Realization& r = *findings.realization;
    print_line("realisation",
               name_of(r.kind) + (": inputs act on " + std::to_string(r.rank) + " of " +
                                  std::to_string(r.num_outputs) + " outputs directly"));
  }
  if (!findings.no_degree.empty()) print_line("warning", findings.no_degree);
  print_line("start", start.text);
  if (rank.redundant.empty()) print_line("redundant", "none");
  for (const Redundancy& r : rank.redundant) print_line("redundant", r.text);
  if (!massless.empty()) {
    print_line("warning",
               "the mass matrix is singular along the motion of " +
                   join(massless, [](const std::string& name) { return name; }) +
                   ": no forward simulation is possible. Give it a mass or an inertia, or "
                   "constrain it.");
  }
  if (!singular.empty()) {
    print_line("warning", singular);
  } else if (rank.is_near_singular()) {
    print_line("warning", "the start is near a singular configuration, where the freedoms change.");
  }
  print(findings.structure);
  print(findings.analyses);
}

nlohmann::json json_of_findings(const Model& model, const Findings& findings) {
  const Equations& e = findings.equations;
  const auto& [start, rank, singular, massless, forward, servo] = findings.found;
  nlohmann::json out;
  out["model"] = model.name;
  out["coordinate_set"] = e.coordinates;
  out["coordinates"] = nlohmann::json::array();
  for (const Expr& q : e.q) out["coordinates"].push_back(q.name());
  out["constraints"] = nlohmann::json::array();
  for (std::size_t i = 0; i < e.num_g(); ++i) out["constraints"].push_back(e.rows[i].name);
  out["dof"] = rank.degrees_of_freedom;
  out["index"] = servo ? servo->index : forward.index;
  out["forward_index"] = forward.index;
  if (servo) out["internal_dynamics"] = servo->num_free;
  if (findings.realization) {
    out["realization"] = {{"kind", name_of(findings.realization->kind)},
                          {"rank", findings.realization->rank},
                          {"outputs", findings.realization->num_outputs}};
  }
  if (servo) out["no_relative_degree"] = findings.no_degree;
  out["massless"] = massless;
  out["local_freedoms"] = nlohmann::json::array();
  for (const LocalFreedom& local : findings.local) {
    out["local_freedoms"].push_back({{"bodies", local.bodies}, {"text", local.text}});
  }
  out["redundant"] = nlohmann::json::array();
  for (const Redundancy& r : rank.redundant) {
    for (const std::string& row : r.rows) out["redundant"].push_back(row);
  }
  out["singular_start"] = singular;
  for (const Size& s : findings.sizes) {
    out["sets"][s.set] = {{"coordinates", s.coordinates}, {"constraints", s.constraints}};
  }
  out["start"] = {{"assembled", static_cast<bool>(start)}, {"text", start.text}};
  for (std::size_t i = 0; i < e.q.size(); ++i) {
    out["start"]["q"][std::string(e.q[i].name())] = start.state.q[i];
  }
  for (std::size_t i = 0; i < e.v.size(); ++i) {
    out["start"]["v"][std::string(e.v[i].name())] = start.state.v[i];
  }
  add_to_json(findings.structure, out);
  add_to_json(findings.analyses, out);
  return out;
}

std::string text_of_json(const nlohmann::json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

struct CheckOptions {
  ModelOptions model;
  AnalysisRequest request;
  bool structure = false, json = false;

  static const OptionTable& options();
};

const OptionTable& CheckOptions::options() {
  using O = CheckOptions;
  static const OptionTable kOptions =
      within(&O::model) + within(&O::request) +
      OptionTable{{{.name = "structure",
                    .text = "Print the signature matrix and offsets of the equations, and the "
                            "initial values they need"},
                   &O::structure},
                  json_option(&O::json, "findings")};
  return kOptions;
}

void check(const CheckOptions& options) {
  const Model model = load(options.model);
  AnalysisRequest request = options.request;
  request.is_set_given = !options.model.coordinates.empty();
  Findings findings = look_at(model, coordinates_of(options.model, model), request);
  if (options.structure) {
    findings.structure = find_structure(findings.equations, findings.found);
  }
  if (options.json) {
    std::printf("%s\n", text_of_json(json_of_findings(model, findings)).c_str());
  } else {
    print(model, findings);
  }
  if (!findings.found.start) throw Error({findings.mistake});
  const std::optional<Analyses::Modes>& modes = findings.analyses.modes;
  if (modes && !modes->is_found) {
    throw Failure{ExitCode::kNumericsFailed, "no modes were found; see above."};
  }
}

}  // namespace

std::string check_json(const Model& model, const std::string& set, const AnalysisRequest& request) {
  return text_of_json(json_of_findings(model, look_at(model, set, request)));
}

Command check_command() {
  return CommandOf<check>::make("check",
                                "Show a model's parts, degrees of freedom, index and any faults",
                                "Example:\n  koppel check bricard --structure");
}

}  // namespace koppel::app

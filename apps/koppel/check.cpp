// koppel check: the mechanism doctor. What a model is made of, its freedoms, index, redundant
// constraints and consistent start, with reasons where something is wrong.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <koppel/analysis/examine.hpp>
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

struct Findings {
  Equations equations;
  std::vector<Size> sizes;  // of all coordinate sets
  Examination found;
};

Findings look_at(const Model& model, const std::string& set) {
  Findings findings;
  for (const std::string& name : coordinate_sets(model)) {
    Equations e = derive(model, name);
    findings.sizes.push_back({name, e.q.size(), e.g.size()});
    if (name == set) findings.equations = std::move(e);
  }
  if (findings.equations.graph == nullptr) findings.equations = derive(model, set);
  findings.found = examine(findings.equations);
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

// "1 equation", "3 equations"
std::string count(std::size_t n, const char* what) {
  return std::to_string(n) + ' ' + what + (n == 1 ? "" : "s");
}

// A label and text behind it, wrapped between words.
void print_line(const char* label, const std::string& text) {
  constexpr std::size_t kWidth = 80, kIndent = 15;
  std::printf("  %-12s", label);
  std::size_t column = kIndent - 1, begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    if (column >= kIndent && column + 1 + end - begin > kWidth) {
      std::printf("\n%*s", static_cast<int>(kIndent) - 1, "");
      column = kIndent - 1;
    }
    std::printf(" %s", text.substr(begin, end - begin).c_str());
    column += 1 + end - begin;
    begin = end + 1;
  }
  std::printf("\n");
}

std::string describe(const IndexReport& report) {
  if (report.index < 0) return "not found: " + report.problem;
  switch (report.evidence) {
    case IndexReport::Evidence::Structure: return std::to_string(report.index);
    case IndexReport::Evidence::Ranks:
      return std::to_string(report.index) + " (by ranks; the structure alone deceives)";
    default: return std::to_string(report.index) + " (by structure only: the start is singular)";
  }
}

void print(const Model& model, const Findings& findings) {
  const Equations& e = findings.equations;
  const auto& [start, rank, massless, forward, servo] = findings.found;
  std::printf("%s\n", model.name.c_str());
  if (model.bodies.size() > 1) {
    const std::vector<Body> bodies(model.bodies.begin() + 1, model.bodies.end());
    print_line("bodies", join(bodies, [](const Body& b) { return b.name; }));
    print_line("joints", join(
                             model.joints,
                             [&](const Joint& j) {
                               const auto name = [&](const Marker& m) {
                                 return model.bodies[static_cast<std::size_t>(m.body)].name;
                               };
                               return j.name + " (" + kind_name(j.kind) + ' ' + name(j.a) + '-' +
                                      name(j.b) + ')';
                             },
                             6));
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
          (e.mu.empty() ? "" : " of position, " + std::to_string(e.mu.size()) + " of velocity") +
          ", " + std::to_string(rank.rank) + " independent");
  print_line("freedom", std::to_string(rank.degrees_of_freedom));
  print_line("index", describe(forward));
  if (servo) {
    print_line("servo index",
               describe(*servo) + (servo->num_free == 0 ? "; no internal dynamics"
                                                        : "; internal dynamics of order " +
                                                              std::to_string(servo->num_free)));
  }
  print_line("start", start.text);
  if (rank.redundant.empty()) print_line("redundant", "none");
  for (const Redundancy& r : rank.redundant) print_line("redundant", r.text);
  if (!massless.empty()) {
    print_line("warning",
               "nothing has mass in the motion of " +
                   join(massless, [](const std::string& name) { return name; }) +
                   ": no forward simulation is possible. Give it a mass or an inertia, or "
                   "constrain it.");
  }
  if (rank.is_near_singular()) {
    print_line("warning", "the start is near a singular configuration, where the freedoms change.");
  }
}

nlohmann::json to_json(const Model& model, const Findings& findings) {
  const Equations& e = findings.equations;
  const auto& [start, rank, massless, forward, servo] = findings.found;
  nlohmann::json out;
  out["model"] = model.name;
  out["coordinate_set"] = e.coordinates;
  out["coordinates"] = nlohmann::json::array();
  for (const Expr& q : e.q) out["coordinates"].push_back(q.name());
  out["constraints"] = e.lambda;
  out["dof"] = rank.degrees_of_freedom;
  out["index"] = servo ? servo->index : forward.index;
  out["forward_index"] = forward.index;
  if (servo) out["internal_dynamics"] = servo->num_free;
  out["massless"] = massless;
  out["redundant"] = nlohmann::json::array();
  for (const Redundancy& r : rank.redundant) {
    for (const std::string& row : r.rows) out["redundant"].push_back(row);
  }
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
  return out;
}

void run(const ModelOptions& options, bool json) {
  const Model model = load(options);
  const Findings findings = look_at(model, coordinates_of(options, model));
  if (json) {
    std::printf("%s\n", to_json(model, findings).dump(2).c_str());
  } else {
    print(model, findings);
  }
  if (!findings.found.start) throw Error("assembly.impossible", findings.found.start.text);
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

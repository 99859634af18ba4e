#include <koppel/control/inverse_summary.hpp>

#include <algorithm>

#include <nlohmann/json.hpp>

#include <koppel/results/health_json.hpp>

namespace koppel {
namespace {

InputSummary summarize_input(const Trajectory& trajectory, std::size_t column) {
  InputSummary out;
  out.name = trajectory.columns()[column].name;
  const auto t = trajectory.time(), u = trajectory.column(column);
  const auto least = std::min_element(u.begin(), u.end()),
             most = std::max_element(u.begin(), u.end());
  out.min = *least;
  out.max = *most;
  out.at_min = t[static_cast<std::size_t>(least - u.begin())];
  out.at_max = t[static_cast<std::size_t>(most - u.begin())];
  return out;
}

nlohmann::ordered_json to_json(const std::vector<Excess>& excesses) {
  auto out = nlohmann::ordered_json::array();
  for (const Excess& e : excesses) {
    out.push_back({{"name", e.name},
                   {"from", e.from},
                   {"to", e.to},
                   {"bound", e.bound},
                   {"worst", e.worst},
                   {"at", e.at}});
  }
  return out;
}

nlohmann::ordered_json to_json(const Verification& v) {
  return {{"done", v.is_done},
          {"text", v.text},
          {"reached", v.reached},
          {"max_error", v.max_error},
          {"at", v.at},
          {"end_error", v.end_error},
          {"path_length", v.path_length},
          {"relative_error", v.relative_error},
          {"verified", v.is_verified},
          {"bound", v.bound},
          {"growth", v.growth}};
}

}  // namespace

void describe(const Trajectory& trajectory, const Equations& e, InverseSummary& s) {
  s.samples = trajectory.num_rows();
  s.inputs.clear();
  s.final.clear();
  if (trajectory.empty()) return;
  s.begun = trajectory.time().front();
  s.reached = trajectory.time().back();
  for (std::size_t i = 1; i < trajectory.num_columns(); ++i) {
    const Column& column = trajectory.columns()[i];
    if (column.group != Group::Outputs && column.group != Group::Inputs) continue;
    s.final.emplace_back(column.name, trajectory.column(i).back());
    if (column.group != Group::Inputs) continue;
    InputSummary input = summarize_input(trajectory, i);
    const std::size_t n = s.inputs.size();
    input.lower_limit = e.about.u[n].min;
    input.upper_limit = e.about.u[n].max;
    s.inputs.push_back(std::move(input));
  }
  s.limit_violations = find_limit_violations(e, trajectory);
  s.pushing_cables = find_pushing_cables(e, trajectory);
}

// Numbers that are not finite become null.
std::string to_json(const InverseSummary& s) {
  nlohmann::ordered_json out;
  out["model"] = s.model;
  out["status"] = s.status;
  out["health"] = json_of(s.health);
  out["start"] = s.start;
  out["end"] = s.end;
  out["begun"] = s.begun;
  out["reached"] = s.reached;
  out["dof"] = s.dof;
  out["index"] = s.index;
  out["internal_dynamics"] = s.internal_dynamics;
  out["internal_eigenvalues"] = nlohmann::ordered_json::array();
  for (const auto& e : s.internal_eigenvalues) {
    out["internal_eigenvalues"].push_back({e.real(), e.imag()});
  }
  out["coordinates"] = s.coordinates;
  out["method"] = s.method;
  out["integrator"] = s.integrator;
  out["choice"] = s.choice;
  out["step"] = s.step > 0 ? nlohmann::ordered_json(s.step) : nlohmann::ordered_json();
  out["order"] = s.order;
  out["steps"] = s.steps;
  out["setup_seconds"] = s.setup_seconds;
  out["wall_seconds"] = s.wall_seconds;
  out["max_residual"] = s.max_residual;
  out["relative_residual"] = s.relative_residual;
  out["max_servo_error"] = s.max_servo_error;
  out["max_position_violation"] = s.max_position_violation;
  out["max_velocity_violation"] = s.max_velocity_violation;
  out["samples"] = s.samples;
  out["inputs"] = nlohmann::ordered_json::object();
  for (const InputSummary& input : s.inputs) {
    out["inputs"][input.name] = {{"min", input.min},
                                 {"at_min", input.at_min},
                                 {"max", input.max},
                                 {"at_max", input.at_max},
                                 {"max_abs", std::max(std::abs(input.min), std::abs(input.max))},
                                 {"lower_limit", input.lower_limit},
                                 {"upper_limit", input.upper_limit}};
  }
  out["limit_violations"] = to_json(s.limit_violations);
  out["pushing_cables"] = to_json(s.pushing_cables);
  out["unavoidable_violations"] = to_json(s.unavoidable);
  if (s.verification) {
    out["verification"] = to_json(*s.verification);
  }
  if (!s.robustness.empty()) {
    nlohmann::ordered_json cases = nlohmann::ordered_json::array();
    for (const RobustnessCase& c : s.robustness) {
      cases.push_back({{"case", to_text(c.disturbance)},
                       {"open_loop", to_json(c.open)},
                       {"closed_loop", to_json(c.closed)}});
    }
    out["feedback"] = {{"kind", s.feedback}, {"cases", cases}};
  }
  out["messages"] = s.messages;
  out["final"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : s.final) out["final"][name] = value;
  out["files"] = s.files;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace koppel

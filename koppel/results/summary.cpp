#include <koppel/results/summary.hpp>

#include <nlohmann/json.hpp>

#include <koppel/results/health_json.hpp>

namespace koppel {

void describe(const Trajectory& trajectory, Summary& summary) {
  summary.samples = trajectory.num_rows();
  summary.final.clear();
  summary.statistics.clear();
  if (trajectory.empty()) return;
  summary.reached = trajectory.time().back();
  for (std::size_t i = 1; i < trajectory.num_columns(); ++i) {
    const Column& column = trajectory.columns()[i];
    const bool is_output = column.group == Group::Outputs;
    if (is_output) summary.final.emplace_back(column.name, trajectory.column(i).back());
    if (is_output || column.group == Group::Energy || column.group == Group::Constraints) {
      summary.statistics.emplace_back(column.name, trajectory.statistics(i));
    }
  }
}

// Numbers that are not finite become null.
std::string to_json(const Summary& s) {
  nlohmann::ordered_json out;
  out["model"] = s.model;
  out["status"] = s.status;
  out["health"] = json_of(s.health);
  out["end"] = s.end;
  out["reached"] = s.reached;
  out["dof"] = s.dof;
  out["index"] = s.index;
  out["coordinates"] = s.coordinates;
  out["formulation"] = s.formulation;
  out["projection"] = s.projection;
  out["integrator"] = s.integrator;
  out["choice"] = s.choice;
  out["tolerance"] = s.tolerance;
  out["step"] = s.step > 0 ? nlohmann::ordered_json(s.step) : nlohmann::ordered_json();
  out["order"] = s.order;
  out["steps"] = s.steps;
  out["rejected"] = s.rejected;
  out["evaluations"] = s.evaluations;
  out["jacobians"] = s.jacobians;
  out["factorizations"] = s.factorizations;
  out["iterations"] = s.iterations;
  out["native"] = {{"asked", s.native.asked},
                   {"taken", s.native.taken},
                   {"why", s.native.why},
                   {"operations",
                    {{"jit", s.native.generated},
                     {"cc", s.native.compiled},
                     {"interpreter", s.native.interpreted}}}};
  out["setup_seconds"] = s.setup_seconds;
  out["wall_seconds"] = s.wall_seconds;
  out["max_position_violation"] = s.max_position_violation;
  out["max_velocity_violation"] = s.max_velocity_violation;
  out["max_position_violation_between"] = s.max_position_violation_between;
  out["max_velocity_violation_between"] = s.max_velocity_violation_between;
  out["energy_drift"] = s.energy_drift;
  out["is_conservative"] = s.is_conservative;
  out["samples"] = s.samples;
  out["redundant"] = s.redundant;
  out["messages"] = s.messages;
  out["events"] = nlohmann::ordered_json::array();
  for (const Summary::Event& event : s.events) {
    out["events"].push_back({{"name", event.name}, {"t", event.t}});
  }
  out["singular_passages"] = nlohmann::ordered_json::array();
  for (const Summary::Passage& passage : s.singular_passages) {
    out["singular_passages"].push_back({{"t", passage.t}, {"constraints", passage.constraints}});
  }
  out["final"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : s.final) out["final"][name] = value;
  out["statistics"] = nlohmann::ordered_json::object();
  for (const auto& [name, of] : s.statistics) {
    out["statistics"][name] = {
        {"min", of.min}, {"max", of.max}, {"rms", of.rms}, {"final", of.final}};
  }
  out["files"] = s.files;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace koppel

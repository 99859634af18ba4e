#include <cmath>
#include <nlohmann/json.hpp>

#include <koppel/live/live.hpp>

namespace koppel {
namespace {

const char* name_of(LiveResult::Status status) {
  switch (status) {
    case LiveResult::Status::Done: return "done";
    case LiveResult::Status::Doubtful: return "doubtful";
    case LiveResult::Status::Stopped: return "stopped";
    case LiveResult::Status::Late: return "late";
    case LiveResult::Status::Failed: return "failed";
  }
  return "";
}

nlohmann::ordered_json of(const Durations& d) {
  return {{"median", d.median()}, {"p99_9", d.quantile(0.999)}, {"max", d.max()}};
}

}  // namespace

// Numbers that are not finite become null.
std::string to_json(const LiveResult& r, const std::string& model) {
  nlohmann::ordered_json out;
  out["model"] = model;
  out["status"] = name_of(r.status);
  out["health"] = name_of(r.health.state);
  out["coordinates"] = r.info.choice.coordinates;
  out["formulation"] = r.info.choice.formulation.text();
  out["integrator"] = r.info.choice.integrator.text();
  out["inputs"] = r.info.ports.inputs;
  out["outputs"] = r.info.ports.outputs;
  out["scheduling"] = r.info.scheduling;
  out["step"] = r.h;
  out["period"] = r.period;
  out["reached"] = r.reached;
  out["steps"] = r.steps;
  out["setup_seconds"] = r.info.setup_seconds;
  out["wall_seconds"] = r.wall_seconds;
  out["missed"] = r.missed;
  out["latest"] = r.latest;
  out["slipped"] = r.slipped;
  out["step_seconds"] = of(r.step);
  out["wake_seconds"] = of(r.wake);
  out["rows"] = r.rows;
  out["rows_left_out"] = r.rows_left_out;
  out["max_position_violation"] = r.max_position_violation;
  out["max_velocity_violation"] = r.max_velocity_violation;
  out["messages"] = r.notes;
  out["final"] = nlohmann::ordered_json::object();
  for (const auto& [name, value] : r.final) out["final"][name] = value;
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace koppel

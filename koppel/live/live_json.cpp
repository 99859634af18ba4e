#include <koppel/live/live_fields.hpp>

#include <koppel/results/value_json.hpp>

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

}  // namespace

const ResultTable& result_fields(const Durations* /*of*/) {
  using D = Durations;
  static const ResultTable kFields = {
      field<[](const D& d) { return d.median(); }>("median", "the median", "s"),
      field<[](const D& d) { return d.quantile(0.999); }>("p99_9", "999 of 1000 are shorter", "s"),
      field<[](const D& d) { return d.max(); }>("max", "the longest", "s")};
  return kFields;
}

const ResultTable& result_fields(const LiveSummary* /*of*/) {
  using S = LiveSummary;
  static const ResultTable kFields = {
      field<&S::model>("model", "the model"),
      field<[](const S& s) { return name_of(s.result->status); }>(
          "status",
          "'done', 'doubtful', 'stopped' (interrupted), 'late' (with `late = stop`) or 'failed'"),
      field<[](const S& s) { return koppel::name_of(s.result->health.state); }>(
          "health", "'good', 'doubtful', 'failed' or 'unwatched'"),
      field<[](const S& s) { return s.result->info.choice.coordinates; }>(
          "coordinates", "the coordinates of the equations"),
      field<[](const S& s) { return s.result->info.choice.formulation.text(); }>(
          "formulation", "the form of the equations"),
      field<[](const S& s) { return s.result->info.choice.integrator.text(); }>(
          "integrator", "the fixed-cost step"),
      field<[](const S& s) { return s.result->info.ports.inputs; }>("inputs", "by name"),
      field<[](const S& s) { return s.result->info.ports.outputs; }>("outputs", "by name"),
      field<[](const S& s) { return s.result->info.scheduling; }>(
          "scheduling", "with `realtime`; empty: as usual"),
      field<[](const S& s) { return s.result->h; }>("step", "of the motion", "s"),
      field<[](const S& s) { return s.result->period; }>("period", "of the clock; 0: none", "s"),
      field<[](const S& s) { return s.result->reached; }>("reached", "the time reached", "s"),
      field<[](const S& s) { return s.result->steps; }>("steps", "how many"),
      field<[](const S& s) { return s.result->info.setup_seconds; }>(
          "setup_seconds", "derivation, analysis, compilation", "s"),
      field<[](const S& s) { return s.result->wall_seconds; }>("wall_seconds", "the loop", "s"),
      field<[](const S& s) { return s.result->missed; }>("missed", "deadlines"),
      field<[](const S& s) { return s.result->latest; }>(
          "latest", "the largest delay behind a deadline", "s"),
      field<[](const S& s) { return s.result->slipped; }>(
          "slipped", "by which the schedule was moved in all", "s"),
      field<[](const S& s) { return s.result->step; }>("step_seconds",
                                                       "from reading inputs to outputs written"),
      field<[](const S& s) { return s.result->wake; }>("wake_seconds",
                                                       "from the release to reading inputs"),
      field<[](const S& s) { return s.result->rows; }>("rows", "that were written"),
      field<[](const S& s) { return s.result->rows_left_out; }>("rows_left_out",
                                                                "for which there was no time"),
      field<[](const S& s) { return s.result->max_position_violation; }>(
          "max_position_violation", "the largest of $\\lvert g\\rvert$ over all rows"),
      field<[](const S& s) { return s.result->max_velocity_violation; }>(
          "max_velocity_violation",
          "the largest of $\\lvert\\dot g\\rvert$ and $\\lvert a v + b\\rvert$ over all rows"),
      field<[](const S& s) { return s.result->notes; }>("messages", "notes and warnings"),
      field<[](const S& s) { return s.result->final; }>("final", "the outputs in the last row")};
  return kFields;
}

std::string to_json(const LiveResult& result, const std::string& model) {
  return to_json(value_of(LiveSummary{model, &result}));
}

}  // namespace koppel

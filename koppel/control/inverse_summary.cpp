#include <koppel/control/inverse_summary.hpp>

#include <algorithm>

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

}  // namespace koppel

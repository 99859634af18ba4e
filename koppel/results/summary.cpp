#include <koppel/results/summary.hpp>

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

}  // namespace koppel

#include "benchmarks/validation/servo_runs.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>

#include <fmt/format.h>

#include <koppel/model/yaml/read_model.hpp>

namespace koppel::problems {

using benchmarks::Figure;
using benchmarks::Line;

Model Crane::read() const {
  const std::string path = fmt::format("{}/models/{}.yaml", KOPPEL_SOURCE, model);
  if (constraint.first.empty()) return read_model(path, {.set = set});
  std::ifstream file(path);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("  " + constraint.first + ": {value:")) {
      line = fmt::format("  {}: \"{}\"", constraint.first, constraint.second);
    }
    text += line + '\n';
  }
  return read_model_text(text, path, {.set = set});
}

std::string Crane::command(const std::string& method, double step) const {
  std::string out = fmt::format("`koppel inverse {}", model);
  for (const auto& [name, value] : set) out += fmt::format(" --set {}={}", name, value);
  if (*coordinates != '\0') out += fmt::format(" --coordinates {}", coordinates);
  out += " --method " + method;
  if (step > 0) out += fmt::format(" --step {:g}", step);
  out += "`";
  if (!constraint.first.empty()) {
    out += fmt::format(" with the constraint `{}: {}`", constraint.first, constraint.second);
  }
  return out;
}

Inverse solve(const Crane& crane, const std::string& method, double step) {
  const Model model = crane.read();
  InverseOptions options = inverse_options_of(model);
  options.method = method;
  options.across_jumps = true;
  if (*crane.coordinates != '\0') options.coordinates = crane.coordinates;
  if (step > 0) {
    options.step = step;
    options.sampling.count = static_cast<int>(std::lround(options.end / step)) + 1;
  }
  return inverse(model, options);
}

double largest_error(const Trajectory& a, const Trajectory& b, const std::string& name) {
  const std::size_t count = std::min(a.num_rows(), b.num_rows());
  double largest = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    if (std::abs(a.time()[a.num_rows() - i] - b.time()[b.num_rows() - i]) > 1e-9) continue;
    largest = std::max(largest, std::abs(a[name][a.num_rows() - i] - b[name][b.num_rows() - i]));
  }
  return largest;
}

std::string errors_text(const Trajectory& exact, const Trajectory& stepped,
                        const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) {
    out += (out.empty() ? "" : ", ") + fmt::format("{:.6g}", largest_error(exact, stepped, name));
  }
  return out;
}

Line line_of(const std::string& name, const Trajectory& trajectory, const std::string& column) {
  const auto t = trajectory.time(), y = trajectory[column];
  return {name, {t.begin(), t.end()}, {y.begin(), y.end()}};
}

void add_exact(Figure& figure, const Trajectory& trajectory,
               const std::vector<std::string>& columns) {
  for (const std::string& column : columns) {
    const bool is_multiplier = column.starts_with("lambda.");
    figure.lines.push_back(
        line_of(is_multiplier ? "λ " + column.substr(7) : column, trajectory, column));
  }
}

void add_stepped(Figure& figure, const Trajectory& trajectory,
                 const std::vector<std::string>& columns, const std::string& name, bool is_dotted) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Line line = line_of(i == 0 ? name : "", trajectory, columns[i]);
    line.is_dashed = true;
    line.is_dotted = is_dotted;
    line.colour = static_cast<int>(i);
    figure.lines.push_back(std::move(line));
  }
}

std::vector<std::string> names_with(const Trajectory& trajectory, const std::string& prefix) {
  std::vector<std::string> out;
  for (const Column& column : trajectory.columns()) {
    if (column.name.starts_with(prefix)) out.push_back(column.name);
  }
  return out;
}

}  // namespace koppel::problems

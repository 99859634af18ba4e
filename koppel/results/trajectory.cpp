#include <koppel/results/trajectory.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <unordered_set>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>

namespace koppel {

std::string_view name_of(Group group) {
  switch (group) {
    case Group::Time: return "time";
    case Group::Outputs: return "outputs";
    case Group::Inputs: return "inputs";
    case Group::Coordinates: return "coordinates";
    case Group::Velocities: return "velocities";
    case Group::States: return "states";
    case Group::Multipliers: return "multipliers";
    case Group::Reactions: return "reactions";
    case Group::Energy: return "energy";
    case Group::Constraints: return "constraints";
    case Group::Derivatives: return "derivatives";
    case Group::Work: return "work";
  }
  return "";
}

Trajectory::Trajectory(std::vector<Column> columns)
    : columns_(std::move(columns)), values_(columns_.size()) {
  std::unordered_set<std::string_view> names;
  for (const Column& column : columns_) {
    if (names.insert(column.name).second) continue;
    throw Error("results.duplicate-column", "two columns are named '" + column.name + "'.",
                "Rename one of the outputs.");
  }
}

void Trajectory::append(std::span<const double> row) {
  assert(row.size() == columns_.size());
  for (std::size_t i = 0; i < row.size(); ++i) values_[i].push_back(row[i]);
}

void Trajectory::reserve(std::size_t num_rows) {
  for (std::vector<double>& column : values_) column.reserve(num_rows);
}

void Trajectory::keep_first(std::size_t num_rows) {
  if (num_rows >= this->num_rows()) return;
  for (std::vector<double>& column : values_) column.resize(num_rows);
}

int Trajectory::find(std::string_view name) const {
  const auto found = std::find_if(columns_.begin(), columns_.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

std::span<const double> Trajectory::operator[](std::string_view name) const {
  if (const int index = find(name); index >= 0) return column(static_cast<std::size_t>(index));
  std::vector<std::string> names;
  for (const Column& column : columns_) names.push_back(column.name);
  const std::string meant = suggest(name, names);
  throw Error("results.unknown-column", "there is no column '" + std::string(name) + "'.",
              meant.empty() ? "" : "Did you mean '" + meant + "'?");
}

ColumnStatistics Trajectory::statistics(std::size_t index) const {
  ColumnStatistics out;
  const std::vector<double>& values = values_[index];
  const std::vector<double>& t = values_[0];
  if (values.empty()) return out;
  out.min = std::numeric_limits<double>::infinity();
  out.max = -out.min;
  double integral = 0, duration = 0, largest = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) {
      ++out.num_undefined;
      continue;
    }
    out.min = std::min(out.min, value);
    out.max = std::max(out.max, value);
    largest = std::max(largest, std::abs(value));
  }
  out.final = values.back();
  if (out.num_undefined == values.size()) {
    out.min = out.max = out.rms = std::numeric_limits<double>::quiet_NaN();
    return out;
  }
  // Squares of values over the largest cannot overflow.
  const auto square = [&](double value) { return (value / largest) * (value / largest); };
  for (std::size_t i = 1; i < values.size() && largest > 0; ++i) {
    if (!std::isfinite(values[i - 1]) || !std::isfinite(values[i])) continue;
    const double h = t[i] - t[i - 1];
    integral += 0.5 * h * (square(values[i - 1]) + square(values[i]));
    duration += h;
  }
  out.rms = duration > 0 ? largest * std::sqrt(integral / duration) : largest;
  return out;
}

std::vector<std::size_t> thin_evenly(std::size_t count, std::size_t most) {
  std::vector<std::size_t> rows(std::min(count, std::max<std::size_t>(most, 2)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i] = rows.size() == count ? i : (i * (count - 1)) / (rows.size() - 1);
  }
  return rows;
}

}  // namespace koppel

// Trajectory: named columns over time. The first column is the time; rows are appended in its
// order. Knows nothing of how it was made.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace koppel {

// What a column is about; files and pages list the groups in this order.
enum class Group {
  Time,
  Outputs,
  Inputs,
  Coordinates,
  Velocities,
  States,
  Multipliers,
  Reactions,
  Energy,
  Constraints,
  Derivatives,
  Work,  // of comparisons: seconds of a method
};
std::string_view name_of(Group group);  // "time", "outputs", …

struct Column {
  std::string name;
  std::string unit;  // empty: none, or not known
  Group group = Group::Outputs;
};

// Values that are not finite are left out of the first three.
struct ColumnStatistics {
  double min = 0, max = 0;
  double rms = 0;                 // √(1/T ∫ value² dt), by the trapezoidal rule
  double final = 0;               // in the last row; may not be finite
  std::size_t num_undefined = 0;  // values that are not finite
};

class Trajectory {
 public:
  Trajectory() = default;
  // Names must differ: Error `results.duplicate-column`. The first column is the time.
  explicit Trajectory(std::vector<Column> columns);

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t num_columns() const { return columns_.size(); }
  std::size_t num_rows() const { return values_.empty() ? 0 : values_[0].size(); }
  bool empty() const { return num_rows() == 0; }

  void append(std::span<const double> row);
  void reserve(std::size_t num_rows);
  void keep_first(std::size_t num_rows);

  // −1: none.
  int find(std::string_view name) const;
  // By name; Error `results.unknown-column`, with a suggestion.
  std::span<const double> operator[](std::string_view name) const;
  std::span<const double> column(std::size_t index) const { return values_[index]; }
  std::span<const double> time() const { return values_[0]; }

  ColumnStatistics statistics(std::size_t column) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<double>> values_;  // by column
};

// Which of `count` rows to show where at most `most` are wanted: evenly, first and last included.
std::vector<std::size_t> thin_evenly(std::size_t count, std::size_t most);

}  // namespace koppel

// Rows of variants that stepped together, and what they are made of.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <koppel/study/sweep.hpp>

namespace koppel {

// A quantity of a variant at the start and at the end, and over the ends of all steps. Means and
// integrals are by the trapezoidal rule, which counts both ends by half.
struct Course {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double first = kNone, last = kNone, low = kNone, high = kNone, mean = kNone;
};
double value_of(const Criterion& criterion, const Course& of, std::uint64_t steps, double step);
// Whether it needs the quantity at the start.
inline bool needs_first(const Criterion& criterion) { return criterion.reduction != Reduce::Final; }

class BatchRows {
 public:
  // The criteria are kept as they are given.
  BatchRows(std::size_t count, std::span<const Criterion> criteria)
      : criteria_(criteria), values_(count * criteria.size()), marks_(count, Mark::Done) {}

  std::size_t size() const { return marks_.size(); }
  // Of the criteria. Rows may be filled by several threads, each with its own.
  std::span<double> values(std::size_t row) {
    return std::span(values_).subspan(row * criteria_.size(), criteria_.size());
  }
  // When its values are there: a row that was not refused is done if all of them are finite, and
  // has failed if none is; else those that are count.
  void finish(std::size_t row, bool has_failed);
  bool is_done(std::size_t row) const { return marks_[row] <= Mark::PartlyFinite; }
  // A variant that is done and should not be trusted. By one thread.
  void doubt(std::size_t row, std::string reason);
  // A variant that cannot begin or stopped, with the first reason that comes. By one thread.
  void refuse(std::size_t row, std::string id, std::string reason);

  void get(std::size_t row, SweepRow& out) const;

 private:
  enum class Mark : std::uint8_t { Done, PartlyFinite, Doubtful, NotFinite, Refused };

  std::span<const Criterion> criteria_;
  std::vector<double> values_;
  std::vector<Mark> marks_;
  std::map<std::size_t, std::pair<std::string, std::string>> reasons_;  // with ids
};

}  // namespace koppel

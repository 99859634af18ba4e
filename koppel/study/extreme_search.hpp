// The largest and smallest values of outputs over a run, looked for step by step. For sources of
// this folder only.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace koppel {

// An output, by its place.
struct Extreme {
  std::size_t output;
  bool is_largest;
};

class ExtremeSearch {
 public:
  explicit ExtremeSearch(std::vector<Extreme> asked) : asked_(std::move(asked)) {}

  // The value of an output at a time within the step.
  using Value = std::function<double(double t, std::size_t output)>;
  // Called where one is found that goes beyond those before.
  using Found = std::function<void(std::size_t which, double t)>;

  void begin(double t, std::span<const double> values);
  // Extremes are where the rate of an output passes through zero, or at the ends of the step; only
  // there where nothing is known between them.
  void look(double t0, double t1, bool at_ends_only, const Value& value, const Found& found = {});

  bool is_empty() const { return asked_.empty(); }
  const std::vector<double>& times() const { return times_; }
  const std::vector<double>& values() const { return values_; }

 private:
  std::vector<Extreme> asked_;
  std::vector<double> times_, values_;
};

}  // namespace koppel

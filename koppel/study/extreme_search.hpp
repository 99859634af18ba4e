// The largest and smallest values of outputs over a run, looked for step by step. For sources of
// this folder only.
//
// Such a value is where the rate of the output passes through zero, or a limit at one of the ends
// of a stretch of the motion: the start, the end, an event, a switch. Where the rate is zero the
// value changes with parameters as it does at a time that stays; at the end of a stretch whose time
// moves, it moves with that.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace koppel {

// An output, by its place.
struct Extreme {
  std::size_t output;
  bool is_largest;
};

// Where it was found.
struct ExtremePlace {
  std::size_t stretch = 0;  // between events, counted from 0
  double t = 0;
  bool is_before = false;  // the limit from before t, otherwise that from after it
};

class ExtremeSearch {
 public:
  explicit ExtremeSearch(std::vector<Extreme> asked) : asked_(std::move(asked)) {}

  // All outputs at the state of a time within the step. The clock is the same time, at an end of
  // the step the number next to it inside: outputs may jump there.
  using Values = std::function<std::span<const double>(double t, double clock)>;
  // Called where one is found that goes beyond those before, after its values were asked for.
  using Found = std::function<void(std::size_t which)>;

  void begin(double t, std::span<const double> values);
  // Only the ends are looked at where nothing is known between them. Where outputs do more than the
  // motion, which steps follow, a step is looked at in halves of halves.
  void look(double t0, double t1, bool at_ends_only, const Values& values, const Found& found = {});
  void begin_stretch() { ++stretch_; }
  std::size_t stretch() const { return stretch_; }

  bool is_empty() const { return asked_.empty(); }
  const std::vector<ExtremePlace>& places() const { return places_; }
  const std::vector<double>& values() const { return values_; }

 private:
  static constexpr int kParts = 16;  // of a step
  struct Within;

  void look_within(const Within& step, int depth);
  bool is_resolved(std::size_t which, const Within& step) const;
  void refine(std::size_t which, const Within& step);
  void offer(std::size_t which, double t, bool is_stationary, const Within& step);

  std::vector<Extreme> asked_;
  std::vector<ExtremePlace> places_;
  std::vector<double> values_;
  std::vector<bool> is_stationary_;
  std::vector<std::array<double, kParts + 1>> samples_;  // of each in the present step
  std::size_t stretch_ = 0;
};

}  // namespace koppel

// StateTape: the states of a run at the ends of its steps, for those who go through it again,
// forwards or backwards. Where they would take too much memory only every k-th is kept, k a power
// of 2 that grows as the run goes on, and those between are computed again when they are needed:
// one more integration, with memory for the states kept and for k others [Griewank & Walther 2008,
// section 12.2]. With at most 2k states kept, k² ≤ N < 2k² for N steps, and both together are at
// most 3 √N states.
//
// Numbers of the expansions that steps follow may be kept as well, in half of the memory for all
// states and until these need it: who has them need not expand again.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include <koppel/study/step_map.hpp>
#include <koppel/study/step_times.hpp>

namespace koppel {

class StateTape {
 public:
  // Of states of `size` numbers. All are kept while they are at most `most` numbers.
  explicit StateTape(std::size_t size, std::size_t most = kMost) : size_(size), most_(most) {}
  static constexpr std::size_t kMost = std::size_t{1} << 24;  // 128 MiB

  // The end of a step, and the expansion that led there.
  void push(double t, std::span<const double> y, std::span<const double> expansion = {});
  bool keeps_expansions() const { return stride_ == 1; }
  std::size_t num_nodes() const { return t_.size(); }
  double t(std::size_t node) const { return t_[node]; }
  std::size_t stride() const { return stride_; }
  // What it has in memory while it is gone through: states kept, states between, times.
  std::size_t bytes() const;

  // Every step in order, or against it. False where `visit` says so or a step cannot be taken
  // again.
  using Visit = std::function<bool(std::size_t step, const StepMap::At& at)>;
  bool forwards(const StepMap& map, std::span<const double> given, const Visit& visit) const;
  bool backwards(const StepMap& map, std::span<const double> given, const Visit& visit) const;
  // The state at the last node.
  std::span<const double> back() const { return last_; }
  std::span<const double> front() const { return {kept_.data(), size_}; }

 private:
  struct Between;
  std::span<const double> expansion_of(std::size_t step) const;
  bool visit_block(std::size_t block, bool backwards, Between& between, const Visit& visit) const;

  std::size_t size_, most_, stride_ = 1;
  StepTimes t_;
  std::vector<double> kept_, last_;
  std::vector<double> expansions_;
  std::vector<std::size_t> expansion_ends_;  // by step
};

}  // namespace koppel

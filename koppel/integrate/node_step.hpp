// A step between two nodes, for integrators whose solution is known at nodes only. Between them, y
// is the cubic through values and rates at both ends, with multipliers that follow from the state;
// where a problem has no rates, the straight line. Rates are computed when a value within the step
// is first asked for.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/integrate/segment.hpp>

namespace koppel {

class NodeStep : public Step {
 public:
  // `has_mean_multipliers`: what y has as multipliers at the end of a step are means over it. Then
  // those at nodes follow from the state too, where rates are known.
  NodeStep(const Problem& problem, const Outcome& start, bool has_mean_multipliers);

  // The end of the step before becomes the start of the next.
  void begin(double t_start);
  // Sets the end.
  void end(double t_end, std::span<const double> y);
  std::span<const double> y0() const { return node0_.y; }

  void evaluate(double t, std::span<double> y) const override;
  int order() const override { return 2; }  // of the nodes
  // y at the end, into the outcome, with multipliers of the state there.
  void finish(std::span<double> y) const { evaluate(t1, y); }

  // Accelerations at the start of the first step; false where there are none.
  bool accelerations(double t, std::span<const double> y, std::span<double> v_rate) const;
  // y a time dt later, by the rates found last.
  void move(double dt, std::span<double> y) const;

 private:
  struct Node {
    std::vector<double> y, rate;
    bool is_solved = false, has_rate = false;
  };
  // Rates and multipliers at a node, once.
  void solve(double t, Node& node) const;
  void read_multipliers(std::span<double> y) const;

  const Problem& problem_;
  const RightHandSide* rates_;
  mutable std::optional<RightHandSide::Workspace> work_;
  bool has_mean_multipliers_;
  std::size_t num_differential_, num_multipliers_;
  mutable Node node0_, node1_;
  mutable std::vector<double> rate_;
};

}  // namespace koppel

// The rows of an inverse solution as states x_d and inputs u_d of the mechanism.
#pragma once

#include <span>
#include <vector>

#include <koppel/control/motion/computed_motion.hpp>

namespace koppel {

// Keeps references to the solution.
class PrescribedMotion {
 public:
  PrescribedMotion(const ComputedMotion& motion, const State& start)
      : trajectory_(motion.trajectory), equations_(motion.equations), start_(start) {
    columns_ = motion.observation->columns_of_q();
    for (std::size_t i = 0; i < start.v.size() + start.x.size(); ++i) {
      columns_.push_back(motion.observation->first_velocity() + i);
    }
    for (std::size_t i = 0; i < equations_.u.size(); ++i) {
      columns_.push_back(motion.observation->first_input() + i);
    }
  }

  std::size_t num_x() const { return columns_.size() - equations_.u.size(); }
  std::span<const double> time() const { return trajectory_.time(); }
  // Of x, then of u.
  std::span<const double> column(std::size_t i) const { return trajectory_.column(columns_[i]); }
  State at(std::size_t row) const {
    State state = start_;
    state.t = time()[row];
    std::size_t i = 0;
    state.u.resize(equations_.u.size());
    for (auto* part : {&state.q, &state.v, &state.x, &state.u}) {
      for (double& value : *part) value = column(i++)[row];
    }
    return state;
  }

 private:
  const Trajectory& trajectory_;
  const Equations& equations_;
  State start_;
  std::vector<std::size_t> columns_;
};

}  // namespace koppel

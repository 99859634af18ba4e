// How well a run follows the signals of a model's trackings.
//
// A *hold* is a time of at least 0.1 s in which the target stays within a hundredth of all its way.
// At its start the difference d₀ is to be gone along u = d₀/|d₀|; where that is at least a tenth of
// the way of the target,
//
//   overshoot   the largest −d·u/|d₀| in the hold,
//   left        the largest |d| at the end of a hold.
//
// Noise of the signal below a hundredth of its way is in both. The target of an orientation is told
// as what is left to turn, which does not hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

struct Following {
  std::string name;       // of the tracking
  std::string unit = {};  // of differences: m, rad; empty: not known
  int holds = 0;
  std::optional<double> overshoot = {};  // part of the jump; none without a jump and a hold
  std::optional<double> left = {};       // at the end of holds
  double off = 0;                        // |d|, root of the mean square
  double force = 0;                      // the largest
  double fastest = 0;                    // the largest rate
  double roughest = 0;                   // the largest change of the rate in a step
};

// Of a run with rows at every step, of a model with show_following(): the one that has the
// tracking, or another way to follow it.
Following judge_following(const Trajectory& run, const Tracking& tracking);

// The effective mass of each tracking at the assembled start: 1 over the mean effect of a unit of
// force on the rates.
std::vector<double> effective_masses(const Model& model, const std::string& coordinates);

}  // namespace koppel

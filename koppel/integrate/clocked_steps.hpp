// When fixed-cost steps end: equal steps by the clock. After an event, which may be at any time,
// they return to the clock at the tick where the step would have ended that the event cut short.
// Where less than half a step is left until then, they return at the tick after it, in two equal
// steps: none is longer than others, none shorter than half of them. Only where the run ends at
// that tick, its last step is as short as it must be.
#pragma once

#include <optional>

namespace koppel {

// Of a step: shorter ones, which events leave, are not taken. What a step does to meet the
// constraints is a motion in its time, and disturbs the velocities where that is next to nothing.
inline constexpr double kShortestStep = 1e-6;

class ClockedSteps {
 public:
  // From t to t_end, in steps no longer than `wanted`.
  ClockedSteps(double t, std::optional<double> tick, double t_end, double wanted);

  long count() const { return count_; }
  double h() const { return h_; }
  // Of the k-th, from 1 on.
  double length(long k) const { return k <= num_first_ ? h_first_ : h_; }
  double end(long k) const;
  // The part of a change of t by which the end of the k-th moves: ticks stay.
  double moves(long k) const;

 private:
  double t_, t_clock_, t_end_;      // the start, where the clock is met, the end
  long num_first_ = 0, count_ = 0;  // before the clock, and all
  double h_first_ = 0, h_ = 0;      // their lengths
};

}  // namespace koppel

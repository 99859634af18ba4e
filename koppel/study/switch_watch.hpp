// What is watched in the steps of runs whose laws switch (pieces.hpp): switches and cuts of angles
// that are led over. For sources of this folder only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/simulate/angle_jumps.hpp>
#include <koppel/study/pieces.hpp>

namespace koppel {

// Switches that a step leads over and back: events look at some places of it only. Where arguments
// come nearest to zero their distance is followed to its least value (integrate/dip.hpp).
class MissedSwitches {
 public:
  MissedSwitches(const Equations& equations, const Integrator& integrator);
  // (q, v, x) at a time of the step, with the parameters and sides that hold in it.
  using At = std::function<State(double t)>;
  // A time in the step at which an argument is on the other side.
  std::optional<double> look(const Step& step, const At& at) const;
  static constexpr std::size_t kMost = 200;  // that are looked for in a run

 private:
  std::vector<std::size_t> modes_;  // their places among the parameters
  std::optional<VectorFunction> values_;
  int num_parts_;
};

// Angles in laws that jump at the cut of atan2 (simulate/angle_jumps.hpp), which no derivative
// knows of. Costs nothing where there are none.
class CutAngles {
 public:
  CutAngles(const Shared<Equations>& equations, const State& start);
  void note(const Step& step, const Problem& problem, std::span<const double> p);
  std::string text() const;  // empty: none jumped

 private:
  std::unique_ptr<const Evaluator> evaluator_;
  std::optional<AngleJumps> jumps_;
};

// Fixed-cost steps that lead over a switch where rates jump: they say so.
class PassedJump {
 public:
  explicit PassedJump(const Prepared& prepared);
  // y at the ends of an accepted step, as far as (q, v, x).
  void note(const Step& step, std::span<const double> y0, std::span<const double> y1);
  // Of the first one; empty: there was none.
  std::string text() const;

 private:
  State state_;
  std::optional<Sides> sides_;
  std::optional<double> t_;
};

}  // namespace koppel

// What an event does to changes of a motion. For sources of this folder only.
//
// At the time τ at which σ(t, Y) passes through zero the state Y = (y, p) becomes R(t, Y). Seen at
// times that stay, a change δ before the event is, after it [Rozenvasser 1967],
//
//   δ⁺ = R_Y δ + (R_Y Φ⁻ + R_t − Φ⁺) δτ,     δτ = −σ_Y δ / (σ_Y Φ⁻ + σ_t)                   (1)
//
// with Φ⁻, Φ⁺ the rates of Y before and after. Where the event ends the run, and the end moves with
// it, R is the identity and Φ⁺ = 0. R_Y is by differences (differences.hpp). Steps that end at an
// event by being shorter have Φ⁻ = Ψ_h: then (1) is exact for them as they are.
//
// Of several events that happen together R is that of all of them, and τ that of the first. A
// change that moves their times differently leads to a motion on which they happen one after the
// other, in an order that depends on its sign: R is of neither, and (1) does not hold.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/model/model.hpp>
#include <koppel/study/projection_map.hpp>

namespace koppel {

// How an event's function σ passes through zero: its slopes at a state.
class Passage {
 public:
  // y as a map has it, and what is given.
  Passage(const Evaluator& evaluator, std::size_t event, double t, std::span<const double> y,
          std::span<const double> given);

  std::size_t size() const { return by_.size(); }
  // The sum of its slopes by y.
  double steepness() const;
  // σ̇ with these rates of y.
  double rate(std::span<const double> y_rate) const;
  // ∂τ/∂(y, p). Throws Error `study.grazing` where σ̇ = 0.
  std::vector<double> time(std::span<const double> y_rate) const;

 private:
  std::string name_, subject_;  // of the event, as texts have it and plain
  double t_, by_t_;
  std::size_t num_y_;
  std::vector<double> by_;  // (y, p)
};

// Rates on two sides, by more than that part of the largest.
bool differ(std::span<const double> a, std::span<const double> b, double round_off = 1e-9);

class JumpMap {
 public:
  // What happens, and where.
  struct Happening {
    std::span<const int> events;  // the first of them sets the time
    std::span<const int> sides;   // of all event functions, after it
    bool ends = false;            // the run
    double t = 0;
    std::span<const double> before, after;  // y, as the map has it
    std::span<const double> given_before, given_after;
    std::span<const double> rates_before = {};  // Φ⁻, where it is not that of the motion
  };
  // ẏ at a time, a state and what is given.
  using Rates = std::function<void(double t, std::span<const double> y,
                                   std::span<const double> given, std::span<double> y_rate)>;
  // Throws Error `study.grazing` where the event's function does not pass through zero.
  JumpMap(const Rates& rates, const Evaluator& evaluator, const Happening& what);
  // At a time that moves with (y, p), by `time`, the rates become others, and nothing else does.
  JumpMap(std::span<const double> rates_before, std::span<const double> rates_after,
          std::span<const double> time);

  // After the event (q, v) are put onto the constraints, where the workspace stands, and changes
  // follow. What stands behind (q, v, x) in y is found anew, from nothing before.
  void project(const ProjectionMap& onto, ProjectionMap::Workspace& there, const Equations& e);

  void tangent(std::span<double> dy, std::span<double> dgiven) const;
  void adjoint(std::span<double> w, std::span<double> w_given) const;
  // ∂τ/∂(y, p).
  std::span<const double> time() const { return time_; }
  // The other events that happened, and how their times τₖ leave that of the first:
  // ∂(τₖ − τ)/∂(y, p).
  struct Apart {
    int event;
    std::vector<double> by;
  };
  const std::vector<Apart>& apart() const { return apart_; }
  // Whether they differ by more than round-off does: a jump, no corner.
  bool changes_rates() const;
  // ẏ on both sides; that after the end of a run is zero.
  std::span<const double> rates_before() const { return rates_before_; }
  std::span<const double> rates_after() const { return rates_after_; }

 private:
  std::size_t size_, num_y_;
  std::vector<double> J_;  // by columns; empty where only rates change
  std::vector<double> time_, rates_before_, rates_after_;
  std::vector<Apart> apart_;
};

// Throws Error `study.jump` where a course of time that is prescribed jumps before the end.
void check_jumps(const Model& model, const Equations& equations, const State& state, double end);

}  // namespace koppel

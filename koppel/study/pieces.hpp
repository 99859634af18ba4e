// Runs in smooth pieces: the switches of laws by the state, of k*max(0, -x) say, are events
// (equations/switch_events.hpp), and derivatives go through them as through others. For sources of
// this folder only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/switch_events.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/jump_map.hpp>

namespace koppel {

// On which side of their switches the arguments are, as parameters at the end of state.p.
class Sides {
 public:
  Sides(const SwitchEvents& switches, const Shared<Equations>& plain);

  const Shared<Equations>& pieces() const { return pieces_; }
  // By the signs of the arguments, whose values it returns; 0 counts as positive.
  std::vector<double> settle(State& at) const;
  // Where an argument is zero at the start its side is the one that the motion leads to; where it
  // leads to none, either at a corner, and 0 where a law jumps.
  void find_start(State& start, double duration) const;

 private:
  bool is_corner(std::size_t k, State at) const;

  Shared<Equations> plain_, pieces_;
  std::vector<Expr> arguments_;
  VectorFunction values_;
  std::size_t first_;
};

// ẏ of equations at a state; for who asks once.
std::vector<double> rates_at(const Shared<Equations>& equations, const State& state);

// As it is for fixed-cost steps, which do not stop at events.
Prepared in_pieces(Prepared prepared, const SimulateOptions& run,
                   std::span<const std::string> outputs);

// Of all event functions at the start (integrator.hpp).
std::vector<int> start_sides(const Evaluator& evaluator, const State& start);

// Those that have just happened, by their sides (happen.hpp). Switches happen one at a time and
// after events of the model, which may turn the motion back: those that wait keep the sides they
// had, and happen at once when the motion goes on.
std::vector<int> take_next(std::span<const Equations::Event> events, std::span<int> sides);

// How these events pass: one after the other where what each does is the same without the others,
// as of two balls that land at once, since the time of each moves by itself; else all together. One
// that ends the run comes first: the end moves with it.
std::vector<std::vector<int>> in_turn(std::vector<int> events, std::span<const int> sides,
                                      const Evaluator& evaluator, const State& before);

// After something happened at the time `clock`: sides of switches whose arguments jumped with it
// are those of their signs; those whose arguments stay zero from here on are 0. The others keep
// theirs. `state` and `sides` are those after what happened.
void follow_jumps(const JumpMap::Rates& rates, const Evaluator& evaluator, double clock,
                  State& state, std::span<int> sides);
// Where a side is 0, and the argument is not zero: the law of that side does not hold there.
std::optional<std::string> what_left_zero(const Evaluator& evaluator, const State& state);

// What a switch does: nothing but that other rates hold. Throws Error `study.stays` where these
// lead back at once: a motion that sticks, and stays at the switch, has no derivatives there; and
// `study.grazing` where rates jump and the motion only touches the switch.
JumpMap pass_switch(const JumpMap::Rates& rates, const Evaluator& evaluator,
                    const JumpMap::Happening& what);

}  // namespace koppel

// The samples of a run's controllers and the calls of its events. For sources of this folder only.
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/simulate/controllers.hpp>

namespace koppel {

// The model with all that is read among its outputs, so that angles are counted. Throws Error
// `simulate.unknown-name`.
Model with_outputs_for(const Controls& controls, const Model& model);

class SamplingClock {
 public:
  // References to the controls are kept. Throws Error `simulate.bad-controller`.
  SamplingClock(const Controls& controls, const Shared<Equations>& equations, const State& start);

  // When the next controller acts; infinite where there is none.
  double next() const;
  // Those that are due at state.t; all of them read the state before. False: the run shall end.
  bool act(State& state);
  // The calls of events that happened, with the state before. False: the run shall end.
  bool call(std::span<const int> events, const State& before, State& state) const;
  bool is_empty() const { return items_.empty(); }

 private:
  struct Item {
    const Controller* controller;
    long count;  // of samples so far
    VectorFunction reads;
  };
  struct EventItem {
    const EventCall* event;
    int number;
    VectorFunction reads;
  };
  double time_of(const Item& item) const {
    return start_ + static_cast<double>(item.count) * item.controller->every;
  }

  Shared<Equations> equations_;
  double start_;
  std::vector<Item> items_;
  std::vector<EventItem> events_;
};

}  // namespace koppel

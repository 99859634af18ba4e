// Controllers in code: functions that a simulation calls at the multiples of a period, or when an
// event happens. What they answer are values of states x, which are constant between the calls
// where their rates are zero:
//
//   xᵢ(t) = uᵢ(what is read at t₀ + k·T)   for t₀ + k·T < t ≤ t₀ + (k+1)·T
//
// The integration ends at every sample and goes on with the new values, so that no step crosses a
// jump of them. What is read is an output of the run.
//
//   Controller hold{.name = "hold", .every = 0.01, .reads = {"cart.x", "cart.x'"}};
//   hold.call = [](double t, std::span<const double> y) { return Answer{{{"F", -20 * y[0]}}}; };
//   Simulation s = simulate(model, {.end = 5}, {}, {.controllers = {hold}});
#pragma once

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <koppel/simulate/simulate.hpp>

namespace koppel {

// Values of states, and whether the run goes on.
struct Answer {
  std::vector<std::pair<std::string, double>> states = {};
  bool goes_on = true;
};
// Gets the time and the values of what is read.
using Call = std::function<Answer(double t, std::span<const double> reads)>;

struct Controller {
  std::string name = {};
  double every = 0;                     // s
  std::vector<std::string> reads = {};  // expressions of quantities, rates, states and time
  Call call = {};
};

struct EventCall {
  std::string event = {};  // its name in the model
  std::vector<std::string> reads = {};
  Call call = {};
};

struct Controls {
  std::vector<Controller> controllers = {};
  std::vector<EventCall> events = {};  // with the state before what the event does
};

// Throws what the other simulate() does, and Error `simulate.bad-controller`,
// `simulate.unknown-name`; and while it runs `simulate.unknown-state`, `simulate.not-finite`.
Simulation simulate(const Model& model, const SimulateOptions& options,
                    const SimulateCallbacks& callbacks, const Controls& controls);

}  // namespace koppel

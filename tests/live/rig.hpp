// A model with an input and an output, and a clock that tests turn by hand.
#pragma once

#include <functional>

#include <koppel/live/live.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel::testing {

// A mass m = 2 on a track with the force F: with F held over a step the velocities are exact.
inline Model cart() {
  return read_model_text(R"(
name: cart
inputs: [F, D]
coordinates: {s: {start: 0}}
kinetic: s'^2
generalized_forces: {s: F + D}
outputs: {s: s, "s'": "s'"}
)",
                         "cart.yaml");
}

inline SimulateOptions with_step(const Model& model, double step) {
  SimulateOptions options = options_of(model);
  options.step = step;
  return options;
}

// Stands still but for what tests add, and jumps to where it is told to wait, late by `delay`.
class HandClock : public Clock {
 public:
  std::int64_t now() noexcept override { return time; }
  void wait_until(std::int64_t until) noexcept override {
    waits.push_back(until);
    time = until + delay;
  }

  HandClock() { waits.reserve(10000); }
  std::int64_t time = 1'000'000'000, delay = 0;
  std::vector<std::int64_t> waits;
};

}  // namespace koppel::testing

// What a mechanism may be different in from the one that inputs were computed for, and what comes
// of it (robustness.hpp).
#pragma once

#include <string>

#include <koppel/control/checks/verify.hpp>

namespace koppel {

// One thing that is different.
struct Disturbance {
  enum class Kind {
    None,
    Parameter,  // of the mechanism: has this value; the inputs and the feedback know the old one
    Start,      // a coordinate or velocity: begins this much away from the motion
  };
  Kind kind = Kind::None;
  std::string name;
  double value = 0;
};

// Simulated with the inputs alone, and with feedback.
struct RobustnessCase {
  Disturbance disturbance;
  Verification open, closed;
};

// "m = 110", "x + 0.1"
std::string to_text(const Disturbance& disturbance);

}  // namespace koppel

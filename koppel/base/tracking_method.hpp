// How the forces are chosen that make a mechanism follow a signal
// (formulation/fixed_cost/tracking.hpp).
#pragma once

namespace koppel {

enum class TrackingMethod {
  Automatic,  // at the speed that can still be braked
  L2,         // single-stage optimal control [Lipovac 2020, ch. 4]: the force is penalised;
  Neumann,    // its rate too, which vanishes at both ends of a step;
  Mixed       // or at the end of it, and the force is continuous
};

}  // namespace koppel

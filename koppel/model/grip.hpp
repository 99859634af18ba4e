// Hands that can take hold of any point of any body: a model with trackings (elements/tracking.hpp)
// whose body and point are chosen while it runs.
//
//   parameters  grip.body            which body, from 0 on in the order of the model; −1: none
//               grip.x, grip.y, …    the point, in the frame of the body
//               grip.force           the largest force
//   inputs      grip.target_x, …     where it shall go
//   states      grip.force_1, …      the force
//
// A hand that turns, too, has also
//
//   parameters  grip.turns           0: it holds the point alone; 1: the orientation of the body
//   too
//               grip.torque          the largest torque
//   inputs      grip.target_e0, …    the orientation: a quaternion e0 to e3, scalar first, of any
//                                    length; in the plane grip.target_angle
//   states      grip.turn.torque_x … the torque; in the plane grip.turn.torque
//
// The second hand has `grip2` in place of `grip`, and so on. What several hands do together is
// found together, within the limits of each (formulation/fixed_cost/force_limits.hpp).
#pragma once

#include <koppel/model/model.hpp>

namespace koppel {

struct GripOptions {
  int hands = 1;
  bool turns = false;
};

// The same model with hands; as it is where it has no bodies. Throws Error as validate() does
// where a name is used already.
Model with_grip(const Model& model, const GripOptions& options = {});

}  // namespace koppel

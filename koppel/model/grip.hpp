// A hand that can take hold of any point of any body: a model with a tracking
// (elements/tracking.hpp) whose point is chosen while it runs.
//
//   parameters  grip.body            which body, from 0 on in the order of the model; −1: none
//               grip.x, grip.y, …    the point, in the frame of the body
//               grip.force           the largest force
//   inputs      grip.target_x, …     where it shall go
//   states      grip.force_x, …      the force
#pragma once

#include <koppel/model/model.hpp>

namespace koppel {

// The same model with a hand; as it is where it has no bodies. Throws Error as validate() does
// where a name is used already.
Model with_grip(const Model& model);

}  // namespace koppel

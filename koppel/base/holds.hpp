// What a row of constraints holds: a coordinate of a point, a shift along an axis of a joint, a tilt
// of its axis, a turn about it, or something else.
#pragma once

namespace koppel {

enum class Holds { Other, Point, Shift, Tilt, Turn };

}  // namespace koppel

// Jumps of what a model prescribes by functions of time: drives, lengths, constraints.
//
// A rate that jumps takes an impulse of the constraints; the motion goes on with the velocities
// that it gives (impulse.hpp), which are the same in all coordinates. A position cannot jump: it
// would take an infinite force, and the motion of all that is not prescribed would be anything. So
// that is refused, unless the model says `jump: impulse`: then the mechanism goes on from the
// nearest position, in the mean of all masses (assembly.hpp), with the velocities of its bodies as
// far as the constraints leave them.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <vector>

#include <koppel/expr/algebra/interval.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

struct Jump {
  double t;
  std::string name;  // of what jumps
  double size;       // of the rate, or of the position
  bool is_position = false;
};

// What happens at once does so at the next number, which after 0 is 5e-324: that is told as 0.
inline double time_to_tell(double t) { return std::fpclassify(t) == FP_SUBNORMAL ? 0.0 : t; }

// Those within the range and at its lower end, ascending; p are the values of the parameters.
// Throws Error `model.jump` with all those of positions that the model does not allow.
std::vector<Jump> find_jumps(const Model& model, std::span<const Expr> parameters,
                             std::span<const double> p, Interval range);

// For people; of at least one.
std::string describe(std::span<const Jump> jumps);

}  // namespace koppel

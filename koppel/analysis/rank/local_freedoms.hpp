// Freedoms that are of no interest: motions of a body, or of two joined bodies, that stand between
// others and can move while all others stand still. A rod between two ball joints spins about
// itself; so does the leg of a Stewart platform, of two bodies.
//
// With C = [G; a] in absolute coordinates and S the velocities of the group, these are the null
// vectors of the columns C_S. For two bodies, those that are not sums of motions of one. A group
// with one neighbour only is the end of a chain or a rotor in its bearings; its motion is what the
// mechanism is for, and not listed. Bodies in line by chance do not count: C is taken at a place
// beside the state. Cost: linear in the number of joints, and that of closing positions.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

struct LocalFreedom {
  std::vector<std::string> bodies;  // one, or two that move together
  enum class Kind { Spin, Slide, Other } kind = Kind::Other;
  std::string text;  // in words
};

// `absolute` is of the model's equations in absolute coordinates, `state` assembled. None for
// models without bodies.
std::vector<LocalFreedom> find_local_freedoms(const Model& model, const Evaluator& absolute,
                                              const State& state);

}  // namespace koppel

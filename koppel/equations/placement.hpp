// Where the bodies of a model are expected at the start, and how far they are from there: the same
// in all coordinates.
//
// The expected start. Bodies are placed as the model says, and carried along the tree of joints
// (tree.cpp): what a joint of the tree allows is taken from the placement or, where `initial` gives
// it, from there; what it forbids is taken to hold. Velocities likewise: the rates that `initial`
// gives to joints of the tree and to bodies that are free, and 0 for all others.
//
// The distance from it is the mean over all masses,
//   D = ½ Σ ∫ |x − x₀|² dm = ½ Σ (m |c − c₀|² + Σₖ eₖ |dₖ − dₖ₀|²)                        (1)
// with c the centre of mass of a body, dₖ the principal directions of its second moments of mass
// and eₖ = ½ tr J − Jₖ these moments; in the plane one direction, with e = J. Its second
// derivative along the motions of rigid bodies is the mass matrix. Bodies without mass count too:
// each has a millionth of the largest mass and of the largest moment added to its own.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

struct PlacedBody {
  std::string name;
  // Of q, in world axes; three directions, in the plane one, of a point mass none.
  Vec3e centre;
  std::vector<Vec3e> directions;
  double mass = 0;  // with the addition
  std::vector<double> moments;
  // Expected at the start.
  Vec3<double> start, velocity, spin;
  std::vector<Vec3<double>> start_directions;
};

// In the coordinates of equations that were derived from the model. Empty where it can have one set
// only: it has no bodies, or frames of the user's own points and vectors.
using Placement = std::vector<PlacedBody>;
Placement place_bodies(const Model& model, const Equations& equations);

// The model with its bodies at the expected start, where that is not the placement it gives.
Model carried_along_joints(const Model& model);

}  // namespace koppel

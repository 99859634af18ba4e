// Assembly: the consistent start nearest to what the user gave.
//
// Positions. Find q that minimises the distance D(q) from the expected start, subject to
//   g(q, t) = 0,   h(q) = 0,   firm initial values.                                      (1)
// D is a mean over the masses of bodies (placement.hpp), whatever the coordinates: all sets give
// the same start. Coordinates that move no body are measured in the metric of masses,
// ‖q − q₀‖²_W: q − q₀ = K δ + (∂h/∂q)ᵀ η at the guess q₀ and ‖q − q₀‖²_W = δᵀMδ + η², with a small
// part of the largest mass added where a motion has none. Levenberg-Marquardt brings the guess to
// (1), also where equations repeat each other; then Gauss-Newton steps along the null space of (1)
// reduce the distance. Wishes are first asked for like firm values. Where not all of them can be
// had they only pull: those for coordinates that D measures through the guess, others with the
// weight of the largest mass.
//
// Where (1) has no solution near the guess, the result is the place with the smallest gap, and a
// text that says which equations stay open.
//
// Velocities, a linear problem: minimise the kinetic energy of the difference to the expected ones
// subject to
//   G v + g_t = 0,   a v + b = 0,   firm initial values of rates,                        (2)
// the others as above.
//
// Of several ways to assemble a mechanism the nearest to the guess that is found results
// (closure.hpp).
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/equations/placement.hpp>

namespace koppel {

struct AssemblyOptions {
  // Largest residual of g, h and wishes that counts as closed, in their units.
  double tolerance = 1e-10;
  int max_iterations = 200;
};

// An equation that could not be satisfied.
struct Gap {
  std::string name, owner;
  double size = 0;
  bool is_point = false;    // of a coordinate of a point
  bool is_initial = false;  // an initial value; it has no owner
};

struct Assembly {
  State state;
  bool positions_found = false, velocities_found = false;
  // Whether what the user asked for without insisting was met as well.
  bool wishes_met = true;
  double position_residual = 0, velocity_residual = 0;  // the largest
  int iterations = 0;
  double moved = 0;         // how far the largest coordinate is from its guess
  std::string move;         // the largest move by name, where it is above a millionth
  std::vector<Gap> gaps;    // what stays open, largest first; empty when all was found
  std::vector<Gap> missed;  // wishes that are not met
  std::string text;         // what happened, in words

  explicit operator bool() const { return positions_found && velocities_found; }
};

// From the expected start of the bodies of the model; of equations without bodies; or from any
// state (its t, x, u, p are kept), in the metric of masses or with the bodies of a placement.
Assembly assemble(const Evaluator& evaluator, const Placement& placement,
                  const AssemblyOptions& options = {});
Assembly assemble(const Evaluator& evaluator, const Placement& placement, const State& guess,
                  const AssemblyOptions& options = {});
Assembly assemble(const Evaluator& evaluator, const AssemblyOptions& options = {});
Assembly assemble(const Evaluator& evaluator, const State& guess,
                  const AssemblyOptions& options = {});

// The state as it is, with q moved as little as needed (in the Euclidean norm) to satisfy g = 0 and
// h = 0, wishes left aside. True on success.
bool close_positions(const Evaluator& evaluator, State& state, const AssemblyOptions& options = {});

// What stays open of g = 0 and h = 0 at the nearest to closed of all positions that are found from
// a state and beside it, largest first, and in words; wishes left aside. Empty: they close.
struct OpenPositions {
  std::vector<Gap> gaps;
  std::string text;
};
OpenPositions find_open_positions(const Evaluator& evaluator, const State& near,
                                  const AssemblyOptions& options = {});

}  // namespace koppel

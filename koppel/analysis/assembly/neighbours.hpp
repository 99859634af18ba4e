// Consistent states beside a given one, in general position: what holds there as well holds along
// the motion, what holds at the state alone is a chance of it.
//
// How far is far: a motion s K v is measured by what it does to the constraints, not by its
// coordinates, whose sizes say nothing (an angle of 0, a mechanism far from the origin). With c_i
// the rows of C = [G; a] in the metric of masses, ‖c_i‖² = Σ_j c_ij² / m_jj, its length is
//   ‖c_i(q + s K v) − c_i(q)‖ / ‖c_i(q)‖,                                                (1)
// about the angle by which gradients turn, in radians: the lower quartile over the rows that change
// at all. Rows that vanish at the state, as where it is singular, so do not decide.
#pragma once

#include <optional>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// m_j^{−½} of the diagonal of M, with a small mass for motions that have none.
std::vector<double> ease_of_motion(const Evaluator& evaluator, const State& state);

// The k-th of fixed sequences of velocities in general position, all with the same energy in each
// coordinate on average. They satisfy no constraints.
std::vector<double> varied_velocity(const Evaluator& evaluator, const State& state, int k);

// The state with q + s K v, not closed.
State moved(const Evaluator& evaluator, State state, const std::vector<double>& v, double s);

// The s > 0 for which (1) is `angle`; 0 where no gradient changes along v.
double length_of_turn(const Evaluator& evaluator, const State& state, const std::vector<double>& v,
                      double angle);

// The k-th neighbour: beside the state by an angle of about 0.1 along a tangent, and closed. Where
// constraints depend on time, later by up to 0.1 s as well. Nothing where the mechanism came back
// to where it was or could not be closed. Cost: that of closing positions.
std::optional<State> find_neighbour(const Evaluator& evaluator, const State& state, int k);

}  // namespace koppel

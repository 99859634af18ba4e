// The motion of a mechanism with one freedom, without dynamics: the curve g(q, t) = 0 at a fixed
// time, followed from a state by steps along its tangent and Newton's method.
//
// The tangent K v has C v = 0; its sign is that of the step before. Where the mechanism is singular
// and has several tangents, the one nearest to the step before is taken, so that the motion passes
// through. It is measured such that the fastest coordinate has the rate 1 (rad or m): after a
// length of 2π the body that turns fastest has made a turn.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

struct FollowOptions {
  double length = 6.283185307179586;
  int num_samples = 201;
};

struct FreeMotion {
  bool is_complete = false;
  std::vector<State> states;  // v is the tangent
  std::string text;           // why it ended
};

// From an assembled state.
FreeMotion follow_freedom(const Evaluator& evaluator, const State& start,
                          const FollowOptions& options = {});

}  // namespace koppel

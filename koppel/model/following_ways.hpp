// Other ways to make a mechanism follow a signal, for comparison with `tracking`: the same model
// with what each tracking holds, rates σ of its outputs, differences d to the target z and rates ż
// of the target, held by
//
//   Constraint          σ = (z(t) − z(t − h))/h: a rheonomic constraint, with rates by differences
//   on
//                       the grid of steps; nothing leads back what is off
//   Baumgarte           σ = ż + α d, with α = 0.2/h [Baumgarte 1972]
//   Spring              a force d m/T² + (ż − σ) 2m/T: spring and damper, critically damped for the
//                       effective mass m of the start
//   FilteredConstraint  as Baumgarte, for the target y behind a low-pass filter
//                       ÿ = (z − y)/T² − 2ẏ/T
//   FilteredInverse     the force of inverse dynamics that follows y, with feedback over T
//
// Their time T is 20 ms, at least five steps. None knows a limit of force.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/model/model.hpp>

namespace koppel {

enum class FollowingWay { Constraint, Baumgarte, Spring, FilteredConstraint, FilteredInverse };
inline constexpr FollowingWay kFollowingWays[] = {
    FollowingWay::Constraint, FollowingWay::Baumgarte, FollowingWay::Spring,
    FollowingWay::FilteredConstraint, FollowingWay::FilteredInverse};
std::string name_of(FollowingWay way);

// Throws Error `compare.cannot-follow` where a tracking can be let go or follows positions, and for
// an orientation behind a filter.
// `masses`: the effective mass of each tracking at the start.
Model following_by(const Model& model, FollowingWay way, double step,
                   const std::vector<double>& masses);

// The same model with outputs that show how it follows: for each tracking `NAME` the target
// `NAME.z1` …, the differences `NAME.d1` … to it and the rates `NAME.s1` ….
void show_following(Model& shown, const Model& model);

}  // namespace koppel

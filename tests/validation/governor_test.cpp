// The stiff flyball governor with both arms alike, 10 s; from bodies and joints: long_test.cpp.
#include <gtest/gtest.h>

#include <problems/validation.hpp>

namespace koppel {
namespace {

using problems::compare;
using problems::Comparison;

TEST(Governor, SeriesFollowItsMotionAtEveryTolerance) {
  const Model model = problems::read_mechanism("flyball_governor_symmetric");
  const Trajectory known = problems::governor_motion();
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
    const Comparison c = compare(model, {"natural", "index3", "taylor", tolerance}, known, {});
    ASSERT_TRUE(c.is_done) << tolerance << ": " << c.text;
    // The fast motion is kept at the tolerance in positions; its velocities are thousands of times
    // larger and turn the shaft.
    EXPECT_LT(c.over_time, 100 * tolerance) << tolerance;
  }
}

TEST(Governor, RadauFollowsItsMotionAtEveryTolerance) {
  const Model model = problems::read_mechanism("flyball_governor_symmetric");
  const Trajectory known = problems::governor_motion();
  for (const auto& [tolerance, limit] : {std::pair{1e-6, 1e-5}, std::pair{1e-8, 1e-6},
                                         std::pair{1e-10, 1e-8}, std::pair{1e-12, 1e-9}}) {
    const Comparison c = compare(model, {"natural", "ggl", "radau5", tolerance}, known, {});
    ASSERT_TRUE(c.is_done) << tolerance << ": " << c.text;
    // Order 3 of the stages shows in velocities: about the power 3/4 of the tolerance.
    EXPECT_LT(c.over_time, limit) << tolerance;
  }
}

}  // namespace
}  // namespace koppel

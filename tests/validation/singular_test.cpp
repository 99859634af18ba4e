// The N four-bar windows, which pass ten singular configurations in 10 s.
#include <string>

#include <gtest/gtest.h>

#include <problems/validation.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using problems::Comparison;
using problems::four_bar_motion;
using testing::near;

void expect_passes(int N, const std::string& coordinates, std::initializer_list<double> all) {
  const Model model = problems::read_mechanism("four_bar", {.set = {{"N", std::to_string(N)}}});
  const Trajectory known = four_bar_motion(N, 10, 1001);
  for (const double tolerance : all) {
    const Comparison c =
        problems::compare(model, {coordinates, "index3", "taylor", tolerance}, known, {});
    ASSERT_TRUE(c.is_done) << N << ' ' << coordinates << ' ' << tolerance << ": " << c.text;
    // On another branch the error is of the size of the motion. Round-off of 1e-10 is let in where
    // a configuration is passed, and grows with the time that is left.
    EXPECT_LT(c.over_time, 100 * tolerance + 1e-7) << N << ' ' << coordinates << ' ' << tolerance;
    EXPECT_LT(c.steps, 1000) << N << ' ' << coordinates << ' ' << tolerance;
  }
}

TEST(FourBar, TheEllipticIntegralIsTheReferenceTrajectory) {
  const Trajectory closed = four_bar_motion(2, 10, 1001),
                   stored = problems::known_motion("four_bar");
  for (std::size_t i = 0; i < stored.num_rows(); ++i) {
    for (const char* name : {"xB0", "yB0", "vxB0", "vyB0"}) {
      EXPECT_TRUE(near(closed[name][i], stored[name][i],
                       {.relative = 1e-14, .scale = 4, .because = "φ = 30 in the arithmetic"}));
    }
  }
  const Trajectory forty = four_bar_motion(40, 10, 2);
  EXPECT_TRUE(near(forty["xB0"][1], 0.1805122266867283901, {.relative = 1e-14, .scale = 1}));
  EXPECT_TRUE(near(forty["yB0"][1], 0.9835727405823115749, {.relative = 1e-14, .scale = 1}));
}

TEST(FourBar, TwoWindowsPassTheirSingularConfigurations) {
  for (const char* coordinates : {"natural", "absolute"}) {
    expect_passes(2, coordinates, {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12});
  }
}

TEST(FourBar, FortyWindowsPassTheirSingularConfigurations) {
  for (const char* coordinates : {"natural", "absolute"}) {
    expect_passes(40, coordinates, {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12});
  }
}

}  // namespace
}  // namespace koppel

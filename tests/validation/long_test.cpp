// What takes more than some seconds.
#include <string>

#include <gtest/gtest.h>

#include "tests/validation/expect_case_study.hpp"

namespace koppel {
namespace {

using problems::Comparison;

class PublishedDigitsOfTheGovernor : public ::testing::TestWithParam<std::string> {};

TEST_P(PublishedDigitsOfTheGovernor, AreReached) {
  for (const problems::CaseStudy& study : problems::case_studies()) {
    if (study.model == "flyball_governor") testing::expect_case_study(study, GetParam());
  }
}

INSTANTIATE_TEST_SUITE_P(Taylor, PublishedDigitsOfTheGovernor,
                         ::testing::Values("natural", "absolute"),
                         [](const auto& test) { return test.param; });

TEST(GovernorOfBodies, RadauFollowsItsMotionAtEveryTolerance) {
  const Model model = problems::read_mechanism("flyball_governor");
  const Trajectory known = problems::governor_motion();
  for (const auto& [tolerance, limit] : {std::pair{1e-6, 2e-5}, std::pair{1e-8, 1e-6},
                                         std::pair{1e-10, 1e-7}, std::pair{1e-12, 1e-8}}) {
    for (const char* formulation : {"index3", "ggl"}) {
      const Comparison c =
          problems::compare(model, {"natural", formulation, "radau5", tolerance}, known, {});
      ASSERT_TRUE(c.is_done) << formulation << ' ' << tolerance << ": " << c.text;
      // Order 3 of the stages shows in velocities: about the power 3/4 of the tolerance.
      EXPECT_LT(c.over_time, limit) << formulation << ' ' << tolerance;
    }
  }
}

}  // namespace
}  // namespace koppel

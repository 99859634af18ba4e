#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "tests/validation/expect_case_study.hpp"

namespace koppel {
namespace {

using problems::CaseStudy;

class PublishedDigits : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {};

TEST_P(PublishedDigits, AreReached) {
  const auto& [name, coordinates] = GetParam();
  for (const CaseStudy& study : problems::case_studies()) {
    if (study.model == name) testing::expect_case_study(study, coordinates);
  }
}

// The governor takes seconds: long_test.cpp.
INSTANTIATE_TEST_SUITE_P(
    Taylor, PublishedDigits,
    ::testing::Combine(::testing::Values("four_bar", "slider_crank", "copy_machine",
                                         "mcpherson_planar", "bricard", "five_link_road"),
                       ::testing::Values("natural", "absolute")),
    [](const auto& test) { return std::get<0>(test.param) + "_" + std::get<1>(test.param); });

TEST(OtherSuspensions, FollowTheToleranceInBothCoordinates) {
  for (const CaseStudy& study : problems::other_suspensions()) {
    for (const char* coordinates : {"natural", "absolute"}) {
      testing::expect_case_study(study, coordinates);
    }
  }
}

}  // namespace
}  // namespace koppel

// All built-in models and 200 random mechanisms by every coordinate set and integrator at three
// tolerances or steps.
#include "tests/outcomes/outcomes.hpp"

namespace koppel::testing {
namespace {

class AllOutcomes : public ::testing::TestWithParam<Mechanism> {};

TEST_P(AllOutcomes, AreRightOrRefused) { expect_no_third_outcome(GetParam(), {}); }

INSTANTIATE_TEST_SUITE_P(BuiltIn, AllOutcomes, ::testing::ValuesIn(built_in_mechanisms()),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Random, AllOutcomes, ::testing::ValuesIn(make_random_mechanisms()),
                         test_name);

}  // namespace
}  // namespace koppel::testing

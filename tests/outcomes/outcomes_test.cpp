// Some mechanisms of each kind by the integrators that people use most; outcomes_long_test has all.
#include "tests/outcomes/outcomes.hpp"

namespace koppel::testing {
namespace {

class Outcomes : public ::testing::TestWithParam<Mechanism> {};

TEST_P(Outcomes, AreRightOrRefused) {
  expect_no_third_outcome(GetParam(), {{"taylor", "dop853", "radau5", "ida", "midpoint"}, 2});
}

INSTANTIATE_TEST_SUITE_P(Some, Outcomes,
                         ::testing::Values(make_planar_tree(2), make_spatial_tree(1),
                                           make_spatial_tree(4), make_spatial_tree(32),
                                           make_planar_loop(0), make_planar_loop(4),
                                           make_spatial_loop(1), make_driven(3), make_degenerate(1),
                                           make_degenerate(22), make_rough_start(0),
                                           make_impossible(0), make_impossible(4)),
                         test_name);

}  // namespace
}  // namespace koppel::testing

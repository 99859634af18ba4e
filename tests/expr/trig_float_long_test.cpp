// The stated error of runtime/trig_float.h, for each of the 2³¹ − 2²³ floats that are not negative.
#include <gtest/gtest.h>

#include "tests/expr/trig_float.hpp"

namespace koppel::testing {
namespace {

TEST(TrigFloatLong, EveryFloatIsWithinTheStatedError) {
  EXPECT_LT(largest_error_of_turns(1), kLargestErrorOfTurns);
}

}  // namespace
}  // namespace koppel::testing

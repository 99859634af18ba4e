// Sine and cosine of runtime/trig_float.h: accurate for all floats, and together or apart the same.
#include "tests/expr/trig_float.hpp"

#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace koppel::testing {
namespace {

TEST(TrigFloat, IsWithinTheStatedErrorForAnyFloat) {
  EXPECT_LT(largest_error_of_turns(4099), kLargestErrorOfTurns);
  std::mt19937 random(7);
  for (const float size : {0.8f, 3.2f, 100.0f, 1e4f, 1e6f}) {
    std::uniform_real_distribution<float> part(-size, size);
    for (int k = 0; k < 50000; ++k) ASSERT_LT(error_of_turn(part(random)), kLargestErrorOfTurns);
  }
}

// Where one of them nearly vanishes, the reduction has to have many more digits.
TEST(TrigFloat, IsAccurateAtMultiplesOfARightAngle) {
  for (int n = 1; n < 1000000; ++n) {
    const auto x = static_cast<float>(n * 1.57079632679489661923);
    ASSERT_LT(error_of_turn(x), kLargestErrorOfTurns) << n;
  }
}

TEST(TrigFloat, SpecialValuesAreThoseOfTheLibrary) {
  EXPECT_EQ(koppel_sin(0.0f), 0);
  EXPECT_FALSE(std::signbit(koppel_sin(0.0f)));
  EXPECT_TRUE(std::signbit(koppel_sin(-0.0f)));
  EXPECT_EQ(koppel_cos(-0.0f), 1);
  for (const float tiny : {std::numeric_limits<float>::denorm_min(), 1e-20f, 1e-5f}) {
    EXPECT_EQ(koppel_sin(tiny), tiny);
    EXPECT_EQ(koppel_sin(-tiny), -tiny);
    EXPECT_EQ(koppel_cos(tiny), 1);
  }
  for (const float x : {INFINITY, -INFINITY, std::numeric_limits<float>::quiet_NaN()}) {
    EXPECT_TRUE(std::isnan(koppel_sin(x)));
    EXPECT_TRUE(std::isnan(koppel_cos(x)));
  }
  for (float x = 0; x < 10; x += 0.01f) {
    EXPECT_EQ(koppel_sin(-x), -koppel_sin(x));
    EXPECT_EQ(koppel_cos(-x), koppel_cos(x));
  }
}

}  // namespace
}  // namespace koppel::testing

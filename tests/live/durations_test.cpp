#include <koppel/live/durations.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace koppel {
namespace {

TEST(Durations, QuantilesAreWithinAClassOfTheSortedData) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(0, 33);
  std::vector<std::int64_t> all;
  Durations durations;
  for (int i = 0; i < 20000; ++i) {
    all.push_back(std::llround(std::exp2(exponent(random))));
    durations.add(all.back());
  }
  std::sort(all.begin(), all.end());
  for (const double part : {0.01, 0.3, 0.5, 0.9, 0.999, 1.0}) {
    const auto index = static_cast<std::size_t>(std::ceil(part * 20000)) - 1;
    const double exact = 1e-9 * static_cast<double>(all[index]);
    EXPECT_GE(durations.quantile(part), exact * (1 - 1e-15)) << part;
    EXPECT_LE(durations.quantile(part), exact * (1 + 1 / 64.0)) << part;
  }
  EXPECT_DOUBLE_EQ(durations.max(), 1e-9 * static_cast<double>(all.back()));
}

TEST(Durations, SmallOnesAreExact) {
  Durations durations;
  for (const int ns : {3, 17, 127, -5}) durations.add(ns);
  EXPECT_DOUBLE_EQ(durations.quantile(0.25), 0);
  EXPECT_DOUBLE_EQ(durations.quantile(0.5), 3e-9);
  EXPECT_DOUBLE_EQ(durations.quantile(0.75), 17e-9);
  EXPECT_DOUBLE_EQ(durations.quantile(1), 127e-9);
  EXPECT_EQ(Durations().median(), 0);
}

TEST(Durations, TakesTheLongestThatThereIs) {
  Durations durations;
  durations.add(INT64_MAX);
  EXPECT_DOUBLE_EQ(durations.median(), 1e-9 * static_cast<double>(INT64_MAX));
}

}  // namespace
}  // namespace koppel

// Points of a parameter space: grids, random points, Latin hypercubes, Sobol' sequences.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/random.hpp>
#include <koppel/study/samples.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using Kind = Design::Kind;

using testing::error_of;

std::string range_error(const std::string& text) {
  return error_of([&] { parse_range(text); });
}

constexpr const char* kForms =
    "\n  Write name=low:high:n, name=low:high, name=low:high:n:log, or name=a,b,c.";

TEST(Ranges, AreReadAndWrittenAlike) {
  for (const char* text : {"l=0.5:1.5:11", "l=-1:2.5", "k=1:1000:4:log", "n=1,2.5,-3"}) {
    EXPECT_EQ(to_string(parse_range(text)), text);
  }
}

TEST(Ranges, AreRefusedWithWhatIsWrong) {
  EXPECT_EQ(
      range_error("0:1"),
      "error[study.bad-range]: '0:1' is no range: it names no parameter." + std::string(kForms));
  EXPECT_EQ(range_error("l="),
            "error[study.bad-range]: 'l=' is no range: there is nothing behind the '='." +
                std::string(kForms));
  EXPECT_EQ(range_error("l=2:1:5"),
            "error[study.bad-range]: 'l=2:1:5' is no range: it is empty: 2 is not below 1." +
                std::string(kForms));
  EXPECT_EQ(range_error("l=1:1"),
            "error[study.bad-range]: 'l=1:1' is no range: it is empty: 1 is not below 1." +
                std::string(kForms));
  EXPECT_EQ(range_error("l=0:1m:5"),
            "error[study.bad-range]: 'l=0:1m:5' is no range: '1m' is not a number." +
                std::string(kForms));
  EXPECT_EQ(
      range_error("l=0:inf"),
      "error[study.bad-range]: 'l=0:inf' is no range: 'inf' is not finite." + std::string(kForms));
  EXPECT_EQ(range_error("l=0:1:1"),
            "error[study.bad-range]: 'l=0:1:1' is no range: a grid has at least 2 points in each "
            "direction." +
                std::string(kForms));
  EXPECT_EQ(range_error("l=0:1:2.5"),
            "error[study.bad-range]: 'l=0:1:2.5' is no range: '2.5' is not a number of points." +
                std::string(kForms));
  EXPECT_EQ(range_error("l=0:1:3:log"),
            "error[study.bad-range]: 'l=0:1:3:log' is no range: logarithms need a low value above "
            "0." +
                std::string(kForms));
}

TEST(Samples, OfAGridHaveTheirEndsAndTheLastParameterChangesFastest) {
  const Samples samples(
      {.ranges = {parse_range("a=0:1:3"), parse_range("b=1:100:3:log"), parse_range("c=7,5")}});
  ASSERT_EQ(samples.size(), 18u);
  EXPECT_EQ(samples.point(0), (std::vector<double>{0, 1, 7}));
  EXPECT_EQ(samples.point(1), (std::vector<double>{0, 1, 5}));
  EXPECT_EQ(samples.point(2)[0], 0);
  EXPECT_NEAR(samples.point(2)[1], 10, 1e-14);
  EXPECT_EQ(samples.point(6), (std::vector<double>{0.5, 1, 7}));
  EXPECT_EQ(samples.point(17), (std::vector<double>{1, 100, 5}));
}

TEST(Samples, AreRefusedForDesignsThatMakeNoSense) {
  const auto refused = [](Design design) { return error_of([&] { Samples samples(design); }); };
  EXPECT_EQ(refused({}),
            "error[study.bad-design]: no parameter is varied.\n"
            "  Say which: name=low:high:n.");
  EXPECT_EQ(refused({.ranges = {parse_range("a=0:1:3"), parse_range("a=0:2:3")}}),
            "error[study.bad-range]: parameter 'a' is varied twice.");
  EXPECT_EQ(refused({.ranges = {parse_range("a=0:1")}}),
            "error[study.bad-range]: 'a=0:1' is no range: a grid needs a number of points." +
                std::string(kForms));
  EXPECT_EQ(refused({.kind = Kind::Random, .ranges = {parse_range("a=0:1:4")}, .count = 5}),
            "error[study.bad-range]: 'a=0:1:4' is no range: a number of points belongs to a grid; "
            "'random' has its own." +
                std::string(kForms));
  EXPECT_EQ(refused({.kind = Kind::Latin, .ranges = {parse_range("a=1,2")}, .count = 5}),
            "error[study.bad-range]: 'a=1,2' is no range: single values are points of a grid; "
            "'latin' needs low:high." +
                std::string(kForms));
  EXPECT_EQ(refused({.kind = Kind::Random, .ranges = {parse_range("a=0:1")}}),
            "error[study.bad-design]: 0 is no number of points: 1 to 1000000000 are possible.");
  Design wide{.kind = Kind::Sobol, .count = 4};
  for (int i = 0; i < 33; ++i) wide.ranges.push_back({"p" + std::to_string(i), 0, 1});
  EXPECT_EQ(refused(wide),
            "error[study.bad-design]: 33 parameters are varied; Sobol' points are known for at "
            "most 32.\n  Use a Latin hypercube.");
  Design large;
  for (int i = 0; i < 4; ++i) large.ranges.push_back({"p" + std::to_string(i), 0, 1, 1000});
  EXPECT_EQ(refused(large),
            "error[study.bad-design]: the grid has more than 1000000000 points.\n"
            "  Use fewer points in each direction, or random or Sobol' points.");
}

TEST(Samples, OfALatinHypercubeMeetEverySliceOnce) {
  const Samples samples({.kind = Kind::Latin,
                         .ranges = {parse_range("a=2:3"), parse_range("b=-1:1")},
                         .count = 97,
                         .seed = 5});
  for (std::size_t p = 0; p < 2; ++p) {
    std::vector<int> met(97, 0);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const Range& range = samples.design().ranges[p];
      const double u = (samples.point(i)[p] - range.low) / (range.high - range.low);
      ++met.at(static_cast<std::size_t>(97 * u));
    }
    EXPECT_EQ(met, std::vector<int>(97, 1));
  }
}

TEST(Samples, OfAnotherSeedAreOthersAndThoseOfTheSameAreTheSame) {
  for (const Kind kind : {Kind::Random, Kind::Latin, Kind::Sobol}) {
    const auto first = [&](std::uint64_t seed) {
      return Samples({.kind = kind, .ranges = {parse_range("a=0:1")}, .count = 50, .seed = seed})
          .point(0);
    };
    EXPECT_EQ(first(1), first(1));
    EXPECT_NE(first(1), first(2));
  }
}

// Moments of the uniform distribution: 1/2, 1/12; the mean of n numbers deviates by 1/√(12 n).
TEST(RandomUniform, HasTheMomentsOfTheUniformDistribution) {
  constexpr int kCount = 100'000;
  double sum = 0, squares = 0, products = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = random_uniform(7, 0, static_cast<std::uint64_t>(i)) - 0.5;
    const double w = random_uniform(7, 1, static_cast<std::uint64_t>(i)) - 0.5;
    sum += u;
    squares += u * u;
    products += u * w;
  }
  EXPECT_LT(std::abs(sum / kCount), 4 / std::sqrt(12.0 * kCount));
  EXPECT_NEAR(squares / kCount, 1.0 / 12, 4 * std::sqrt(1.0 / 180 / kCount));
  EXPECT_LT(std::abs(products / kCount), 4 / (12 * std::sqrt(double(kCount))));
}

// The first points in three dimensions as published with the direction numbers [Joe & Kuo 2008].
TEST(SobolSequence, BeginsAsPublished) {
  const SobolSequence sobol(3);
  const double expected[10][3] = {{0, 0, 0},
                                  {0.5, 0.5, 0.5},
                                  {0.75, 0.25, 0.25},
                                  {0.25, 0.75, 0.75},
                                  {0.375, 0.375, 0.625},
                                  {0.875, 0.875, 0.125},
                                  {0.625, 0.125, 0.875},
                                  {0.125, 0.625, 0.375},
                                  {0.1875, 0.3125, 0.9375},
                                  {0.6875, 0.8125, 0.4375}};
  for (std::uint64_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(sobol(i, j), expected[i][j]) << i << ' ' << j;
  }
}

// Each dimension by itself is a (0,1)-sequence: 2^k points meet each of 2^k equal slices once. In
// two neighbouring dimensions 2^10 points meet each of 2^5 × 2^5 squares at most a few times.
TEST(SobolSequence, FillsEverySliceInEveryDimensionShiftedOrNot) {
  const std::uint64_t seed = 3;
  for (const std::uint64_t* shift : {static_cast<const std::uint64_t*>(nullptr), &seed}) {
    const SobolSequence sobol(SobolSequence::kMostDimensions, shift);
    for (std::size_t j = 0; j < SobolSequence::kMostDimensions; ++j) {
      std::vector<int> met(1024, 0);
      for (std::uint64_t i = 0; i < 1024; ++i) ++met[static_cast<std::size_t>(1024 * sobol(i, j))];
      EXPECT_EQ(met, std::vector<int>(1024, 1)) << j;
    }
  }
}

// ∫ Π (1 + (x_j − 1/2)) = 1. Random points are off by some √((13/12)^d / n).
TEST(SobolSequence, IntegratesFarMoreAccuratelyThanRandomPoints) {
  constexpr std::size_t kDimensions = 8;
  constexpr std::uint64_t kCount = 1 << 14;
  const SobolSequence sobol(kDimensions);
  double sum = 0;
  for (std::uint64_t i = 0; i < kCount; ++i) {
    double product = 1;
    for (std::size_t j = 0; j < kDimensions; ++j) product *= sobol(i, j) + 0.5;
    sum += product;
  }
  EXPECT_NEAR(sum / kCount, 1, 1e-3);  // random: 7e-3
}

}  // namespace
}  // namespace koppel

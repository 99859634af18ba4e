#include <koppel/results/trajectory.hpp>

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Trajectory make(std::initializer_list<std::array<double, 2>> rows) {
  Trajectory trajectory({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  for (const auto& row : rows) trajectory.append(row);
  return trajectory;
}

TEST(Trajectory, ColumnsAreFoundByName) {
  const Trajectory t = make({{0, 5}, {1, 7}});
  EXPECT_EQ(t.find("x"), 1);
  EXPECT_EQ(t.find("y"), -1);
  EXPECT_EQ(t["x"][1], 7);
  EXPECT_EQ(t.num_rows(), 2u);
}

TEST(Trajectory, UnknownColumnGetsASuggestion) {
  const Trajectory t({{"t", "s", Group::Time}, {"crank.angle", "rad", Group::Outputs}});
  EXPECT_EQ(testing::error_of([&] { t["crank.angel"]; }),
            "error[results.unknown-column]: there is no column 'crank.angel'.\n"
            "  Did you mean 'crank.angle'?");
}

TEST(Trajectory, EqualNamesAreRefused) {
  EXPECT_EQ(testing::error_of([&] {
              const Trajectory t({{"t", "s", Group::Time}, {"x", "", {}}, {"x", "", {}}});
            }),
            "error[results.duplicate-column]: two columns are named 'x'.\n"
            "  Rename one of the outputs.");
}

TEST(Trajectory, RmsIsOverTimeNotOverRows) {
  // 1 for 9 s, then (within a corner of no width) 3 for 1 s: √((9·1 + 1·9)/10).
  const ColumnStatistics s = make({{0, 1}, {9, 1}, {9, 3}, {9.5, 3}, {10, 3}}).statistics(1);
  EXPECT_EQ(s.min, 1);
  EXPECT_EQ(s.max, 3);
  EXPECT_EQ(s.final, 3);
  EXPECT_TRUE(near(s.rms, std::sqrt(1.8), {.relative = 1e-15, .because = "a few roundings"}));
}

// The trapezoidal rule on x² with x = t at 0, 1, 3: (1·(0 + 1) + 2·(1 + 9))/2 = 10.5 over 3 s.
TEST(Trajectory, RmsIsByTheTrapezoidalRule) {
  const ColumnStatistics s = make({{0, 0}, {1, 1}, {3, 3}}).statistics(1);
  EXPECT_TRUE(near(s.rms, std::sqrt(3.5), {.relative = 1e-15, .because = "a few roundings"}));
}

TEST(Trajectory, StatisticsLeaveOutWhatIsNotFinite) {
  const ColumnStatistics s = make({{0, kNaN}, {1, -2}, {2, -2}, {3, kNaN}}).statistics(1);
  EXPECT_EQ(s.min, -2);
  EXPECT_EQ(s.max, -2);
  EXPECT_EQ(s.rms, 2);
  EXPECT_EQ(s.num_undefined, 2u);
  EXPECT_TRUE(std::isnan(s.final));
}

TEST(Trajectory, StatisticsOfHugeValuesDoNotOverflow) {
  EXPECT_EQ(make({{0, 1e300}, {1, 1e300}}).statistics(1).rms, 1e300);
}

TEST(Trajectory, ThinningKeepsBothEnds) {
  EXPECT_EQ(thin_evenly(3, 10), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(thin_evenly(101, 3), (std::vector<std::size_t>{0, 50, 100}));
  EXPECT_EQ(thin_evenly(0, 3), (std::vector<std::size_t>{}));
  EXPECT_EQ(thin_evenly(1, 3), (std::vector<std::size_t>{0}));
}

}  // namespace
}  // namespace koppel

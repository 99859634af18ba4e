#include <gtest/gtest.h>

#include "tests/simulate/slider_crank.hpp"

namespace koppel::testing {
namespace {

// Fig. 3 of the paper: without stabilisation, the drift of the positions grows with the square of
// time where only accelerations satisfy the constraints, and linearly where velocities do.
TEST(SliderCrankFormulations, DriftAsInThePaper) {
  const Comparison c = compare_slider_crank(40, Projection::None, 1e-8);
  ASSERT_EQ(c.runs.size(), kPaperForms.size() + 1);
  for (const Compared& run : c.runs) EXPECT_EQ(run.status, "done") << run.formulation << run.text;
  const double qr = run_of(c, "qr").position_drift, svd = run_of(c, "svd").position_drift;
  EXPECT_NEAR(qr, svd, 0.01 * qr);
  for (const char* partition : {"partition:x", "partition:alpha", "partition:beta"}) {
    EXPECT_LT(run_of(c, partition).position_drift, 100 * qr) << partition;
    EXPECT_GT(run_of(c, partition).position_drift, qr / 2) << partition;
  }
  for (const char* index1 : {"explicit", "implicit"}) {
    const Compared& run = run_of(c, index1);
    EXPECT_GT(run.position_drift, 100 * qr) << index1;
    // Twice the time, four times the drift.
    const double half = run.violations[run.violations.size() / 2];
    EXPECT_NEAR(run.violations.back() / half, 4, 1.5) << index1;
  }
  EXPECT_EQ(run_of(c, "minimal").position_drift, 0);
}

TEST(SliderCrankFormulations, AgreeWithTheMinimalForm) {
  const Comparison c = compare_slider_crank(10, Projection::Full, 1e-11);
  EXPECT_LT(c.reference_error, 1e-10);
  for (const Compared& run : c.runs) {
    ASSERT_EQ(run.status, "done") << run.formulation << run.text;
    EXPECT_LT(run.position_drift, 1e-10) << run.formulation;
    ASSERT_TRUE(run.error) << run.formulation;
    EXPECT_LT(*run.error, 1e-7) << run.formulation;
  }
}

}  // namespace
}  // namespace koppel::testing

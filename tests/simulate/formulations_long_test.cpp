#include <gtest/gtest.h>

#include "tests/simulate/slider_crank.hpp"

namespace koppel::testing {
namespace {

TEST(SliderCrankFormulations, DriftKeepsItsOrderFor300Seconds) {
  const Comparison c = compare_slider_crank(300, Projection::None, 1e-8);
  const double qr = run_of(c, "qr").position_drift;
  EXPECT_NEAR(qr, run_of(c, "svd").position_drift, 0.01 * qr);
  EXPECT_LT(qr, 1e-7);
  EXPECT_LT(run_of(c, "partition:x").position_drift, 100 * qr);
  // t² against t: from 50 times as much at 40 s (formulations_test.cpp) to 7.5 times that.
  EXPECT_GT(run_of(c, "explicit").position_drift, 375 * qr);
  EXPECT_GT(run_of(c, "implicit").position_drift, 375 * qr);
}

TEST(SliderCrankFormulations, ProjectionHoldsTheConstraintsFor3000Seconds) {
  for (const double end : {300.0, 3000.0}) {
    for (const Projection projection : {Projection::Once, Projection::Full}) {
      const Comparison c = compare_slider_crank(end, projection, 1e-11);
      for (const Compared& run : c.runs) {
        EXPECT_EQ(run.status, Outcome::Status::Done) << run.formulation << run.text;
        EXPECT_EQ(run.reached, end) << run.formulation;
        EXPECT_LT(run.position_drift, 1e-10) << run.formulation;
      }
    }
  }
}

}  // namespace
}  // namespace koppel::testing

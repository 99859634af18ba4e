// The problems of the IFToMM library and of the test set for initial value problems, as index 3 and
// from plain initial values: no hint of an index or of a first step.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <problems/validation.hpp>

namespace koppel {
namespace {

using problems::compare;
using problems::Comparison;
using problems::known_motion;
using problems::read_mechanism;

struct Benchmark {
  std::string name, coordinates;
  Model model;
  Trajectory known;
  bool passes_singular = false;
};

std::vector<Benchmark> benchmarks() {
  return {
      {"A01", "natural", read_mechanism("pendulum"), known_motion("pendulum")},
      {"A02", "natural", read_mechanism("four_bar"), known_motion("four_bar"), true},
      {"A03", "lagrange", read_mechanism("andrews", problems::kA03), problems::a03_motion()},
      {"A04", "natural", read_mechanism("bricard"), known_motion("bricard")},
      {"andrews", "lagrange", read_mechanism("andrews"), known_motion("andrews")},
      {"car axle", "lagrange", read_mechanism("car_axle"), known_motion("car_axle")},
  };
}

TEST(Benchmarks, TaylorFollowsTheToleranceOverAllTime) {
  for (const Benchmark& b : benchmarks()) {
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const Comparison c =
          compare(b.model, {b.coordinates, "index3", "taylor", tolerance}, b.known, {});
      ASSERT_TRUE(c.is_done) << b.name << ' ' << tolerance << ": " << c.text;
      // Errors of velocities, which are p/h times those of positions, over a hundred steps.
      EXPECT_LT(c.over_time, 200 * tolerance) << b.name << ' ' << tolerance;
    }
  }
}

TEST(Benchmarks, RadauReachesThemAsIndexThree) {
  for (const Benchmark& b : benchmarks()) {
    if (b.passes_singular) continue;
    for (const auto& [tolerance, limit] :
         {std::pair{1e-6, 2e-4}, std::pair{1e-8, 1e-5}, std::pair{1e-10, 1e-6}}) {
      const Comparison c =
          compare(b.model, {b.coordinates, "index3", "radau5", tolerance}, b.known, {});
      ASSERT_TRUE(c.is_done) << b.name << ' ' << tolerance << ": " << c.text;
      // Velocities count with h and multipliers with h² in the error of a step [Hairer & Wanner
      // 1996, VII.6], so that those of index 3 follow a power of the tolerance below one.
      EXPECT_LT(c.over_time, limit) << b.name << ' ' << tolerance;
    }
  }
}

// What the IFToMM library asks for.
TEST(Benchmarks, EnergyStaysWithinTheLimitsOfTheLibrary) {
  for (const auto& [name, limit] :
       {std::pair{"pendulum", 5e-5}, std::pair{"four_bar", 0.1}, std::pair{"bricard", 1e-3}}) {
    const Comparison c = compare(read_mechanism(name), {"natural", "index3", "taylor", 1e-6},
                                 known_motion(name), {});
    EXPECT_LT(c.energy, limit) << name;
  }
}

}  // namespace
}  // namespace koppel

// Optima with closed forms, limits that hold them back, and what is told where there are none.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/optimize.hpp>
#include <koppel/study/optimize_journal.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::near;

OptimizeOptions options_for(const std::string& minimize, std::vector<std::string> over,
                            double end) {
  OptimizeOptions options;
  options.minimize = {parse_criterion(minimize)};
  for (const std::string& text : over) options.over.push_back(parse_range(text));
  options.run.end = end;
  options.run.tolerance = 1e-11;
  return options;
}

using testing::error_of;

// A ball thrown from height h with speed v at an angle α flies v cos α/g (v sin α + √(v² sin² α +
// 2 g h)): farthest at sin² α = v²/(2 v² + 2 g h).
constexpr const char* kThrow = R"(
parameters: {alpha: 0.3, v: 10, h: 2, g: 9.81}
coordinates:
  x: {start: 0, rate: v*cos(alpha)}
  y: {start: h, rate: v*sin(alpha)}
kinetic: (x'^2 + y'^2)/2
potential: g*y
outputs: {x: x, y: y}
events: {ground: {when: y, direction: falling, stop: true}}
)";

TEST(Optimize, FindsTheAngleOfTheFarthestThrow) {
  const Model model = read_model_text(kThrow, "throw.yaml");
  OptimizeOptions options = options_for("x:final", {"alpha=0.1:1.4"}, 10);
  options.maximizes = true;
  const Optimum best = optimize(model, {}, options);
  const double v = 10, h = 2, g = 9.81;
  const double alpha = std::asin(std::sqrt(v * v / (2 * v * v + 2 * g * h)));
  EXPECT_EQ(best.end, Optimum::End::Converged);
  EXPECT_TRUE(near(best.best.at[0], alpha, {.relative = 1e-5, .because = "tolerance 1e-6"}));
  EXPECT_TRUE(near(-best.best.value, v / g * std::sqrt(v * v + 2 * g * h),
                   {.relative = 1e-9, .because = "flat at the optimum"}));
  EXPECT_LT(best.remaining_slope, 1e-4);
  EXPECT_TRUE(best.at_bounds.empty());
}

// The top of the flight, h + (v sin α)²/2g, may be 3 m at most.
TEST(Optimize, StopsAtALimitAlongTheTrajectory) {
  const Model model = read_model_text(kThrow, "throw.yaml");
  OptimizeOptions options = options_for("x:final", {"alpha=0.1:1.4"}, 10);
  options.maximizes = true;
  options.limits = {parse_limit("y:max <= 3")};
  const Optimum best = optimize(model, {}, options);
  EXPECT_EQ(best.end, Optimum::End::Converged);
  EXPECT_TRUE(best.is_feasible);
  EXPECT_TRUE(near(best.best.at[0], std::asin(std::sqrt(2 * 9.81 * 1) / 10),
                   {.relative = 1e-5, .because = "tolerance 1e-6"}));
  EXPECT_EQ(best.active, std::vector<std::string>{"y:max <= 3"});
  EXPECT_LT(best.remaining_slope, 1e-4);
}

// x = u t and y = w t: |x − ½| + 0.3 x + (y − 0.7)² is smallest at u = ½, w = 0.7, where its slope
// by u jumps from −0.7 to 1.3.
TEST(Optimize, SaysThatAMinimumIsAtAKink) {
  const Model model = read_model_text(R"(
parameters: {u: 0.2, w: 0.2}
coordinates: {x: {start: 0, rate: u}, y: {start: 0, rate: w}}
kinetic: (x'^2 + y'^2)/2
outputs: {x: x}
)",
                                      "kink.yaml");
  const Optimum best = optimize(
      model, {}, options_for("abs(x - 0.5) + 0.3*x + (y - 0.7)^2:final", {"u=0:1.1", "w=0:1"}, 1));
  EXPECT_EQ(best.end, Optimum::End::Converged);
  EXPECT_NEAR(best.best.at[0], 0.5, 1e-5);
  EXPECT_NEAR(best.best.at[1], 0.7, 1e-3);
  EXPECT_GT(best.remaining_slope, 0.5);
  ASSERT_TRUE(best.slope_at_kink);
  EXPECT_LT(*best.slope_at_kink, 2e-3);  // 2 (w − 0.7)
}

// √((x − ½)² + 10⁻⁸) turns within 10⁻⁴, smoothly.
TEST(Optimize, TakesNoBendForAKink) {
  const Model model = read_model_text(R"(
parameters: {u: 0.2}
coordinates: {x: {start: 0, rate: u}}
kinetic: x'^2/2
outputs: {x: x}
)",
                                      "bend.yaml");
  for (const char* width : {"1e-8", "1e-10", "1e-4"}) {
    const std::string goal = std::string("sqrt((x - 0.5)^2 + ") + width + "):final";
    const Optimum best = optimize(model, {}, options_for(goal.c_str(), {"u=0:1.1"}, 1));
    EXPECT_FALSE(best.slope_at_kink) << width << ": " << *best.slope_at_kink;
  }
}

TEST(Optimize, SaysThatLimitsContradictEachOther) {
  const Model model = read_model_text(kThrow, "throw.yaml");
  OptimizeOptions options = options_for("x:final", {"alpha=0.1:1.4"}, 10);
  options.limits = {parse_limit("y:max <= 2.5"), parse_limit("x:final >= 12")};
  EXPECT_FALSE(optimize(model, {}, options).is_feasible);
}

constexpr const char* kLine = R"(
parameters: {u: 0.2}
states: {z: {rate: u, start: 0}}
outputs: {z: z}
)";

// z = u at the end, and in micrometres as much as in kilometres.
TEST(Optimize, KeepsLimitsOfAnySize) {
  const Model model = read_model_text(kLine, "line.yaml");
  for (const char* limit : {"1e-6*z:final <= 5e-7", "z:final <= 0.5", "1e6*z:final <= 5e5",
                            "1e-6*(z - 0.5):final <= 0", "1e6*(z - 0.5):final <= 0"}) {
    OptimizeOptions options = options_for("z:final", {"u=0:2"}, 1);
    options.maximizes = true;
    options.limits = {parse_limit(limit)};
    const Optimum best = optimize(model, {}, options);
    EXPECT_EQ(best.end, Optimum::End::Converged) << limit;
    EXPECT_TRUE(best.is_feasible) << limit;
    EXPECT_TRUE(near(best.best.at[0], 0.5, {.relative = 1e-5, .because = "tolerance 1e-6"}))
        << limit;
    EXPECT_EQ(best.active.size(), 1U) << limit;
  }
}

// 1 + (z − 1)² (z − 3)² + 0.1 (3 − z) is never below 0.5. It comes nearest beside 3, where z is
// not smallest.
TEST(Optimize, OfSeveralStartsTakesTheOneThatComesNearestToTheLimits) {
  const Model model = read_model_text(kLine, "line.yaml");
  OptimizeOptions options = options_for("z:final", {"u=0:4"}, 1);
  options.limits = {parse_limit("1 + (z - 1)^2*(z - 3)^2 + 0.1*(3 - z):final <= 0.5")};
  options.starts = 6;
  const Optimum best = optimize(model, {}, options);
  EXPECT_FALSE(best.is_feasible);
  EXPECT_NEAR(best.best.at[0], 3.0124, 0.1);
}

// What limits are, not what they are called, and to the last digit.
TEST(OptimizeJournal, OfOtherLimitsIsRefused) {
  const testing::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "journal.txt";
  OptimizeOptions options = options_for("z:final", {"u=0:4"}, 1);
  const auto said = [&](const char* limit) {
    options.limits = {parse_limit(limit)};
    return error_of([&] { const OptimizeJournal journal(path, "hash", options); });
  };
  EXPECT_EQ(said("c=z:max <= 0.5"), "");
  EXPECT_EQ(said("d=z:max <= 0.5"), "");
  for (const char* other : {"c=z:min <= 0.5", "c=u:max <= 0.5", "c=z:max <= 0.50000001"}) {
    EXPECT_NE(said(other).find("study.other-optimization"), std::string::npos) << other;
  }
  options.run.projection = Projection::None;
  EXPECT_NE(said("c=z:max <= 0.5").find("projection"), std::string::npos);
}

TEST(Optimize, StopsAtBoundsAndNamesThem) {
  const Model model = read_model_text(kThrow, "throw.yaml");
  OptimizeOptions options = options_for("x:final", {"alpha=0.1:0.5", "v=5:12"}, 10);
  options.maximizes = true;
  const Optimum best = optimize(model, {}, options);
  EXPECT_EQ(best.at_bounds, (std::vector<std::string>{"alpha: high", "v: high"}));
  EXPECT_EQ(best.end, Optimum::End::Converged);
}

// sin has two minima in the range; the start is in the valley of the shallow one.
TEST(Optimize, SeveralStartsFindTheDeeperMinimum) {
  const Model model = read_model_text(R"(
parameters: {a: 1}
coordinates: {x: a}
kinetic: x'^2/2
outputs: {f: sin(3*x) - 0.2*x}
)",
                                      "valleys.yaml");
  OptimizeOptions options = options_for("f:final", {"a=0:5"}, 0.1);
  const double shallow = optimize(model, {}, options).best.at[0];
  options.starts = 8;
  const Optimum best = optimize(model, {}, options);
  const double bottom = std::acos(0.2 / 3);  // 3 cos 3x = 0.2
  EXPECT_NEAR(shallow, (2 * M_PI - bottom) / 3, 1e-4);
  EXPECT_NEAR(best.best.at[0], (4 * M_PI - bottom) / 3, 1e-4);
  EXPECT_EQ(best.starts.size(), 8U);
}

// A crank and a rod that cannot reach the slider beyond some lengths: those runs fail, others go
// on.
TEST(Optimize, GoesOnBesideVariantsThatCannotBeAssembled) {
  const Model model = read_model_text(R"(
parameters: {a: 0.4, b: 1, e: 0.5}
dimension: 2
bodies:
  ground: {points: {E: [0, e]}}
  crank: {mass: 1, shape: {rod: {from: [0, 0], to: [a, 0]}}, points: {A: [a, 0]}}
  rod: {mass: 1, shape: {rod: {from: [0, 0], to: [b, 0]}}, points: {B: [b, 0]}, position: [a, 0]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  B: {type: point-on-line, between: [ground.E, rod.B], axis: [1, 0]}
initial: {crank.angle: {value: 0.3, fixed: true}}
outputs: {Bx: rod.B.x}
)",
                                      "offset.yaml");
  OptimizeOptions options = options_for("Bx:final", {"b=0.2:1.5"}, 0.05);
  const Optimum best = optimize(model, {}, options);
  ASSERT_FALSE(best.best.at.empty());
  EXPECT_LT(best.best.value, best.first.value);
}

// With a mass of −0.01 kg it would go to the left by 50 m.
TEST(Optimize, GoesOnBesideVariantsThatAreNoModels) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {m: 1}
bodies: {sled: {point_mass: m}}
forces: {push: {type: force, on: sled, force: [1, 0]}}
outputs: {x: sled.x}
)",
                                      "sled.yaml");
  const Optimum best = optimize(model, {}, options_for("x^2 - 10*x:final", {"m=-2:4"}, 1));
  ASSERT_FALSE(best.best.at.empty());
  EXPECT_GT(best.best.at[0], 0);
  const std::string told = error_of([&] { StudiedParameters(model, {}, {"m"}).at({{-1.0}}); });
  EXPECT_NE(told.find("error[model.bad-mass]: body 'sled' has the mass -1"), told.npos) << told;
}

TEST(Optimize, RefusesWhatMakesNoSense) {
  const Model model = read_model_text(kThrow, "throw.yaml");
  EXPECT_EQ(error_of([&] { optimize(model, {}, options_for("x:final", {"beta=0:1"}, 1)); }),
            "error[study.unknown-parameter]: 'beta' is neither a parameter nor an initial value of "
            "the model.\n  parameters: alpha, v, h, g; `start.NAME` is the initial value of NAME.");
  EXPECT_EQ(
      error_of([&] { optimize(model, {}, options_for("x:final", {"v=2,1"}, 1)); }),
      "error[study.bad-range]: 'v=2,1' has no bounds to optimise within.\n  Write name=low:high "
      "with low below high.");
  EXPECT_EQ(error_of([&] { parse_limit("x:final < 2"); }),
            "error[study.bad-limit]: 'x:final < 2' is no limit: it has neither <= nor >=.\n  Write "
            "CRITERION <= NUMBER or CRITERION >= NUMBER, as in \"rod.angle:max <= 0.5\".");
}

}  // namespace
}  // namespace koppel

// Runs that start in a singular configuration, or close to one: on the branch that the velocities
// choose, or refused with what there is to choose from.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/analysis/singular_models.hpp"
#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

Simulation run(const Model& model, const std::string& coordinates, double end,
               const std::string& integrator = "taylor") {
  SimulateOptions options;
  options.end = end;
  options.coordinates = coordinates;
  options.integrator = integrator;
  options.tolerance = 1e-10;
  options.sampling.count = 51;
  return simulate(model, options);
}

double last(const Simulation& s, const std::string& name) { return s.trajectory[name].back(); }

std::string refusal(const Model& model, const std::string& coordinates) {
  return testing::error_of([&] { run(model, coordinates, 0.1); });
}

// The angle of both cranks of the parallelogram: its coupler moves on circles of radius 1, so that
// with rods of mass 1 and a coupler of mass 2
//   (1/3 + 2 + 1/3) φ″ = −(1/2 + 2 + 1/2) g cos φ.
double parallel_angle(double angle, double rate, double end) {
  constexpr int kSteps = 20000;
  const double h = end / kSteps;
  const auto acceleration = [](double x) { return -9.0 / 8 * 9.81 * std::cos(x); };
  for (int i = 0; i < kSteps; ++i) {  // Runge and Kutta's
    const double a1 = acceleration(angle), v2 = rate + h / 2 * a1;
    const double a2 = acceleration(angle + h / 2 * rate), v3 = rate + h / 2 * a2;
    const double a3 = acceleration(angle + h / 2 * v2), v4 = rate + h * a3;
    const double a4 = acceleration(angle + h * v3);
    angle += h / 6 * (rate + 2 * v2 + 2 * v3 + v4);
    rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  return angle;
}

const Tolerance kMotion{.relative = 1e-8, .scale = 1, .because = "tolerance 1e-10 over the run"};

TEST(SingularStart, ParallelogramMovesAsOneWhereVelocitiesSaySo) {
  const Settings rates = {{"w1", "-1"}, {"w2", "0"}, {"w3", "-1"}};
  const double angle = parallel_angle(0, -1, 0.5);
  for (const std::string& set : coordinate_sets(flat_parallelogram())) {
    const Simulation s = run(flat_parallelogram(rates), set, 0.5);
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_TRUE(near(last(s, "yB"), std::sin(angle), kMotion)) << set;
    EXPECT_TRUE(near(last(s, "yC"), std::sin(angle), kMotion)) << set;
    EXPECT_LT(s.summary.max_position_violation, 1e-8) << set;
    EXPECT_LT(s.summary.energy_drift, 1e-8) << set;
    EXPECT_EQ(s.trajectory.num_rows(), 51u);
    EXPECT_EQ(s.trajectory.time().front(), 0);
  }
}

// On the other branch the coupler turns: no closed form, but all coordinates agree, the energy
// stays, and B and C are on opposite sides.
TEST(SingularStart, AntiparallelogramCrossesWhereVelocitiesSaySo) {
  const Settings rates = {{"w1", "-1"}, {"w2", "2"}, {"w3", "3"}};
  const Simulation reference = run(flat_parallelogram(rates), "joint", 0.25, "dop853");
  for (const std::string& set : coordinate_sets(flat_parallelogram())) {
    const Simulation s = run(flat_parallelogram(rates), set, 0.25);
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_LT(last(s, "yB") * last(s, "yC"), 0) << set;
    EXPECT_TRUE(near(last(s, "yB"), last(reference, "yB"), kMotion)) << set;
    EXPECT_TRUE(near(last(s, "yC"), last(reference, "yC"), kMotion)) << set;
    EXPECT_LT(s.summary.max_position_violation, 1e-8) << set;
    EXPECT_LT(s.summary.energy_drift, 1e-8) << set;
  }
}

TEST(SingularStart, TiltedByAMillionthFallsAsAParallelogram) {
  for (const char* tilt : {"-1e-6", "-1e-4"}) {
    const double angle = parallel_angle(std::stod(tilt), 0, 0.5);
    for (const std::string& set : coordinate_sets(flat_parallelogram())) {
      const Simulation s = run(flat_parallelogram({{"tilt", tilt}}), set, 0.5);
      EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
      EXPECT_TRUE(near(last(s, "yB"), std::sin(angle), kMotion)) << set << ' ' << tilt;
      EXPECT_TRUE(near(last(s, "yC"), std::sin(angle), kMotion)) << set << ' ' << tilt;
    }
  }
}

TEST(SingularStart, SliderStaysOverThePivotWhereVelocitiesSaySo) {
  for (const std::string& set : coordinate_sets(upright_slider_crank())) {
    const Simulation s =
        run(upright_slider_crank({{"w1", "1"}, {"w2", "1"}, {"w3", "0"}}), set, 0.3);
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_LT(std::abs(last(s, "xS")), 1e-9) << set;
    EXPECT_GT(std::abs(last(s, "xB")), 0.1) << set;
    const Simulation moves =
        run(upright_slider_crank({{"w1", "-1"}, {"w2", "1"}, {"w3", "2"}}), set, 0.3);
    EXPECT_EQ(moves.status, Outcome::Status::Done) << moves.text;
    EXPECT_TRUE(near(last(moves, "xS"), 2 * last(moves, "xB"), kMotion)) << set;
  }
}

TEST(SingularStart, InSpaceFollowsItsBranchWithRedundantJoints) {
  for (const std::string& set : coordinate_sets(flat_in_space())) {
    const Simulation s =
        run(flat_in_space({{"w1", "-1"}, {"w2", "0"}, {"w3", "-1"}}), set, 0.3, "auto");
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_TRUE(near(last(s, "yB"), last(s, "yC"), kMotion)) << set;
    EXPECT_LT(s.summary.energy_drift, 1e-8) << set;
  }
}

TEST(SingularStart, AtRestIsRefusedWithItsBranches) {
  EXPECT_EQ(
      refusal(flat_parallelogram(), "joint"),
      "error[simulate.singular-start]: the start is a singular configuration: 2 freedoms meet "
      "there, 1 near it; the equations of 'c' become dependent. At rest there, nothing "
      "decides which branch the motion follows. Branches, by their rates: (1) a.angle' = 1, "
      "d.angle' = 1, b.angle' = -1; (2) d.angle' = 1, b.angle' = 1, a.angle' = -0.3333.\n"
      "  Give `initial` rates along one of them, or start beside the configuration.");
  for (const Model& model : {flat_parallelogram(), folded_rhombus(), upright_slider_crank()}) {
    for (const std::string& set : coordinate_sets(model)) {
      EXPECT_NE(refusal(model, set).find("At rest there, nothing decides"), std::string::npos)
          << model.name << ' ' << set << refusal(model, set);
    }
  }
}

// A slider crank that is pushed back from where it is stretched, x = 3 − t²/10: nothing is free.
// The rates of a branch are those that the refusal of the start at rest prints. By the law of
// cosines the crank, of 1 m beside a rod of 2 m, is at cos φ = (1 + x² − 4)/(2x).
TEST(SingularStart, OfADrivenMechanismFollowsTheBranchThatIsChosen) {
  const std::string text = R"(
dimension: 2
bodies:
  crank: {mass: 1, com: [0.5, 0], inertia: 0.1, points: {A: [1, 0]}}
  rod: {mass: 1, com: [1, 0], inertia: 0.3, points: {B: [2, 0]}, position: [1, 0]}
  slider: {mass: 1, inertia: 0.1, position: [3, 0]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  B: {type: revolute, between: [rod.B, slider]}
  S: {type: prismatic, between: [ground, slider], axis: [1, 0], drive: 3 - 0.1*t^2}
outputs: {angle: crank.angle}
)";
  EXPECT_NE(refusal(read_model_text(text, "pushed.yaml"), "joint").find("O.angle' = 0.36514837"),
            std::string::npos);
  for (const double sign : {1.0, -1.0}) {
    const Model model = read_model_text(
        text + "initial: {\"O.angle'\": " + std::to_string(sign) + "*0.36514837}\n", "pushed.yaml");
    for (const std::string& set : coordinate_sets(model)) {
      SCOPED_TRACE(set);
      const Simulation s = run(model, set, 1);
      ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
      const double x = 2.9;
      EXPECT_TRUE(near(last(s, "angle"), sign * std::acos((x * x - 3) / (2 * x)), kMotion));
    }
  }
}

TEST(SingularStart, WithVelocitiesBetweenTheBranchesIsRefused) {
  const Settings rates = {{"w1", "1"}, {"w2", "-0.25"}, {"w3", "0.5"}};
  for (const std::string& set : coordinate_sets(flat_parallelogram())) {
    EXPECT_NE(refusal(flat_parallelogram(rates), set)
                  .find("The initial velocities do not choose one of the branches."),
              std::string::npos)
        << set;
  }
}

TEST(SingularStart, ThatTheMechanismCannotLeaveIsRefused) {
  for (const std::string& set : coordinate_sets(stretched_rods())) {
    const std::string text = refusal(stretched_rods(), set);
    EXPECT_NE(text.find("are dependent to first order, yet hold the mechanism to second order"),
              std::string::npos)
        << set << text;
  }
}

}  // namespace
}  // namespace koppel

// Runs that would take very long, or for ever, are noticed while they run.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

SimulateOptions until(double end) {
  SimulateOptions options;
  options.end = end;
  return options;
}

TEST(Progress, FrictionThatSticksEndsTheRunWithAReason) {
  // It comes to rest at the first turn, where sign(x′) switches to and fro.
  const Model model = read_model_text(R"(
name: friction
coordinates: {x: 1}
kinetic: x'^2/2
potential: 5*x^2
generalized_forces: {x: -5*sign(x')}
outputs: {x: x}
)",
                                      "friction.yaml");
  const Simulation s = simulate(model, until(10));
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_LT(s.summary.steps, 200'000);
  EXPECT_NE(
      s.text.find("the run would not finish. 'sign' of the state switches back and forth, as in "
                  "sticking friction: use a smooth law instead, such as "
                  "tanh(v/eps) for sign(v)"),
      std::string::npos)
      << s.text;
}

// A sled on dry ground comes to rest after v₀/a, having gone v₀²/(2a); then 6e7 steps of 1.6e-8 s
// would be left at the default tolerance, which are minutes.
Model sled(const std::string& friction) {
  return read_model_text(R"(
name: sled
parameters: {a: 3, v0: 1}
coordinates: {x: {start: 0, rate: v0, fixed: true}}
kinetic: x'^2/2
generalized_forces: {x: ")" + friction +
                             R"("}
outputs: {x: x}
)",
                         "sled.yaml");
}

TEST(Progress, ARunWhoseMotionStaysAtASwitchEndsLongBeforeTheLimitOfSteps) {
  struct Case {
    const char* integrator;
    double tolerance, end;
  };
  for (const auto& [integrator, tolerance, end] :
       {Case{"dop853", 1e-8, 1.3}, Case{"radau5", 1e-6, 3}, Case{"cvode", 1e-6, 3}}) {
    SimulateOptions options = until(end);
    options.integrator = integrator;
    options.tolerance = tolerance;
    const Simulation s = simulate(sled("-a*sign(x')"), options);
    EXPECT_EQ(s.status, Outcome::Status::Failed) << integrator;
    EXPECT_LT(s.summary.steps, 50'000) << integrator;
    EXPECT_NEAR(s.trajectory["x"].back(), 1.0 / 6, 1e-6) << integrator;
    EXPECT_NE(s.text.find("the motion stays where 'x'' is zero"), std::string::npos) << s.text;
  }
}

TEST(Progress, ASledOnABeltStaysWhereTheyMoveTogether) {
  const Simulation s = simulate(sled("-a*select(x' > 2*t, 1, -1)"), until(3));
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_LT(s.summary.steps, 50'000);
  EXPECT_NE(s.text.find("the motion stays where"), std::string::npos) << s.text;
}

TEST(Progress, AStiffLawWithACornerIsNoSwitchThatTheMotionStaysAt) {
  // dop853 is held to short steps by a damper with two rates, c and 2c, which do not jump: about
  // 4e6 more are to come, and the run goes on until it is ended here.
  SimulateOptions options = until(20);
  options.integrator = "dop853";
  SimulateCallbacks callbacks;
  callbacks.progress = [](const Progress& progress) { return progress.steps < 60'000; };
  std::string told;
  callbacks.message = [&](const std::string& text) { told += text; };
  const Simulation s = simulate(sled("sin(t) - 1e6*x' - 1e6*max(0, x')"), options, callbacks);
  EXPECT_EQ(s.status, Outcome::Status::Stopped) << s.text;
  EXPECT_NE(told.find("more are to come. The motion may have"), std::string::npos) << told;
  EXPECT_EQ(told.find("sticking friction"), std::string::npos) << told;
}

TEST(Progress, ARelayThatSwingsForLongIsNoMotionThatStays) {
  // x″ = −sign x: parabolas, of which a million or so are to come, with seven steps each or more.
  for (const double tolerance : {1e-3, 1e-5, 1e-8}) {
    SimulateOptions options = until(1e6);
    options.tolerance = tolerance;
    SimulateCallbacks callbacks;
    callbacks.progress = [](const Progress& progress) { return progress.steps < 60'000; };
    const Simulation s = simulate(sled("-sign(x)"), options, callbacks);
    EXPECT_NE(s.status, Outcome::Status::Failed) << tolerance << ": " << s.text;
  }
}

Model spring(double k, double c) {
  return read_model_text(R"(
name: spring
parameters: {k: )" + std::to_string(k) +
                             ", c: " + std::to_string(c) +
                             R"(}
coordinates: {x: 0, y: 1}
kinetic: x'^2/2 + y'^2/2
potential: k*x^2/2 + 5*y^2 + y*x
dissipation: c*x'^2/2
outputs: {x: x, y: y}
)",
                         "spring.yaml");
}

TEST(Progress, AStiffDampedOscillationIsStiff) {
  for (const double c : {1e3, 1e4, 1e6}) {
    const Simulation s = simulate(spring(1e12, c), until(10));
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_EQ(s.choice.integrator, "radau5") << c;
    EXPECT_LT(s.summary.steps, 10'000) << c;
    EXPECT_NEAR(s.trajectory["y"].back(), std::cos(std::sqrt(10.0) * 10), 1e-5);
  }
  // One that is not damped out within the run has to be followed.
  EXPECT_EQ(simulate(spring(1e4, 0.1), until(10)).choice.integrator, "taylor");
}

}  // namespace
}  // namespace koppel

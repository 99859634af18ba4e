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

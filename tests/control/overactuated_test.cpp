// Fully actuated mechanisms, and those with more inputs than outputs.
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/control/inverse_runs.hpp"
#include "tests/error_of.hpp"

namespace koppel {
namespace {

using namespace testing;

Model sled(const std::string& inputs, const std::string& forces) {
  return read_model_text("name: sled\nparameters: {m: 2, g: 9.81}\ninputs: " + inputs +
                             "\ncoordinates: {x: 0, y: 0}\nkinetic: m/2*(x'^2 + y'^2)\n"
                             "potential: m*g*y\ngeneralized_forces: " +
                             forces +
                             "\nsignals: {c: {type: rest-to-rest, duration: 2, smoothness: 4}}\n"
                             "servo: {x: {output: x, reference: c}, y: {output: y, reference: "
                             "2*c}}\nrun: {end: 2}\n",
                         "sled.yaml");
}

TEST(Overactuated, InputsAreOfLeastNorm) {
  // F1 + F3 = X, F2 + F3 = Y. Least Σ F²/w²: F3 = (X/w1² + Y/w2²)/(1/w1² + 1/w2² + 1/w3²).
  const auto check = [](const std::string& inputs, double w1, double w2, double w3) {
    const Model model = sled(inputs, "{x: F1 + F3, y: F2 + F3}");
    const Inverse result = inverse(model, inverse_options_of(model));
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    EXPECT_EQ(result.summary.index, 3);
    const auto t = result.trajectory.time(), F1 = result.trajectory["F1"],
               F2 = result.trajectory["F2"], F3 = result.trajectory["F3"];
    for (std::size_t n = 0; n < t.size(); n += 50) {
      const double tau = t[n] / 2;
      const double c2 = 630 * 4 * std::pow(tau * (1 - tau), 3) * (1 - 2 * tau) / 4;
      const double X = 2 * c2, Y = 2 * (2 * c2 + 9.81);
      const double a1 = 1 / (w1 * w1), a2 = 1 / (w2 * w2), a3 = 1 / (w3 * w3);
      const double f3 = (X * a1 + Y * a2) / (a1 + a2 + a3);
      EXPECT_NEAR(F3[n], f3, 1e-11);
      EXPECT_NEAR(F1[n], X - f3, 1e-11);
      EXPECT_NEAR(F2[n], Y - f3, 1e-11);
    }
  };
  check("[F1, F2, F3]", 1, 1, 1);
  // Limits that are not reached.
  check("{F1: {min: -100, max: 100}, F2: {min: -200, max: 150}, F3: {max: 50}}", 100, 200, 50);
  // Without limits: as one with the largest.
  check("{F1: {min: -100, max: 100}, F2: , F3: {max: 50}}", 100, 100, 50);
}

// Two forces on a trolley that constraints keep on its rail share its acceleration.
TEST(Overactuated, InputsAreSharedInAllCoordinates) {
  const Model model = read_model_text(
      "name: trolley\ndimension: 2\ninputs: [F1, F2]\n"
      "bodies: {trolley: {mass: 2, inertia: 1}}\n"
      "joints: {rail: {type: prismatic, between: [ground, trolley], axis: [1, 0]}}\n"
      "forces:\n"
      "  push: {type: force, on: trolley, force: [F1, 0]}\n"
      "  pull: {type: force, on: trolley, force: [F2, 0]}\n"
      "signals: {c: {type: rest-to-rest, duration: 2, smoothness: 4}}\n"
      "servo: {x: {output: trolley.x, reference: c}}\nrun: {end: 2}\n",
      "trolley.yaml");
  for (const char* const set : {"absolute", "natural", "directors", "joint"}) {
    SCOPED_TRACE(set);
    InverseOptions options = inverse_options_of(model);
    options.coordinates = set;
    const Inverse result = inverse(model, options);
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    const auto t = result.trajectory.time(), F1 = result.trajectory["F1"],
               F2 = result.trajectory["F2"];
    for (std::size_t n = 0; n < t.size(); n += 50) {
      const double tau = t[n] / 2;
      const double force = 2 * 630 * 4 * std::pow(tau * (1 - tau), 3) * (1 - 2 * tau) / 4;
      EXPECT_NEAR(F1[n], force / 2, 1e-10);
      EXPECT_NEAR(F2[n], force / 2, 1e-10);
    }
  }
}

TEST(Overactuated, FullyActuatedMechanismsHaveIndexThree) {
  const Model model = sled("[F1, F2]", "{x: F1, y: F2}");
  const Inverse result = inverse(model, inverse_options_of(model));
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.summary.index, 3);
  EXPECT_NEAR(result.trajectory["F2"].front(), 2 * 9.81, 1e-12);
  EXPECT_NEAR(result.trajectory["F1"][500], 0, 1e-12);
}

TEST(Overactuated, SharesNeedInputsThatActOnAllOutputs) {
  // Two forces on the trolley of a crane, none on the load.
  const Model model = read_model_text(
      "name: crane\ninputs: [A, B, W]\ncoordinates: {s: 0, l: 4, x: 0, z: -4}\n"
      "kinetic: 5*s'^2 + 5*l'^2 + 50*(x'^2 + z'^2)\npotential: 981*z\n"
      "generalized_forces: {s: A + B, l: W}\nconstraints: {cable: ((x - s)^2 + z^2 - l^2)/2}\n"
      "signals: {c: {type: rest-to-rest, duration: 3, smoothness: 4}}\n"
      "servo: {x: {output: x, reference: c}, z: {output: z, reference: -4 + c}}\n",
      "crane.yaml");
  EXPECT_EQ(testing::error_of([&] { inverse(model, inverse_options_of(model)); }),
            "error[control.too-many-inputs]: there are too many inputs: 3 inputs ('A', 'B', "
            "'W') for 2 prescribed outputs ('x', 'z'). They can be shared out where they act "
            "on all outputs directly; here they do on 1.\n"
            "  Prescribe one more output for each of them, or leave an actuator out.");
}

TEST(Overactuated, OtherMethodsAreRefused) {
  const Model model = sled("[F1, F2, F3]", "{x: F1 + F3, y: F2 + F3}");
  for (const char* method : {"projection", "minimal-extension"}) {
    InverseOptions options = inverse_options_of(model);
    options.method = method;
    EXPECT_EQ(testing::error_of([&] { inverse(model, options); }),
              std::string("error[control.shared-inputs]: the method '") + method +
                  "' needs as many inputs as outputs.\n"
                  "  Use the method flat or minimal-extension:twice, which share the inputs out.");
  }
}

}  // namespace
}  // namespace koppel

// What no finite input follows, and what the servo problem leaves out, ends the results with a
// reason; starts from which inputs seem to do nothing are left by themselves.
#include <numbers>

#include <gtest/gtest.h>

#include "tests/control/inverse_runs.hpp"

namespace koppel {
namespace {

using namespace testing;

Inverse solve(const std::string& text, bool across_jumps = false) {
  const Model model = read_model_text(text, "model.yaml");
  InverseOptions options = inverse_options_of(model);
  options.across_jumps = across_jumps;
  return inverse(model, options);
}

bool says(const Inverse& result, const std::string& text) {
  return std::any_of(
      result.summary.messages.begin(), result.summary.messages.end(),
      [&](const std::string& message) { return message.find(text) != std::string::npos; });
}

std::string arm(const std::string& reference, const std::string& more = "") {
  return "name: arm\ninputs: [M]\nparameters: {k: 2}\ncoordinates: {a: 0}\nkinetic: a'^2/2\n"
         "generalized_forces: {a: M - k*a}\nservo: {a: {output: a, reference: \"" +
         reference + "\"}}\n" + more + "run: {end: 2, samples: 201}\n";
}

TEST(Rough, CornersOfReferencesAreFoundWhereverTheyAre) {
  constexpr double kPi = std::numbers::pi;
  struct Case {
    const char* reference;
    double corner;
  };
  for (const Case& c :
       {Case{"min(sin(2*t), 0.5)", kPi / 12}, Case{"abs(sin(2*t + 0.3))", (kPi - 0.3) / 2},
        Case{"max(0.2, t^3)", std::cbrt(0.2)}, Case{"abs(exp(t) - 2)", std::log(2.0)},
        Case{"select(sin(2*t) > 0.5, 0.5, sin(2*t))", kPi / 12}}) {
    const Inverse result = solve(arm(c.reference));
    EXPECT_EQ(result.status, Outcome::Status::Failed) << c.reference;
    EXPECT_NE(result.text.find("is not smooth enough at t = "), std::string::npos) << result.text;
    EXPECT_LE(result.trajectory.time().back(), c.corner) << c.reference;
    EXPECT_GT(result.trajectory.time().back(), c.corner - 0.011) << c.reference;
  }
}

// The trolley's place follows from the load's acceleration and the force on it, at index 5.
std::string crane(const std::string& push) {
  return "name: crane\nparameters: {m: 10, g: 9.81}\ninputs: [F, T]\n"
         "coordinates: {s: 0, l: 5, x: 0, z: -5}\n"
         "kinetic: 50*s'^2 + l'^2 + m/2*(x'^2 + z'^2)\npotential: m*g*z\n"
         "constraints: {cable: {value: ((x - s)^2 + z^2 - l^2)/2}}\n"
         "generalized_forces: {s: F, l: T, x: \"" +
         push +
         "\"}\nsignals: {c: {type: rest-to-rest, duration: 3, smoothness: 5}}\n"
         "servo: {x: {output: x, reference: 4*c}, z: {output: z, reference: c - 5}}\n"
         "positive: {cable: l}\nrun: {end: 3, samples: 301}\n";
}

TEST(Rough, ForcesThatMakeTheMotionJumpEndIt) {
  EXPECT_EQ(solve(crane("20*tanh(t - 1)")).status, Outcome::Status::Done);
  struct Case {
    const char* push;
    const char* what;  // jumps
  };
  // A force of 20 N moves the cable's end by 20/(m (g + z̈)) of its height.
  for (const Case& c : {Case{"select(t > 1, 20, 0)", "'s' by"}, Case{"20*max(0, t - 1)", "'s'' by"},
                        Case{"-2000*max(0, x - 1)", "'s'' by"}}) {
    const Inverse result = solve(crane(c.push));
    EXPECT_EQ(result.status, Outcome::Status::Failed) << c.push;
    EXPECT_NE(result.text.find("the motion that has the prescribed outputs jumps at t = "),
              std::string::npos)
        << c.push << ": " << result.text;
    EXPECT_NE(result.text.find(c.what), std::string::npos) << c.push << ": " << result.text;
    const Inverse across = solve(crane(c.push), true);
    EXPECT_EQ(across.status, Outcome::Status::Done) << across.text;
    EXPECT_TRUE(says(across, "jumps at t = ")) << c.push;
  }
}

TEST(Rough, EventsEndTheResults) {
  const std::string event = "events: {stiffer: {when: t - 1.005, set: {k: 5}}}\n";
  const Inverse result = solve(arm("0.3*sin(t)", event));
  EXPECT_EQ(result.status, Outcome::Status::Failed);
  EXPECT_NE(result.text.find("event 'stiffer' happens by t = 1.01 s"), std::string::npos)
      << result.text;
  // One that the motion does not come to is no obstacle.
  EXPECT_EQ(solve(arm("0.3*sin(t)", "events: {far: {when: a - 1, stop: true}}\n")).status,
            Outcome::Status::Done);
}

TEST(Rough, AStartBesideTheInitialValuesIsTold) {
  EXPECT_TRUE(says(solve(arm("0.3 + 0.5*t", "initial: {a: 0}\n")), "'a' by 0.3 away from them"));
  EXPECT_FALSE(says(solve(arm("0.3 + 0.5*t", "initial: {a: 0.3}\n")), "away from them"));
}

// A drone with two rotors: its thrust carries weight and acceleration, F₁ + F₂ = m |a + g|.
TEST(Rough, HoveringIsAStart) {
  for (const char* angle : {"0", "0.05"}) {
    const Inverse result = solve(
        "name: drone\nparameters: {m: 1.5, J: 0.02, g: 9.81, b: 0.2}\ninputs: [F1, F2]\n"
        "coordinates: {x: 0, y: 0, th: " +
        std::string(angle) +
        "}\n"
        "kinetic: m/2*(x'^2 + y'^2) + J/2*th'^2\npotential: m*g*y\n"
        "generalized_forces: {x: -(F1 + F2)*sin(th), y: (F1 + F2)*cos(th), th: b*(F2 - F1)}\n"
        "servo: {x: {output: x, reference: 0.1*(t - sin(t))}, y: {output: y, reference: 0.2*t}}\n"
        "run: {end: 2, samples: 21}\n");
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    for (std::size_t n = 0; n < result.trajectory.num_rows(); ++n) {
      const double t = result.trajectory.time()[n];
      const double thrust = result.trajectory["F1"][n] + result.trajectory["F2"][n];
      EXPECT_NEAR(thrust, 1.5 * std::hypot(0.1 * std::sin(t), 9.81), 1e-10);
    }
  }
}

TEST(Rough, InputsMayEnterAsASquare) {
  const Inverse result = solve(
      "name: rotor\ninputs: [w]\ncoordinates: {y: 0}\nkinetic: y'^2/2\npotential: 9.81*y\n"
      "generalized_forces: {y: 0.01*w^2}\nservo: {y: {output: y, reference: sin(t)}}\n"
      "run: {end: 2, samples: 21}\n");
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  for (std::size_t n = 0; n < result.trajectory.num_rows(); ++n) {
    const double t = result.trajectory.time()[n];
    EXPECT_NEAR(result.trajectory["w"][n], std::sqrt((9.81 - std::sin(t)) / 0.01), 1e-10);
  }
}

// A knife edge points along its path; while it stands still, turning it does not move it.
TEST(Rough, ReferencesThatMoveGiveTheStartItsSpeed) {
  const Inverse result = solve(
      "name: edge\ninputs: [F, M]\ncoordinates: {x: 0, y: 0, p: 0}\n"
      "kinetic: (x'^2 + y'^2)/2 + p'^2/2\nnonholonomic: {edge: \"x'*sin(p) - y'*cos(p)\"}\n"
      "generalized_forces: {x: F*cos(p), y: F*sin(p), p: M}\n"
      "servo: {x: {output: x, reference: t}, y: {output: y, reference: 0.3*t^2}}\n"
      "run: {end: 2, samples: 21}\n");
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.trajectory.time()[0], 0);
  for (std::size_t n = 0; n < result.trajectory.num_rows(); ++n) {
    const double t = result.trajectory.time()[n];
    EXPECT_NEAR(result.trajectory["p"][n], std::atan2(0.6 * t, 1), 1e-10);
  }
}

}  // namespace
}  // namespace koppel

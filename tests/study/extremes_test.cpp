// Largest and smallest values over a run, and their derivatives: between the ends of steps, at
// them, and at events and switches, whose times move with parameters. Against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/study/extreme_search.hpp>
#include <koppel/study/sensitivity.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;
using Mode = SensitivityOptions::Mode;

struct Way {
  const char* integrator;
  Mode mode;
};
constexpr Way kWays[] = {{"dop853", Mode::Forward}, {"dop853", Mode::Adjoint},
                         {"rk4", Mode::Forward},    {"rk4", Mode::Adjoint},
                         {"taylor", Mode::Forward}, {"taylor", Mode::Adjoint},
                         {"radau5", Mode::Forward}};

Sensitivity find(const Model& model, const std::vector<std::string>& of,
                 const std::vector<std::string>& over, double end, const Way& way,
                 double tolerance = 1e-11) {
  SensitivityOptions options;
  for (const std::string& text : of) options.of.push_back(parse_criterion(text));
  options.run.end = end;
  options.run.tolerance = tolerance;
  options.run.integrator = way.integrator;
  if (options.run.integrator.is("rk4")) options.run.step = 1e-3;
  options.mode = way.mode;
  Sensitivity s = find_sensitivity(StudiedParameters(model, {}, over), options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  return s;
}

// 1 − (t − c)² in steps of 1, its maximum anywhere in a step: also where it is above neither the
// end of the step nor the next value that is looked at.
TEST(ExtremeSearch, FindsAMaximumAnywhereInAStep) {
  for (const double c : {1e-9, 1e-4, 0.02, 0.05, 0.5, 0.97, 0.999, 1.0, 1 + 1e-12, 1 + 1e-7, 1.001,
                         1.03, 1.06, 1.97, 2 - 1e-9}) {
    std::vector<double> values(1);
    const auto value = [&](double t, double) {
      values[0] = 1 - (t - c) * (t - c);
      return std::span<const double>(values);
    };
    ExtremeSearch search({{0, true}});
    search.begin(0, value(0, 0));
    search.look(0, 1, false, value);
    search.look(1, 2, false, value);
    EXPECT_NEAR(search.places()[0].t, c, 1e-12) << c;
    EXPECT_NEAR(search.values()[0], 1, 1e-15) << c;
  }
}

// Outputs may do more than the motion that steps follow: x is constant, and its steps are long.
TEST(Extremes, OfWhatIsFasterThanTheMotion) {
  const Model model = read_model_text(R"(
parameters: {w: 57, A: 1}
coordinates: {x: 0}
kinetic: x'^2/2
outputs: {y: (A + 0.02*t)*sin(w*t)}
)",
                                      "tone.yaml");
  // tan ωt = −ω (A/0.02 + t) at the last maximum before 10 s.
  double t = 0;
  for (int i = 0; i < 50; ++i) t = (std::atan(-57 * (50 + t)) + (2 * 90 + 1) * M_PI) / 57;
  for (const Way& way : kWays) {
    if (way.integrator == std::string("rk4")) continue;
    const Sensitivity s = find(model, {"y:max"}, {"A"}, 10, way);
    EXPECT_NEAR(s.values[0], (1 + 0.02 * t) * std::sin(57 * t), 1e-9) << way.integrator;
    EXPECT_NEAR(s.derivatives(0, 0), std::sin(57 * t), 1e-7) << way.integrator;
  }
}

// The pin of a crank of length a is never higher than that, wherever steps end.
TEST(Extremes, OfACrankAreItsLength) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml");
  const testing::Tolerance found{.relative = 1e-6, .because = "a tolerance of 1e-8"};
  for (const Way& way : kWays) {
    for (const double end : {0.15, 0.3, 0.5}) {
      for (const double tolerance : {1e-8, 1e-10}) {
        SCOPED_TRACE(::testing::Message() << way.integrator << ' ' << end << ' ' << tolerance);
        const Sensitivity s = find(model, {"Ay:max"}, {"a", "phi0"}, end, way, tolerance);
        EXPECT_TRUE(near(s.values[0], 0.4, found));
        EXPECT_TRUE(near(s.derivatives(0, 0), 1, found));
        EXPECT_NEAR(s.derivatives(0, 1), 0, 1e-6);
      }
    }
  }
}

// A ball from h₀ comes to the ground with −√(2g h₀) and leaves it with e times that; the time of
// that moves. With y + c t as an output, the time itself counts: 0 + c √(2h₀/g) there.
TEST(Extremes, AtABounceMoveWithIt) {
  const Model model = read_model_text(R"yaml(
parameters: {e: 0.8, g: 9.81, h0: 1, c: 0.5}
coordinates: {y: h0}
kinetic: y'^2/2
potential: g*y
outputs: {y: y, v: "y'", late: y + c*t}
events: {ground: {when: y, bounce: e}}
)yaml",
                                      "ball.yaml");
  const double e = 0.8, g = 9.81, h0 = 1, c = 0.5, v = std::sqrt(2 * g * h0), t = v / g;
  const testing::Tolerance exact{.relative = 1e-9, .because = "event times to 1e-11"};
  for (const Way& way : kWays) {
    SCOPED_TRACE(::testing::Message() << way.integrator << ' ' << static_cast<int>(way.mode));
    const Sensitivity s =
        find(model, {"y:min", "v:min", "v:max", "late:min"}, {"g", "h0", "e"}, 0.8, way);
    EXPECT_NEAR(s.values[0], 0, 1e-12);
    EXPECT_TRUE(near(s.values[1], -v, exact));
    EXPECT_TRUE(near(s.values[2], e * v, exact));
    EXPECT_TRUE(near(s.values[3], c * t, exact));
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(s.derivatives(0, j), 0, 1e-9);
    EXPECT_TRUE(near(s.derivatives(1, 0), -v / (2 * g), exact));
    EXPECT_TRUE(near(s.derivatives(1, 1), -v / (2 * h0), exact));
    EXPECT_NEAR(s.derivatives(1, 2), 0, 1e-9);
    EXPECT_TRUE(near(s.derivatives(2, 0), e * v / (2 * g), exact));
    EXPECT_TRUE(near(s.derivatives(2, 1), e * v / (2 * h0), exact));
    EXPECT_TRUE(near(s.derivatives(2, 2), v, exact));
    EXPECT_TRUE(near(s.derivatives(3, 0), -c * t / (2 * g), exact));
    EXPECT_TRUE(near(s.derivatives(3, 1), c * t / (2 * h0), exact));
  }
}

TEST(Extremes, AtAnEventThatEndsTheRunAreTheEnd) {
  const Model model = read_model_text(R"yaml(
parameters: {g: 9.81, h0: 1}
coordinates: {y: h0}
kinetic: y'^2/2
potential: g*y
outputs: {v: "y'", y: y}
events: {ground: {when: y, stop: true}}
)yaml",
                                      "fall.yaml");
  const double g = 9.81, h0 = 1, v = std::sqrt(2 * g * h0);
  const testing::Tolerance exact{.relative = 1e-9, .because = "event times to 1e-11"};
  for (const Way& way : kWays) {
    SCOPED_TRACE(::testing::Message() << way.integrator << ' ' << static_cast<int>(way.mode));
    const Sensitivity s = find(model, {"v:min", "v:final", "y:max"}, {"g", "h0"}, 5, way);
    for (int i = 0; i < 2; ++i) {
      EXPECT_TRUE(near(s.values[static_cast<std::size_t>(i)], -v, exact));
      EXPECT_TRUE(near(s.derivatives(i, 0), -v / (2 * g), exact));
      EXPECT_TRUE(near(s.derivatives(i, 1), -v / (2 * h0), exact));
    }
    EXPECT_NEAR(s.derivatives(2, 0), 0, 1e-12);  // at the start
    EXPECT_TRUE(near(s.derivatives(2, 1), 1, exact));
  }
}

// A force F = c t drives a mass until T, then −b brakes it. The speed is largest at T, c T²/2m; F
// is largest just before it, c T, and smallest after it, −b.
TEST(Extremes, AtASwitchMoveWithIt) {
  const Model model = read_model_text(R"yaml(
parameters: {m: 2, c: 3, b: 1, T: 0.6}
coordinates: {x: 0}
kinetic: m*x'^2/2
generalized_forces: {x: "select(t < T, c*t, -b)"}
outputs: {v: "x'", F: "select(t < T, c*t, -b)"}
)yaml",
                                      "brake.yaml");
  const double m = 2, c = 3, T = 0.6;
  const testing::Tolerance exact{.relative = 1e-9, .because = "tolerance 1e-11 over 1 s"};
  for (const Way& way : kWays) {
    SCOPED_TRACE(::testing::Message() << way.integrator << ' ' << static_cast<int>(way.mode));
    const Sensitivity s = find(model, {"v:max", "F:max", "F:min"}, {"m", "c", "b", "T"}, 1, way);
    EXPECT_TRUE(near(s.values[0], c * T * T / (2 * m), exact));
    EXPECT_TRUE(near(s.derivatives(0, 0), -c * T * T / (2 * m * m), exact));
    EXPECT_TRUE(near(s.derivatives(0, 1), T * T / (2 * m), exact));
    EXPECT_NEAR(s.derivatives(0, 2), 0, 1e-9);
    EXPECT_TRUE(near(s.derivatives(0, 3), c * T / m, exact));
    EXPECT_TRUE(near(s.values[1], c * T, exact));
    EXPECT_TRUE(near(s.derivatives(1, 1), T, exact));
    EXPECT_TRUE(near(s.derivatives(1, 3), c, exact));
    EXPECT_TRUE(near(s.values[2], -1, exact));
    EXPECT_TRUE(near(s.derivatives(2, 2), -1, exact));
    EXPECT_NEAR(s.derivatives(2, 3), 0, 1e-9);
  }
}

TEST(Extremes, AddNoRowsToTheCourse) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml");
  SensitivityOptions options;
  options.run.end = 0.5;
  options.run.integrator = "dop853";
  options.times = {0.1, 0.2};
  options.of = {parse_criterion("Ay:max")};
  const Sensitivity s = find_sensitivity(StudiedParameters(model, {}, {"phi0"}), options);
  EXPECT_EQ(s.course.num_rows(), 4U);  // with the start and the end
}

}  // namespace
}  // namespace koppel

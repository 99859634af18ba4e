#include <koppel/simulate/compare.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

Model pendulum() {
  return read_model_text(R"(
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: {point_mass: 1, position: [-1, 0]}
joints:
  bar: {type: distance, between: [ground, bob], length: 1}
outputs: {x: bob.x, y: bob.y}
)",
                         "pendulum.yaml");
}

CompareOptions short_options() {
  CompareOptions options;
  options.formulations = {"index3", "index1", "qr", "minimal"};
  options.integrators = {"taylor", "dop853"};
  options.end = 2;
  options.samples = 51;
  return options;
}

TEST(Compare, CrossesListsAndSkipsWhatMakesNoSense) {
  const Comparison c = compare(pendulum(), short_options());
  ASSERT_EQ(c.runs.size(), 3u);
  for (const Compared& run : c.runs) {
    EXPECT_EQ(run.status, Outcome::Status::Done) << run.text;
    ASSERT_TRUE(run.error && run.energy_error);
    EXPECT_LT(*run.error, 1e-6);
    EXPECT_LT(*run.energy_error, 1e-6);
  }
  // index3/dop853, index1/taylor, qr/taylor, and minimal with both.
  ASSERT_EQ(c.skipped.size(), 5u);
  EXPECT_EQ(c.skipped[0].formulation, "index3");
  EXPECT_EQ(c.skipped[0].integrator, "dop853");
  EXPECT_EQ(c.skipped[0].why,
            "integrator 'dop853' needs a right-hand side; formulation 'index3' gives none.");
  EXPECT_GE(c.recommended, 0);
  EXPECT_NE(c.reason.find("the fastest of those with an error of at most"), std::string::npos);
  EXPECT_LT(c.reference_error, 1e-9);
}

TEST(Compare, SeveralTolerancesShowWorkOverPrecision) {
  CompareOptions options = short_options();
  options.formulations = {"index1", "qr"};
  options.integrators = {"dop853"};
  options.tolerances = {1e-5, 1e-8, 1e-11};
  const Comparison c = compare(pendulum(), options);
  ASSERT_EQ(c.runs.size(), 6u);
  EXPECT_GT(*c.runs.front().error, *c.runs.back().error);
  const Trajectory work = work_of(c), drift = drift_of(c);
  EXPECT_EQ(work.num_columns(), 3u);
  EXPECT_EQ(work.num_rows(), 6u);
  EXPECT_EQ(drift.num_columns(), 7u);
  EXPECT_EQ(drift.num_rows(), 51u);
}

// A linear oscillator makes the same relative errors at any amplitude above 1.
TEST(Compare, ErrorsAreRelativeToTheMotion) {
  const auto error_at = [](const std::string& amplitude) {
    const Model model = read_model_text("coordinates: {x: {start: " + amplitude +
                                            "}}\nkinetic: x'^2/2\npotential: x^2/2\n"
                                            "outputs: {x: x}\n",
                                        "oscillator.yaml");
    CompareOptions options;
    options.formulations = {"minimal"};
    options.integrators = {"radau5"};
    options.tolerances = {1e-5};
    options.end = 6;
    const Comparison c = compare(model, options);
    EXPECT_EQ(c.runs.at(0).status, Outcome::Status::Done) << c.runs.at(0).text;
    return *c.runs.at(0).error;
  };
  const double small = error_at("100"), large = error_at("10000");
  EXPECT_GT(small, 1e-12);
  // Where the oscillator passes 0, values below 1 have the tolerance as an absolute one.
  EXPECT_NEAR(large / small, 1, 0.5);
}

TEST(Compare, WhatFailsShowsHowFarItGot) {
  // The root ends at t = 1.
  const Model model = read_model_text(R"(
name: ending
coordinates: [x]
kinetic: x'^2/2
generalized_forces: {x: sqrt(1 - t)}
outputs: {x: x}
)",
                                      "ending.yaml");
  CompareOptions options;
  options.formulations = {"minimal"};
  options.integrators = {"dop853"};
  options.end = 2;
  const Comparison c = compare(model, options);
  ASSERT_EQ(c.runs.size(), 1u);
  EXPECT_EQ(c.runs[0].status, Outcome::Status::Failed);
  EXPECT_NEAR(c.runs[0].reached, 1, 1e-6);
  EXPECT_FALSE(c.runs[0].text.empty());
  EXPECT_EQ(c.recommended, -1);
  EXPECT_NE(to_text(c).find("failed at t = 1 s: "), std::string::npos);
}

TEST(Compare, TellsTheMomentumOfCyclicCoordinates) {
  const Model model = read_model_text(R"(
name: orbit
coordinates: {r: {start: 1}, phi: {start: 0}}
kinetic: (r'^2 + r^2*phi'^2)/2
potential: -1/r
initial: {r: 1, "phi'": 0.8}
outputs: {r: r, phi: phi}
)",
                                      "orbit.yaml");
  CompareOptions options;
  options.formulations = {"minimal"};
  options.integrators = {"dop853"};
  options.end = 5;
  const Comparison c = compare(model, options);
  ASSERT_EQ(c.runs.size(), 1u);
  ASSERT_TRUE(c.runs[0].momentum_error);
  EXPECT_LT(*c.runs[0].momentum_error, 1e-6);
  EXPECT_GT(*c.runs[0].momentum_error, 0);
}

TEST(Compare, TablesFitATerminal) {
  CompareOptions options = short_options();
  options.formulations = {"partition", "baumgarte", "explicit"};
  const std::string text = to_text(compare(pendulum(), options));
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80u) << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Compare, JsonHasEveryRun) {
  const Comparison c = compare(pendulum(), short_options());
  const auto json = nlohmann::json::parse(to_json(c));
  EXPECT_EQ(json["runs"].size(), c.runs.size());
  EXPECT_EQ(json["skipped"].size(), 5u);
  EXPECT_EQ(json["recommended"], c.recommended);
  EXPECT_TRUE(json["runs"][0]["error"].is_number());
}

// Half a second is a quarter of the pendulum's period.
TEST(Compare, RecommendsNothingThatLostTheMotion) {
  CompareOptions options = short_options();
  options.formulations = {"index1"};
  options.integrators = {"rk4"};
  options.steps = {0.5};
  options.projection = Projection::None;
  const Comparison c = compare(pendulum(), options);
  ASSERT_EQ(c.runs.size(), 1u);
  EXPECT_EQ(c.recommended, -1);
  EXPECT_EQ(c.reason, "no run finished in good health with an error below 0.1.");
  EXPECT_NE(to_text(c).find("Nothing is recommended: no run finished"), std::string::npos);
}

TEST(Compare, IsStoppedByItsWatcher) {
  int count = 0;
  const Comparison c =
      compare(pendulum(), short_options(), [&](const std::string&) { return ++count < 3; });
  EXPECT_TRUE(c.is_stopped);
  EXPECT_LT(c.runs.size(), 3u);
}

TEST(Compare, ALimitThatIsNotPositiveIsRefused) {
  CompareOptions options = short_options();
  options.max_seconds = -1;
  EXPECT_EQ(testing::error_of([&] { compare(pendulum(), options); }),
            "error[compare.bad-option]: a run may take -1 s; the limit must be positive.");
}

TEST(Compare, UnknownNamesAreErrors) {
  CompareOptions options = short_options();
  options.formulations = {"index4"};
  EXPECT_THROW(compare(pendulum(), options), Error);
  options = short_options();
  options.integrators = {"euler"};
  EXPECT_THROW(compare(pendulum(), options), Error);
}

// A mass that follows a jump of 1 m within 50 N, beside other ways to follow it.
TEST(Compare, WaysToFollowASignal) {
  const Model model = read_model_text(
      "coordinates: {x: 0}\nkinetic: x'^2\ntracking:\n  hold: {output: x, follows: \"select(t < "
      "0.5, 0, 1)\", force: 50}\noutputs: {x: x, F: hold.force}\nrun: {end: 2}\n",
      "follow.yaml");
  CompareOptions options;
  options.end = 2;
  const Comparison c = compare(model, options);
  ASSERT_EQ(c.runs.size(), 6u);
  EXPECT_TRUE(c.skipped.empty());
  const auto find = [&](const std::string& way) -> const Following& {
    for (const Compared& run : c.runs) {
      if (run.model == way) return run.following.at(0);
    }
    throw std::runtime_error(way);
  };
  // Its own: two holds, no overshoot, the limit kept.
  const Following& own = find("");
  EXPECT_EQ(own.holds, 2);
  EXPECT_LT(*own.overshoot, 0.01);
  EXPECT_LT(*own.left, 1e-6);
  EXPECT_LE(own.force, 50 * (1 + 1e-12));
  // The jump in one step: 1 m/ms, and the force that makes a mass of 2 kg do so and stop: 2e6 N.
  const Following& constraint = find("constraint");
  EXPECT_NEAR(constraint.fastest, 1000, 1);
  EXPECT_NEAR(constraint.force, 2e6, 2e4);
  // A fifth of it in a step, and the rate for the rest at its end: 200 (1 − 0.2).
  EXPECT_NEAR(find("constraint, Baumgarte").fastest, 160, 1);
  // Critically damped with T = 20 ms: x = 1 − (1 + t/T) e^(−t/T), at most 1/(e T) fast, from m/T².
  const Following& spring = find("spring and damper");
  EXPECT_NEAR(spring.fastest, 1 / (std::exp(1.0) * 0.02), 1);
  EXPECT_NEAR(spring.force, 2 / (0.02 * 0.02), 500);
  EXPECT_LT(*spring.overshoot, 0.01);
  for (const char* way : {"filter, constraint", "filter, inverse dynamics"}) {
    EXPECT_LT(find(way).fastest, 25) << way;
    EXPECT_LT(*find(way).left, 1e-3) << way;
  }
  EXPECT_EQ(c.runs[static_cast<std::size_t>(c.recommended)].model, "");
  const std::string text = to_text(c);
  EXPECT_NE(text.find("spring and damper"), std::string::npos);
  EXPECT_NE(text.find("Following 'hold'"), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(to_json(c));
  EXPECT_EQ(json["runs"][0]["following"][0]["name"], "hold");
}

// A penalty that is far too small swings about its target.
TEST(Compare, ATrackingThatSwingsIsNotRecommended) {
  const Model model = read_model_text(
      "coordinates: {x: 0}\nkinetic: x'^2\ntracking: {hold: {output: x, follows: \"select(t < 0.5, "
      "0, 1)\", method: l2, rho0: 1e-5}}\nrun: {end: 1}\n",
      "swings.yaml");
  CompareOptions options;
  options.end = 1;
  const Comparison c = compare(model, options);
  EXPECT_EQ(c.recommended, -1);
  EXPECT_NE(c.reason.find("overshoots"), std::string::npos) << c.reason;
}

// Jumps at ends of steps, whose times are rounded up and down: each counts once.
TEST(Compare, AConstraintLosesNoJumpBetweenSteps) {
  std::string times = "0", levels = "0";
  for (int i = 1; i < 10; ++i) {
    times += ", " + std::to_string(0.2 * i);
    levels += i % 2 == 0 ? ", 0" : ", 1";
  }
  const Model model = read_model_text(
      "coordinates: {x: 0}\nkinetic: x'^2\ntables: {z: {type: held, x: [" + times + "], y: [" +
          levels + "]}}\ntracking: {hold: {output: x, follows: z(t)}}\nrun: {end: 2}\n",
      "jumps.yaml");
  CompareOptions options;
  options.end = 2;
  for (const Compared& run : compare(model, options).runs) {
    if (run.model != "constraint") continue;
    ASSERT_EQ(run.following.at(0).holds, 10);
    EXPECT_LT(run.following.at(0).left.value(), 1e-9);  // sums of jumps of 1
  }
}

TEST(Compare, WhatCannotFollowIsSkipped) {
  const Model model = read_model_text(
      "coordinates: {x: 0}\nkinetic: x'^2\ntracking:\n  hold: {output: x, follows: 1, force: 50, "
      "active: \"select(t < 0.5, 0, 1)\"}\nrun: {end: 1}\n",
      "let_go.yaml");
  CompareOptions options;
  options.end = 1;
  const Comparison c = compare(model, options);
  ASSERT_EQ(c.runs.size(), 1u);
  ASSERT_EQ(c.skipped.size(), 5u);
  EXPECT_EQ(c.skipped[0].why, "tracking 'hold' can be let go, which 'constraint' cannot do.");
}

}  // namespace
}  // namespace koppel

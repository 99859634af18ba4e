// Feedback about computed motions: closed forms, cranes that are not as expected, refusals.
#include <cmath>

#include <gtest/gtest.h>
#include <Eigen/Dense>

#include <koppel/base/diagnostic.hpp>
#include <koppel/control/feedback/riccati.hpp>
#include <koppel/control/feedback/robustness.hpp>
#include <tests/control/inverse_runs.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using testing::model_file;
using Kind = Disturbance::Kind;

TEST(Riccati, OfTheDoubleIntegratorIsTheClosedForm) {
  // x″ = u, cost ∫ x² + u²: P = [√2 1; 1 √2].
  Eigen::MatrixXd A(2, 2), G(2, 2), Q(2, 2);
  A << 0, 1, 0, 0;
  G << 0, 0, 0, 1;
  Q << 1, 0, 0, 0;
  const auto P = solve_riccati(A, G, Q);
  ASSERT_TRUE(P);
  const double root = std::sqrt(2.0);
  Eigen::MatrixXd expected(2, 2);
  expected << root, 1, 1, root;
  EXPECT_LT((*P - expected).norm(), 1e-13);
}

TEST(Riccati, HasNoSolutionWhereAnInstabilityCannotBeReached) {
  Eigen::MatrixXd A(2, 2), G(2, 2);
  A << 1, 0, 0, -1;
  G << 0, 0, 0, 1;
  EXPECT_FALSE(solve_riccati(A, G, Eigen::MatrixXd::Identity(2, 2)));
}

// m x″ = F.
Model mass(const std::string& input) {
  return read_model_text(R"(
name: mass
parameters: {m: 2}
inputs: )" + input + R"(
coordinates: {x: 0}
kinetic: m/2*x'^2
generalized_forces: {x: F}
signals: {c: {type: rest-to-rest, duration: 4}}
servo: {x: {output: x, reference: c}}
run: {end: 4}
)",
                         "mass.yaml");
}

TEST(Feedback, OfSpringAndDamperDecaysAsItsEquation) {
  const Model model = mass("[F]");
  const Inverse motion = inverse(model, inverse_options_of(model));
  FeedbackOptions options;
  options.kind = "pd";
  options.response = 0.5;
  const auto cases = find_robustness(model, motion, options, {{Kind::Start, "x", 0.1}});
  ASSERT_EQ(cases.size(), 2U);
  // δ″ + 2ω δ′ + ω² δ = 0 from δ = 0.1 at rest: 0.1 (1 + ω t) exp(−ω t), ω t = 8 at the end.
  // Splines through 1001 rows are off by 1e-10.
  EXPECT_NEAR(cases[1].closed.end_error, 0.1 * 9 * std::exp(-8.0), 1e-8);
  EXPECT_NEAR(cases[1].open.end_error, 0.1, 1e-8);
  EXPECT_NEAR(cases[1].closed.max_error, 0.1, 0.001);  // looked at from the first step on
}

TEST(Feedback, KeepsInputsWithinTheirLimits) {
  // The motion needs 1.2 N at most; a start 1 m away would need far more to come back.
  const Model model = mass("{F: {min: -2, max: 2}}");
  const Inverse motion = inverse(model, inverse_options_of(model));
  FeedbackOptions options;
  options.kind = "pd";
  options.response = 0.1;
  const std::vector<Expr> u = make_feedback(motion, motion.start, options);
  const VectorFunction input(motion.equations, u);
  State state = motion.start;
  state.q[0] += 1;
  EXPECT_EQ(input(state)[0], -2);
  state.q[0] -= 2;
  EXPECT_EQ(input(state)[0], 2);
}

class Cranes : public ::testing::TestWithParam<const char*> {};

TEST_P(Cranes, WithAWrongLoadFollowWithFeedbackOnly) {
  const Model model = model_file(GetParam());
  const Inverse motion = inverse(model, inverse_options_of(model));
  const auto cases = find_robustness(
      model, motion, {},
      {{Kind::Parameter, "m", 110}, {Kind::Parameter, "m", 90}, {Kind::Start, "s", 0.1}});
  ASSERT_EQ(cases.size(), 4U);
  for (const RobustnessCase& c : cases) {
    SCOPED_TRACE(to_text(c.disturbance));
    EXPECT_TRUE(c.open.is_done) << c.open.text;
    EXPECT_TRUE(c.closed.is_done) << c.closed.text;
  }
  EXPECT_LT(cases[0].closed.relative_error, 1e-6);
  // 10 % of the load: metres off without feedback, some centimetres with it.
  for (const int i : {1, 2}) {
    EXPECT_GT(cases[i].open.max_error, 1.5);
    EXPECT_LT(cases[i].closed.max_error, 0.06);
  }
  EXPECT_LT(cases[3].closed.end_error, 0.1 * cases[3].open.end_error);
}

INSTANTIATE_TEST_SUITE_P(All, Cranes, ::testing::Values("overhead_crane", "rotary_crane"));

TEST(Feedback, SaysWhatItCannotDo) {
  const Model model = model_file("overhead_crane");
  const Inverse motion = inverse(model, inverse_options_of(model));
  const auto said = [&](const FeedbackOptions& options, const Disturbance& disturbance) {
    return testing::error_of([&] { find_robustness(model, motion, options, {disturbance}); },
                             "nothing");
  };
  FeedbackOptions pd;
  pd.kind = "pd";
  EXPECT_EQ(said(pd, {}),
            "error[control.no-feedback]: feedback 'pd' needs inputs that act on all outputs "
            "directly; at t = 0 s they act on 1 of 2.\n  Use 'lqr', which feeds the whole state "
            "back.");
  EXPECT_EQ(said({}, {Kind::Parameter, "mm", 1}),
            "error[control.unknown-disturbance]: there is no 'mm' to be disturbed.\n  Did you mean "
            "'m'? There are: 'm_t', 'm', 'J', 'r', 'g', 'T', 'x0', 'z0', 'x1', 'z1'.");
  FeedbackOptions other;
  other.kind = "pid";
  EXPECT_EQ(said(other, {}),
            "error[control.bad-option]: there is no feedback 'pid'; there are 'lqr' and 'pd'.");
}

}  // namespace
}  // namespace koppel

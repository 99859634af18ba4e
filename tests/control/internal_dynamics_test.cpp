// Systems with internal dynamics: their number, stability, and integration.
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/control/inverse_runs.hpp"
#include "tests/error_of.hpp"

namespace koppel {
namespace {

using namespace testing;

TEST(InternalDynamics, MassOnCarHasThoseOfItsSpring) {
  const Model model = model_file("mass_on_car");
  InverseOptions options = inverse_options_of(model);
  options.sampling.count = 401;
  options.verify = true;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.summary.index, 3);
  EXPECT_EQ(result.summary.internal_dynamics, 2);
  // m2 sin²α s² + d s + k = s² + s + 5 = 0
  const auto& eigenvalues = result.summary.internal_eigenvalues;
  ASSERT_EQ(eigenvalues.size(), 2u);
  EXPECT_NEAR(eigenvalues[0].real(), -0.5, 1e-9);
  EXPECT_NEAR(std::abs(eigenvalues[0].imag()), std::sqrt(4.75), 1e-9);
  // An independent integration of the internal dynamics (Dormand-Prince, tolerance 1e-13).
  EXPECT_NEAR(result.trajectory["s"][300], 1.340877373466, 1e-9);    // t = 3 s
  EXPECT_NEAR(result.trajectory["F"][200], -36.617919702754, 1e-8);  // t = 2 s
  ASSERT_TRUE(result.summary.verification->is_done);
  EXPECT_LT(result.summary.verification->relative_error, 1e-6);
}

TEST(InternalDynamics, AreOfFirstOrderBehindADamper) {
  // Two masses in a row, with spring and damper between them; the second is prescribed. The damper
  // makes the index 4 and leaves d s′ + k s = −m y″ of first order; without it, index 5 leaves
  // nothing [Seifried & Blajer 2013].
  const auto model = [](const std::string& damping) {
    return read_model_text("parameters: {m: 2, k: 5, d: " + damping +
                               "}\ninputs: [F]\ncoordinates: [x, y]\n"
                               "kinetic: x'^2/2 + m/2*y'^2\npotential: k/2*(y - x)^2\n" +
                               (damping == "0" ? "" : "dissipation: d/2*(y' - x')^2\n") +
                               "generalized_forces: {x: F}\n"
                               "signals: {c: {type: rest-to-rest, duration: 2, smoothness: 4}}\n"
                               "servo: {mass: {output: y, reference: c}}\nrun: {end: 3}\n",
                           "two.yaml");
  };
  const Model flat = model("0"), damped = model("1");
  const Inverse a = inverse(flat, inverse_options_of(flat));
  EXPECT_EQ(a.summary.index, 5);
  EXPECT_EQ(a.summary.internal_dynamics, 0);
  const Inverse b = inverse(damped, inverse_options_of(damped));
  ASSERT_EQ(b.status, Outcome::Status::Done) << b.text;
  EXPECT_EQ(b.summary.index, 4);
  EXPECT_EQ(b.summary.internal_dynamics, 1);
  ASSERT_EQ(b.summary.internal_eigenvalues.size(), 1u);
  EXPECT_NEAR(b.summary.internal_eigenvalues[0].real(), -5, 1e-9);  // −k/d
}

TEST(InternalDynamics, AreIntegratedByRadauAsWell) {
  const Model model = model_file("mass_on_car");
  InverseOptions options = inverse_options_of(model);
  options.integrator = "radau5";
  options.sampling.count = 401;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.summary.integrator, "radau5");
  // As above, for a tolerance of 1e-10 in each step.
  EXPECT_NEAR(result.trajectory["s"][300], 1.340877373466, 1e-8);
  EXPECT_NEAR(result.trajectory["F"][200], -36.617919702754, 1e-6);
}

TEST(InternalDynamics, ArmFollowsAPointNearItsJoint) {
  const Model model = model_file("passive_arm", {{"p", "0.1"}});
  InverseOptions options = inverse_options_of(model);
  options.verify = true;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.summary.internal_dynamics, 2);
  EXPECT_LT(result.summary.internal_eigenvalues[0].real(), 0);
  ASSERT_TRUE(result.summary.verification->is_done);
  EXPECT_LT(result.summary.verification->relative_error, 1e-6);
}

TEST(InternalDynamics, UnstableOnesAreRefused) {
  const Model model = model_file("passive_arm");
  EXPECT_EQ(testing::error_of([&] { inverse(model, inverse_options_of(model)); }),
            "error[control.unstable-internal-dynamics]: internal dynamics of order 2 are left "
            "when the outputs follow their references; linearised at the start, their "
            "eigenvalues are 26.04, -23.04 1/s: they are unstable, and the inputs would grow "
            "without bound.\n"
            "  Prescribe another output, nearer to where the inputs act, or ask for the bounded "
            "solution: `bounded`.");
}

}  // namespace
}  // namespace koppel

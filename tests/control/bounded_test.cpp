// Bounded solutions of unstable internal dynamics: against an integral, and by simulation.
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/control/inverse_runs.hpp"

namespace koppel {
namespace {

using namespace testing;

// x is driven, b hangs on it by a spring; the output x + c b with c > 1 lies beyond what a force on
// x can move at once. M = [2 1; 1 1]:  ẍ + b̈ + k b = 0, and with y = x + c b,
//   (1 − c) b̈ + k b = −ÿ,   b̈ − ω² b = ÿ/(c − 1),   ω² = k/(c − 1).                          (1)
const char* const kLinear =
    "name: linear\nparameters: {k: 16, c: 2}\ninputs: [F]\n"
    "coordinates: {x: 0, b: 0}\nkinetic: x'^2 + x'*b' + b'^2/2\npotential: k/2*b^2\n"
    "generalized_forces: {x: F}\n"
    "signals: {s: {type: rest-to-rest, start: 1, duration: 1, smoothness: 4}}\n"
    "servo: {y: {output: x + c*b, reference: s}}\nrun: {end: 3}\n";

// ÿ of the polynomial of degree 9 between 1 and 2: ẏ = 630 τ⁴ (1 − τ)⁴.
double reference_acceleration(double t) {
  const double tau = t - 1;
  if (tau <= 0 || tau >= 1) return 0;
  return 630 * 4 * std::pow(tau * (1 - tau), 3) * (1 - 2 * tau);
}

// The bounded solution of (1), b = −1/(2ω(c − 1)) ∫ e^{−ω|t−τ|} ÿ(τ) dτ, by Simpson's rule on both
// sides of the kink.
double bounded_b(double t) {
  const double omega = 4, between[3] = {1, std::clamp(t, 1.0, 2.0), 2};
  double sum = 0;
  for (int part = 0; part < 2; ++part) {
    const double from = between[part], h = (between[part + 1] - from) / 2000;
    for (int i = 0; i <= 2000; ++i) {
      const double tau = from + i * h;
      const double weight = i == 0 || i == 2000 ? 1 : i % 2 == 1 ? 4 : 2;
      sum += weight * h / 3 * std::exp(-omega * std::abs(t - tau)) * reference_acceleration(tau);
    }
  }
  return -sum / (2 * omega);
}

TEST(Bounded, LinearSolutionIsItsIntegral) {
  const Model model = read_model_text(kLinear, "linear.yaml");
  InverseOptions options = inverse_options_of(model);
  options.bounded = true;
  options.verify = true;
  options.sampling.count = 301;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  ASSERT_EQ(result.trajectory.num_rows(), 301u);
  EXPECT_EQ(result.summary.internal_dynamics, 2);
  const auto t = result.trajectory.time(), b = result.trajectory["b"], x = result.trajectory["x"];
  double worst = 0;
  for (std::size_t n = 0; n < t.size(); ++n) {
    worst = std::max(worst, std::abs(b[n] - bounded_b(t[n])));
    // F = 2 ẍ + b̈ with ẍ = −b̈ − k b:  F = −b̈ − 2 k b, b̈ = ω² b + ÿ.
    const double F = -(16 * b[n] + reference_acceleration(t[n])) - 32 * b[n];
    EXPECT_NEAR(result.trajectory["F"][n], F, 1e-8);
  }
  EXPECT_LT(worst, 1e-8);  // what collocation is asked for
  EXPECT_GT(largest(b), 0.1);
  // It begins before the output moves.
  EXPECT_GT(std::abs(x[50]), 1e-3);
  ASSERT_TRUE(result.summary.verification->is_done);
  EXPECT_LT(result.summary.verification->relative_error, 1e-6);
}

TEST(Bounded, ArmIsMovedAtItsEnd) {
  const Model model = model_file("passive_arm");
  InverseOptions options = inverse_options_of(model);
  options.bounded = true;
  options.verify = true;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.summary.integrator, "collocation");
  EXPECT_LT(largest(result.trajectory["b"]), 0.5);
  EXPECT_LT(result.summary.max_servo_error, 1e-12);
  // Simulated forward with splines through the inputs.
  ASSERT_TRUE(result.summary.verification->is_done);
  EXPECT_LT(result.summary.verification->relative_error, 1e-6);
}

TEST(Bounded, NothingIsBoundedWithoutSpring) {
  Model model = read_model_text(kLinear, "linear.yaml", {.set = {{"k", "0"}}});
  InverseOptions options = inverse_options_of(model);
  options.bounded = true;
  const Inverse result = inverse(model, options);
  EXPECT_EQ(result.status, Outcome::Status::Failed);
  EXPECT_EQ(
      result.text,
      "the bounded solution cannot be found: an eigenvalue is 0 or imaginary, so that motions "
      "neither grow nor die away.");
}

}  // namespace
}  // namespace koppel

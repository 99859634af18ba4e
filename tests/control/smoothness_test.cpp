// Jumps of references are told from round-off of their high derivatives.
#include <gtest/gtest.h>

#include <koppel/base/binomial.hpp>

#include "tests/control/inverse_runs.hpp"

namespace koppel {
namespace {

using namespace testing;

double at(const Inverse& result, const std::string& input, double t) {
  const auto time = result.trajectory.time();
  const auto row = std::find_if(time.begin(), time.end(), [&](double x) { return x > t - 1e-9; });
  return result.trajectory[input][static_cast<std::size_t>(row - time.begin())];
}

// The inputs of chains of masses are polynomials in time: from their coefficients as fractions.
TEST(Smoothness, InputsOfHighIndexAreExact) {
  struct Case {
    const char* n;
    double early, later;  // at t = 0.016 s and 0.39 s
  };
  for (const Case& c : {Case{"6", 3.3082906271969597, 10.380281234060119},
                        Case{"7", 19.65327147133332, 9.945416602517053},
                        Case{"8", 139.1979339986618, 8.249591486575868}}) {
    const Model model = model_file("mass_chain", {{"n", c.n}});
    const Inverse result = inverse(model, inverse_options_of(model));
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    // Derivative 2n of the reference is known to 1e-12 of its size.
    const double round_off = 1e-10 * largest(result.trajectory["F"]);
    EXPECT_NEAR(at(result, "F", 0.016), c.early, round_off) << c.n;
    EXPECT_NEAR(at(result, "F", 0.39), c.later, round_off) << c.n;
  }
}

// τⁿ⁺¹ Σ … (−τ)ᵏ: the same law in powers of τ, whose terms cancel.
std::string law_in_powers(const std::string& tau, int n) {
  std::string sum;
  for (int k = 0; k <= n; ++k) {
    sum += (k % 2 == 0 ? " + " : " - ") +
           std::to_string(static_cast<long long>(binomial(n + k, k) * binomial(2 * n + 1, n - k))) +
           '*' + tau + '^' + std::to_string(n + 1 + k);
  }
  return '(' + sum.substr(3) + ')';
}

std::string chain(const std::string& reference) {
  return "name: chain\nparameters: {k: 100}\ninputs: [F]\n"
         "coordinates: {a: 0, b: 0, c: 0, d: 0, e: 0, f: 0, g: 0}\n"
         "kinetic: (a'^2 + b'^2 + c'^2 + d'^2 + e'^2 + f'^2 + g'^2)/2\n"
         "potential: k/2*((a-b)^2 + (b-c)^2 + (c-d)^2 + (d-e)^2 + (e-f)^2 + (f-g)^2)\n"
         "generalized_forces: {a: F}\nservo: {last: {output: g, reference: \"" +
         reference + "\"}}\nrun: {end: 2}\n";
}

TEST(Smoothness, RoundOffOfAPolynomialIsNoJump) {
  const std::string early = law_in_powers("(t/2)", 14), late = law_in_powers("(1 - t/2)", 14);
  const Model model =
      read_model_text(chain("select(t < 1, " + early + ", 1 - " + late + ")"), "chain.yaml");
  const Inverse result = inverse(model, inverse_options_of(model));
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  EXPECT_EQ(result.summary.index, 15);
  EXPECT_NEAR(at(result, "F", 0.39), 9.945416602517053, 1e-5);  // what the powers leave
}

// One that is there, of the same size beside the largest value of the derivative, is found.
TEST(Smoothness, SmallJumpsOfSmoothReferencesAreFound) {
  const Model model =
      read_model_text(chain("sin(t) + select(t < 1, 0, 1e-9*(t - 1)^8)"), "chain.yaml");
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.status, Outcome::Status::Failed);
  EXPECT_EQ(result.text,
            "the reference of 'last' is not smooth enough at t = 1 s: its derivative 8 jumps by "
            "4.03e-05. At index 15 its derivatives up to order 13 must be continuous; to follow it "
            "the inputs would need an impulse.");
}

}  // namespace
}  // namespace koppel

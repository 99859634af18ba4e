// Forward simulation with computed inputs returns the prescribed motion.
#include <gtest/gtest.h>

#include <koppel/control/checks/growth.hpp>

#include "tests/control/inverse_runs.hpp"

namespace koppel {
namespace {

using namespace testing;

Verification verified(const std::string& name, const Settings& set = {}) {
  const Model model = model_file(name, set);
  InverseOptions options = inverse_options_of(model);
  options.verify = true;
  return inverse(model, options).summary.verification.value();
}

TEST(Verify, OutputsFollowTheirPathsToRoundOff) {
  for (const char* name :
       {"overhead_crane", "rotary_crane", "navy_crane_2d", "navy_crane_3d", "cable_manipulator"}) {
    const Verification v = verified(name);
    EXPECT_TRUE(v.is_done) << name << ": " << v.text;
    // The tolerance of the forward simulation is 1e-11.
    EXPECT_LT(v.relative_error, 1e-10) << name;
    EXPECT_GT(v.path_length, 1) << name;
  }
}

TEST(Verify, HighIndexLosesDigitsButNotTheMotion) {
  for (const char* n : {"6", "7", "8"}) {  // index 13, 15, 17
    const Verification v = verified("mass_chain", {{"n", n}});
    EXPECT_TRUE(v.is_done) << v.text;
    EXPECT_LT(v.relative_error, 1e-9) << n;  // the inputs depend on 16 derivatives
  }
}

// Steps leave a singular start for their first node: one row there, and none before it.
TEST(Verify, AfterASingularStartTimesAscend) {
  const Model model = model_file("navy_crane_2d_massless");
  InverseOptions options = inverse_options_of(model);
  options.verify = true;
  options.method = "minimal-extension";
  options.step = 0.03;
  const Inverse result = inverse(model, options);
  const auto t = result.trajectory.time();
  EXPECT_DOUBLE_EQ(t.front(), 0.03);
  EXPECT_EQ(t.size(), 991u);
  for (std::size_t n = 1; n < t.size(); ++n) EXPECT_GT(t[n], t[n - 1]);
}

TEST(Verify, FindsWrongInputs) {
  // Twice the payload: the inputs of the one crane do not move the load of the other along its
  // path.
  const Model light = model_file("overhead_crane"),
              heavy = model_file("overhead_crane", {{"m", "200"}});
  const Inverse inputs = inverse(light, inverse_options_of(light));
  const Inverse other = inverse(heavy, inverse_options_of(heavy));
  std::vector<std::vector<double>> values;
  for (const char* name : {"F_t", "M_w"}) {
    const auto u = inputs.trajectory[name];
    values.emplace_back(u.begin(), u.end());
  }
  const Evaluator evaluator(other.equations);
  State start = start_of(other.equations);
  const RankReport rank = analyze_rank(evaluator, start);
  const Verification v =
      verify(heavy, other.equations, rank, start,
             as_expressions(other.equations, splines_through(inputs.trajectory.time(), values)),
             start.p, 3);
  EXPECT_TRUE(v.is_done) << v.text;
  EXPECT_GT(v.relative_error, 0.1);
}

std::string upright(double end, const std::string& reference) {
  return "name: upright pendulum\nparameters: {a: 3}\ninputs: [M]\ncoordinates: {phi: 0}\n"
         "kinetic: phi'^2/2\npotential: a^2*cos(phi)\ngeneralized_forces: {phi: M}\n"
         "signals: {c: {type: rest-to-rest, duration: 10}}\n"
         "servo: {angle: {output: phi, reference: " +
         reference + "}}\nrun: {end: " + std::to_string(end) + "}\n";
}

Inverse verify_text(const std::string& text) {
  const Model model = read_model_text(text, "m.yaml");
  InverseOptions options = inverse_options_of(model);
  options.verify = true;
  return inverse(model, options);
}

// δφ̈ = a²δφ about rest. From δφ = 1 the deviation is cosh(a T), from δφ̇ T = 1 sinh(a T)/(a T).
TEST(Verify, GrowthOfDeviationsIsThatOfTheLinearSystem) {
  const Inverse motion = verify_text(upright(2, "0*c"));
  const DeviationGrowth growth = find_growth(motion, motion.start);
  const double exact = std::hypot(std::cosh(6.0), std::sinh(6.0) / 6);
  EXPECT_NEAR(growth.factor, exact, 1e-9 * exact);
  EXPECT_DOUBLE_EQ(growth.at, 2);
}

TEST(Verify, NamesAnUnstableMechanismAsTheReason) {
  const Inverse motion = verify_text(upright(12, "0.5*c"));
  EXPECT_EQ(motion.status, Outcome::Status::Doubtful);
  const Verification& v = motion.summary.verification.value();
  EXPECT_TRUE(v.is_done);
  EXPECT_FALSE(v.is_verified);
  // Some exp(3·12)/2, less while the pendulum leans.
  EXPECT_GT(v.growth, 1e13);
  EXPECT_LT(v.growth, 1e16);
  EXPECT_NE(v.reason().find(" The mechanism is unstable along this motion: small deviations grow "),
            std::string::npos);
  EXPECT_EQ(motion.summary.health.reasons.at(0).text, v.reason());
  EXPECT_EQ(motion.text, v.reason());
}

TEST(Verify, BoundIsAMillionthOfThePathAndAHundredthInSteps) {
  const Model model = model_file("navy_crane_2d");
  InverseOptions options = inverse_options_of(model);
  options.verify = true;
  const Inverse flat = inverse(model, options);
  EXPECT_TRUE(flat.summary.verification->is_verified);
  EXPECT_EQ(flat.summary.verification->bound, 1e-6);
  EXPECT_EQ(flat.summary.verification->growth, 0);  // not looked for
  options.method = "projection";
  options.step = options.end / 100;
  const Inverse steps = inverse(model, options);
  EXPECT_EQ(steps.status, Outcome::Status::Doubtful);
  EXPECT_EQ(steps.summary.verification->reason(),
            "The inputs are not verified: simulated with them, the outputs are off their "
            "references by 0.18 at t = 2.7225 s, 0.029 of their path (bound 0.01). Take a shorter "
            "`step`, or the method flat.");
  options.health.loosen = 10;
  EXPECT_TRUE(inverse(model, options).summary.verification->is_verified);
}

TEST(Verify, SaysWhyAMasslessPulleyCannotBeSimulated) {
  const Verification v = verified("navy_crane_2d_massless");
  EXPECT_FALSE(v.is_done);
  EXPECT_EQ(v.text,
            "the mass matrix is singular along an unconstrained direction, so there is no forward "
            "simulation.");
}

}  // namespace
}  // namespace koppel

// Forward simulation with computed inputs returns the prescribed motion.
#include <gtest/gtest.h>

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

TEST(Verify, SaysWhyAMasslessPulleyCannotBeSimulated) {
  const Verification v = verified("navy_crane_2d_massless");
  EXPECT_FALSE(v.is_done);
  EXPECT_EQ(v.text,
            "nothing has mass in some motion that no constraint forbids, so that there is no "
            "forward simulation.");
}

}  // namespace
}  // namespace koppel

// Singular places along motions, freedoms of no interest, and large mechanisms.
#include <gtest/gtest.h>

#include <numbers>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/motion/follow.hpp>
#include <koppel/analysis/rank/local_freedoms.hpp>
#include <koppel/analysis/rank/singular.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/lagrangian_models.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

// Crank and rod of the same length: with the slider over the pivot the crank turns freely.
Model make_equal_slider_crank() {
  Model model;
  const auto [a, va] = add_coordinate(model, "a", 0.3);
  const auto [b, vb] = add_coordinate(model, "b", 0.3);
  const auto [s, vs] = add_coordinate(model, "s", 1.9);
  model.kinetic = 0.5 * (va * va + vb * vb + vs * vs);
  model.constraints.push_back({"x", cos(a) + cos(b) - s, {}});
  model.constraints.push_back({"y", sin(a) - sin(b), {}});
  return model;
}

TEST(Singular, SliderCrankOfEqualLengthsIsSingularOverItsPivot) {
  const Evaluator evaluator(derive(make_equal_slider_crank()));
  State start = start_of(evaluator.equations);
  start.q = {0.3, 0.3, 2 * std::cos(0.3)};
  start.v = {1, 1, -2 * std::sin(0.3)};
  const FreeMotion motion = follow_freedom(evaluator, start, {.length = 4});
  ASSERT_TRUE(motion.is_complete) << motion.text;
  const std::vector<SingularPlace> places = find_singular_places(evaluator, motion.states);
  ASSERT_EQ(places.size(), 1u);
  const Tolerance tolerance{.relative = 1e-5, .because = "a kink located to 1e-7 of an interval"};
  EXPECT_TRUE(near(places[0].state.q[0], std::numbers::pi / 2, tolerance));
  EXPECT_LT(places[0].pivot, 1e-6);
  EXPECT_EQ(places[0].text, "singular; the equations of 'y' become dependent.");
}

TEST(Singular, WindowsOfRodsAreSingularWhereAllAreInLine) {
  const Model model = read_model(KOPPEL_MODELS "four_bar.yaml");
  const Evaluator evaluator(derive(model, "joint"));
  const Assembly start = assemble(evaluator);
  ASSERT_TRUE(start) << start.text;
  const FreeMotion motion = follow_freedom(evaluator, start.state);
  ASSERT_TRUE(motion.is_complete) << motion.text;
  const std::vector<SingularPlace> places = find_singular_places(evaluator, motion.states);
  // The uprights lie to the right and to the left once in a turn.
  ASSERT_EQ(places.size(), 2u);
  for (const SingularPlace& place : places) {
    const double height = VectorFunction(
        evaluator.equations, std::vector{evaluator.equations->outputs[1].value})(place.state)[0];
    EXPECT_LT(std::abs(height), 1e-4) << "yB0: the uprights lie";
    EXPECT_FALSE(place.owners.empty());
  }
}

TEST(Singular, FourBarWithoutFlatPositionHasNone) {
  const Evaluator evaluator(derive(make_four_bar(), "absolute"));
  const Assembly start = assemble(evaluator);
  ASSERT_TRUE(start) << start.text;
  const FreeMotion motion = follow_freedom(evaluator, start.state, {.num_samples = 101});
  ASSERT_TRUE(motion.is_complete) << motion.text;
  EXPECT_TRUE(find_singular_places(evaluator, motion.states).empty());
}

TEST(Follow, AsksForOneFreedom) {
  const Evaluator evaluator(derive(make_double_pendulum(), "joint"));
  EXPECT_EQ(follow_freedom(evaluator, start_of(evaluator.equations)).text,
            "the mechanism has 2 freedoms; one that has a single freedom can be followed.");
}

std::vector<LocalFreedom> local_freedoms_of(const Model& model) {
  const Evaluator evaluator(derive(model, "absolute"));
  const Assembly start = assemble(evaluator);
  EXPECT_TRUE(start) << start.text;
  return find_local_freedoms(model, evaluator, start.state);
}

TEST(LocalFreedoms, LegsOfTheStewartPlatformSpin) {
  const auto found = local_freedoms_of(read_model(KOPPEL_MODELS "stewart_platform.yaml"));
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(found[0].bodies, (std::vector<std::string>{"lower[1]", "upper[1]"}));
  EXPECT_EQ(found[0].kind, LocalFreedom::Kind::Spin);
  EXPECT_EQ(found[0].text, "'lower[1]' (with 'upper[1]') can spin about its own axis.");
}

TEST(LocalFreedoms, RodBetweenBallJointsSpins) {
  // Crank, rod and rocker; the rod has ball joints at both ends.
  Model model;
  const int crank = add_rod(model, "crank", {0, 0, 0}, {0, 1, 0}, 1, 0.1);
  const int rod = add_rod(model, "rod", {0, 1, 0}, {2, 1, 0.5}, 1, 0.1);
  const int rocker = add_rod(model, "rocker", {2, 0, 0.5}, {2, 1, 0.5}, 1, 0.1);
  add_joint(model, "a", Revolute::law(), kGround, crank, {0, 0, 0});
  add_joint(model, "b", Spherical::law(), crank, rod, {0, 1, 0});
  add_joint(model, "c", Spherical::law(), rod, rocker, {2, 1, 0.5});
  add_joint(model, "d", Revolute::law(), kGround, rocker, {2, 0, 0.5});
  const auto found = local_freedoms_of(model);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "'rod' can spin about its own axis.");
}

TEST(LocalFreedoms, EndsOfChainsAndClosedLoopsHaveNone) {
  EXPECT_TRUE(local_freedoms_of(make_double_pendulum()).empty());
  EXPECT_TRUE(local_freedoms_of(make_four_bar()).empty());
  EXPECT_TRUE(local_freedoms_of(make_bricard()).empty());
  // Level at the start: two links in line could yield, but only infinitesimally.
  EXPECT_TRUE(local_freedoms_of(read_model(KOPPEL_MODELS "chain.yaml")).empty());
}

// Above 400 unknowns everything is sparse; the findings are those of small ones.
TEST(LargeMechanisms, AreExaminedSparsely) {
  const Examination chain =
      examine(derive(read_model(KOPPEL_MODELS "chain.yaml", {.set = {{"n", "500"}}})));
  EXPECT_TRUE(chain.start) << chain.start.text;
  EXPECT_EQ(chain.rank.degrees_of_freedom, 500);
  EXPECT_TRUE(chain.massless.empty());
  EXPECT_EQ(chain.forward.index, 3);
  EXPECT_EQ(chain.forward.evidence, IndexReport::Evidence::Structure);
  const Examination windows =
      examine(derive(read_model(KOPPEL_MODELS "four_bar.yaml", {.set = {{"N", "200"}}})));
  EXPECT_TRUE(windows.start) << windows.start.text;
  EXPECT_TRUE(windows.start.wishes_met);
  EXPECT_EQ(windows.rank.degrees_of_freedom, 1);
  EXPECT_EQ(windows.forward.index, 3);
}

}  // namespace
}  // namespace koppel

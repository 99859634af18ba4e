// Singular starts: what repeats always and what repeats there only, branches, and the way out.
#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/analysis/rank/branches.hpp>
#include <koppel/analysis/rank/departure.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/lagrangian_models.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/analysis/singular_models.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

struct At {
  At(const Model& model, const std::string& set)
      : evaluator(derive(model, set)), state(assemble(evaluator).state) {
    rank = analyze_rank(evaluator, state);
  }
  Branches branches() const { return find_branches(evaluator, state, rank); }

  Evaluator evaluator;
  State state;
  RankReport rank;
};

double rate(const At& at, const Branch& branch, const std::string& name) {
  for (std::size_t i = 0; i < at.evaluator.equations->num_v(); ++i) {
    if (at.evaluator.equations->v[i].name() == name) {
      return branch.tangents(static_cast<int>(i), 0);
    }
  }
  ADD_FAILURE() << "no velocity " << name;
  return 0;
}

TEST(SingularStart, LosesNoConstraintInAnyCoordinates) {
  for (const Model& model : {flat_parallelogram(), folded_rhombus(), upright_slider_crank()}) {
    for (const std::string& set : coordinate_sets(model)) {
      const At at(model, set);
      EXPECT_TRUE(at.rank.is_singular()) << model.name << ' ' << set;
      EXPECT_TRUE(at.rank.redundant_rows.empty()) << model.name << ' ' << set;
      EXPECT_TRUE(at.rank.redundant.empty()) << model.name << ' ' << set;
      EXPECT_EQ(at.rank.degrees_of_freedom, 1) << model.name << ' ' << set;
      EXPECT_EQ(at.rank.freedoms_here(), 2) << model.name << ' ' << set;
      EXPECT_EQ(at.branches().all.size(), 2u) << model.name << ' ' << set;
    }
  }
}

TEST(SingularStart, LeavesOutWhatRepeatsAlways) {
  const At at(flat_in_space(), "absolute");
  EXPECT_TRUE(at.rank.is_singular());
  EXPECT_EQ(at.rank.degrees_of_freedom, 1);
  ASSERT_EQ(at.rank.redundant_rows.size(), 3u);  // out of the plane, as for every planar loop
  ASSERT_EQ(at.rank.redundant.size(), 1u);
  EXPECT_EQ(at.rank.redundant[0].rows, (std::vector<std::string>{"d.z", "d.tilt_x", "d.tilt_y"}));
  EXPECT_EQ(at.branches().all.size(), 2u);
}

TEST(SingularStart, RegularOverconstrainedMechanismsAreNotSingular) {
  for (const Model& model : {make_bricard(), make_four_bar()}) {
    const At at(model, "absolute");
    EXPECT_FALSE(at.rank.is_singular()) << model.name;
    EXPECT_FALSE(at.rank.is_degenerate) << model.name;
    EXPECT_FALSE(at.rank.redundant_rows.empty()) << model.name;
  }
}

// By hand, with the rods at angles 0 and ω their rates: yB' = ω1, yC' = ω3 = ω1 + 2 ω2, and the
// second derivative of the closure along x gives ω1² + 2 ω2² = ω3²: ω2 = 0, or ω2 = −2 ω1.
TEST(Branches, OfTheFlatParallelogramAreThoseOfTheSecondOrder) {
  const At at(flat_parallelogram(), "absolute");
  const Branches found = at.branches();
  ASSERT_EQ(found.all.size(), 2u);
  const Tolerance tolerance{.relative = 1e-12, .scale = 1, .because = "roots of a quadratic"};
  int parallel = 0, anti = 0;
  for (const Branch& branch : found.all) {
    const double crank = rate(at, branch, "crank.angle'");
    const double coupler = rate(at, branch, "coupler.angle'") / crank;
    const double rocker = rate(at, branch, "rocker.angle'") / crank;
    const bool is_parallel = std::abs(coupler) < 1;
    ++(is_parallel ? parallel : anti);
    EXPECT_TRUE(near(coupler, is_parallel ? 0 : -2, tolerance));
    EXPECT_TRUE(near(rocker, is_parallel ? 1 : -3, tolerance));
  }
  EXPECT_EQ(parallel, 1);
  EXPECT_EQ(anti, 1);
}

TEST(Branches, FillSpacesWhereThereAreOtherFreedoms) {
  Model model = flat_parallelogram();
  const auto [x, vx] = add_coordinate(model, "x", 0);
  static_cast<void>(x);
  model.kinetic = model.kinetic + 0.5 * vx * vx;
  const At at(model, "joint");
  EXPECT_EQ(at.rank.freedoms_here(), 3);
  const Branches found = at.branches();
  ASSERT_EQ(found.all.size(), 2u);
  for (const Branch& branch : found.all) EXPECT_EQ(branch.tangents.columns, 2);
}

TEST(Branches, AreChosenByVelocitiesAlongThem) {
  for (const auto& [w2, w3] : {std::pair{"0", "1"}, {"-2", "-3"}}) {
    At at(flat_parallelogram({{"w1", "1"}, {"w2", w2}, {"w3", w3}}), "natural");
    EXPECT_GE(choose_branch(at.evaluator, at.branches(), at.state), 0);
  }
  for (const auto& [w1, w3] : {std::pair{"0", "0"}, {"1", "0.5"}}) {  // at rest, and between them
    At at(flat_parallelogram({{"w1", w1}, {"w2", "-0.25"}, {"w3", w3}}), "natural");
    EXPECT_EQ(choose_branch(at.evaluator, at.branches(), at.state), -1);
  }
}

TEST(SingularStart, ThatHoldsTheMechanismToSecondOrderIsDegenerate) {
  for (const std::string& set : coordinate_sets(stretched_rods())) {
    const At at(stretched_rods(), set);
    EXPECT_TRUE(at.rank.is_degenerate) << set;
    EXPECT_TRUE(at.rank.redundant_rows.empty()) << set;
  }
  Model square;
  const auto [x, vx] = add_coordinate(square, "x", 0);
  const auto [y, vy] = add_coordinate(square, "y", 0);
  static_cast<void>(y);
  square.kinetic = 0.5 * (vx * vx + vy * vy);
  square.constraints.push_back({"square", x * x, {}});
  EXPECT_TRUE(At(square, "").rank.redundant_rows.empty());
}

TEST(SingularStart, NearbyIsSeenInJointCoordinatesNearZero) {
  for (const std::string& set : coordinate_sets(flat_parallelogram())) {
    const At at(flat_parallelogram({{"tilt", "1e-6"}}), set);
    EXPECT_FALSE(at.rank.is_singular()) << set;
    EXPECT_TRUE(at.rank.is_near_singular()) << set << ' ' << at.rank.smallest_pivot;
    // All of it has mass.
    EXPECT_FALSE(solve_accelerations(at.evaluator, at.state).is_underdetermined) << set;
  }
}

TEST(SingularStart, IsToldWithItsBranches) {
  const Examination found = examine(derive(flat_parallelogram(), "joint"));
  EXPECT_TRUE(found.rank.redundant.empty());
  EXPECT_EQ(found.forward.index, 3);
  EXPECT_EQ(found.singular,
            "the start is a singular configuration: 2 freedoms meet there, 1 near it; the "
            "equations of 'c' become dependent. Branches, by their rates: (1) a.angle' = 1, "
            "d.angle' = 1, b.angle' = -1; (2) d.angle' = 1, b.angle' = 1, a.angle' = -0.3333.");
}

// A stretched crank of l₁ = 0.3 and rod of l₂ = 0.5 m whose end is pulled back by 0.05 t²: with
// φ = −θ l₁/l₂, ½ θ² l₁ (1 + l₁/l₂) = 0.05 t², hence θ̇ = ±√(0.1/0.48).
TEST(SingularStart, OfADrivenMechanismIsToldWithRatesAndSigns) {
  const Examination found = examine(derive(read_model_text(R"(
dimension: 2
bodies:
  crank: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {A: [0.3, 0]}}
  rod: {mass: 1, shape: {rod: {to: [0.5, 0]}}, points: {B: [0.5, 0]}, position: [0.3, 0]}
  slider: {mass: 1, inertia: 0.1, position: [0.8, 0]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  B: {type: revolute, between: [rod.B, slider]}
  S: {type: prismatic, between: [ground, slider], axis: [1, 0], drive: 0.8 - 0.05*t^2}
)",
                                                           "stretched.yaml"),
                                           "joint"));
  for (const char* rate : {"O.angle' = 0.4564354", "O.angle' = -0.4564354"}) {
    EXPECT_NE(found.singular.find(rate), std::string::npos) << found.singular;
  }
}

TEST(Departure, KeepsEnergyAndConstraints) {
  At at(flat_parallelogram({{"w1", "1"}, {"w2", "-2"}, {"w3", "-3"}}), "absolute");
  const Branches branches = at.branches();
  const int chosen = choose_branch(at.evaluator, branches, at.state);
  ASSERT_GE(chosen, 0);
  const Branch& branch = branches.all[static_cast<std::size_t>(chosen)];
  const Departure way =
      depart(at.evaluator, at.state, branch.tangents, branch.rank.redundant_rows, 0.05);
  ASSERT_TRUE(way.is_found) << way.text;
  const Equations& e = at.evaluator.equations;
  const VectorFunction energy(e, std::vector{e.kinetic + e.potential});
  const Tolerance tolerance{.relative = 1e-11, .because = "order 16, round-off over the distance"};
  EXPECT_TRUE(near(energy(way.end)[0], energy(way.begin)[0], tolerance));
  const State middle = way.at((way.begin.t + way.end.t) / 2);
  for (const double g : at.evaluator.g(middle)) EXPECT_LT(std::abs(g), 1e-10);
}

}  // namespace
}  // namespace koppel

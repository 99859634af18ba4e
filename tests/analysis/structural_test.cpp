#include <gtest/gtest.h>

#include <numbers>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/analysis/structure/numeric_index.hpp>
#include <koppel/analysis/structure/regularity.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <tests/analysis/lagrangian_models.hpp>
#include <tests/analysis/mechanisms.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using namespace koppel::testing;  // NOLINT

struct Findings {
  Dae dae;
  DaePoint point;
  Structure structure;
  Regularity regularity;
};

Findings analyze(const Model& model, const std::string& set = "") {
  const Evaluator evaluator(derive(model, set));
  const Assembly assembly = assemble(evaluator);
  EXPECT_TRUE(assembly) << assembly.text;
  const RankReport rank = analyze_rank(evaluator, assembly.state);
  Findings f;
  f.dae = make_dae(leave_out(evaluator.equations, rank.redundant_rows));
  f.point = make_point(f.dae, evaluator, assembly.state);
  f.structure = analyze_structure(f.dae);
  EXPECT_TRUE(f.structure.is_regular) << f.structure.problem;
  f.regularity = check_regularity(f.dae, f.structure, f.point);
  return f;
}

std::vector<std::string> free_names(const Findings& f) {
  std::vector<std::string> names;
  for (const FreeValue& value : f.regularity.free) names.push_back(value.name);
  return names;
}

TEST(Structure, PendulumInCartesianCoordinatesHasIndexThreeAndTwoFreeValues) {
  const Findings f = analyze(make_point_pendulum());
  EXPECT_EQ(f.structure.c, (std::vector{0, 0, 2}));
  EXPECT_EQ(f.structure.d, (std::vector{2, 2, 0}));
  EXPECT_EQ(f.structure.index, 3);
  EXPECT_EQ(f.structure.degrees_of_freedom, 2);
  EXPECT_TRUE(f.regularity.is_regular);
  // y is solved for, because |y| > |x| at the start.
  EXPECT_EQ(free_names(f), (std::vector<std::string>{"x", "x'"}));
}

TEST(Structure, OrdinaryDifferentialEquationHasIndexZero) {
  const Findings f = analyze(make_double_pendulum(), "joint");
  EXPECT_EQ(f.structure.index, 0);
  EXPECT_EQ(f.structure.degrees_of_freedom, 4);
  EXPECT_TRUE(f.regularity.is_regular);
  EXPECT_EQ(find_numeric_index(f.dae, f.point).index, 0);
}

TEST(Structure, AndrewsSqueezerHasIndexThreeAndOneDegreeOfFreedom) {
  const Findings f = analyze(make_andrews());
  EXPECT_EQ(f.structure.index, 3);
  EXPECT_EQ(f.structure.degrees_of_freedom, 2);
  EXPECT_TRUE(f.regularity.is_regular);
}

TEST(Structure, MovingConstraintsOfTheCarAxleHaveIndexThree) {
  const Findings f = analyze(make_car_axle());
  EXPECT_EQ(f.structure.index, 3);
  EXPECT_EQ(f.structure.degrees_of_freedom, 4);
  EXPECT_TRUE(f.regularity.is_regular);
}

TEST(Structure, ChainOfMassesWithServoConstraintHasIndexTwiceTheMassesPlusOne) {
  for (const int n : {1, 2, 3, 4, 10}) {
    const Findings f = analyze(make_servo_chain(n));
    EXPECT_EQ(f.structure.index, 2 * n + 1) << n;
    EXPECT_EQ(f.structure.degrees_of_freedom, 0) << n;
    EXPECT_TRUE(f.regularity.is_regular) << n;
    if (n <= 3) {
      EXPECT_EQ(find_numeric_index(f.dae, f.point).index, 2 * n + 1) << n;
    }
  }
}

TEST(Structure, OverheadCraneWithServoConstraintsHasIndexFiveAndNoInternalDynamics) {
  const Findings f = analyze(make_overhead_crane());
  EXPECT_EQ(f.structure.index, 5);
  EXPECT_EQ(f.structure.degrees_of_freedom, 0);
  EXPECT_TRUE(f.regularity.is_regular);
  const NumericIndex numeric = find_numeric_index(f.dae, f.point);
  EXPECT_EQ(numeric.index, 5) << numeric.text;
  EXPECT_EQ(numeric.degrees_of_freedom, 0);
}

TEST(Structure, OverheadCraneWithGivenInputsHasIndexThree) {
  const Findings f = analyze(make_overhead_crane(false));
  EXPECT_EQ(f.structure.index, 3);
  EXPECT_EQ(f.structure.degrees_of_freedom, 6);
}

TEST(Structure, ConstrainedMechanismsHaveIndexThreeInEverySetOfCoordinates) {
  for (const auto& make : {make_four_bar, make_bricard}) {
    const Model model = make();
    for (const std::string& set : coordinate_sets(model)) {
      SCOPED_TRACE(model.name + " " + set);
      if (model.name == "bricard" && set == "cardan") continue;  // singular: rods along z
      const Findings f = analyze(model, set);
      EXPECT_EQ(f.structure.index, 3);
      EXPECT_TRUE(f.regularity.is_regular) << f.regularity.smallest_pivot;
    }
  }
}

// [Seifried & Blajer 2013]: the inclination decides between internal dynamics and flatness; the
// structure cannot see it.
TEST(NumericIndex, FindsTheIndexWhereTheStructureDeceives) {
  struct {
    double angle, damping;
    bool is_regular;
    int index, degrees_of_freedom;
  } const cases[] = {
      {std::numbers::pi / 4, 1, true, 3, 2}, {0, 1, false, 4, 1}, {0, 0, false, 5, 0}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.index);
    const Findings f = analyze(make_mass_on_car(c.angle, c.damping));
    EXPECT_EQ(f.structure.index, 3);
    EXPECT_EQ(f.regularity.is_regular, c.is_regular);
    const NumericIndex numeric = find_numeric_index(f.dae, f.point);
    EXPECT_EQ(numeric.index, c.index) << numeric.text;
    EXPECT_EQ(numeric.degrees_of_freedom, c.degrees_of_freedom);
  }
}

TEST(NumericIndex, AgreesWithTheStructureOnConstrainedMechanisms) {
  for (const Model& model : {make_point_pendulum(), make_andrews(), make_car_axle()}) {
    const Findings f = analyze(model);
    const NumericIndex numeric = find_numeric_index(f.dae, f.point);
    EXPECT_EQ(numeric.index, f.structure.index) << model.name << ": " << numeric.text;
    EXPECT_EQ(numeric.degrees_of_freedom, f.structure.degrees_of_freedom) << model.name;
  }
}

TEST(Structure, NamesTheEquationsThatShareTooFewUnknowns) {
  Model model = make_point_pendulum();
  const Expr x = *model.graph->find_symbol("x");
  model.constraints.push_back({"wall", x - 0.6, {}});
  model.constraints.push_back({"other wall", x * x - 0.36, {}});
  const Structure s = analyze_structure(make_dae(derive(model)));
  EXPECT_FALSE(s.is_regular);
  EXPECT_EQ(s.problem, "2 equations ('wall', 'other wall') have only 1 unknown ('x').");
}

TEST(Dae, AsksForNoMoreServoConstraintsThanInputs) {
  Model model = make_overhead_crane();
  model.servos.push_back(model.servos.back());
  EXPECT_EQ(testing::error_of([&] { make_dae(derive(model)); }),
            "error[analysis.servo-count]: there are more servo constraints (3) than inputs (2).\n"
            "  Prescribe as many outputs as there are inputs, or fewer.");
}

}  // namespace
}  // namespace koppel

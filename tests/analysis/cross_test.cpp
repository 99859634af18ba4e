// All coordinate sets describe the same mechanics: accelerations of points agree.
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <koppel/analysis/accelerations.hpp>
#include <koppel/analysis/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using testing::near;

// Outputs: the world coordinates of three points of every body, which fix its place.
void observe_bodies(Model& model) {
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    for (std::size_t point = 0; point < 3; ++point) {
      Vec3e place;
      place[point] = 1;
      for (int axis = 0; axis < (model.is_planar ? 2 : 3); ++axis) {
        const std::string name =
            model.bodies[i].name + ".at" + std::to_string(point) + "." + "xyz"[axis];
        const int q = model.coordinate_of(name, {static_cast<int>(i), place}, axis);
        model.outputs.push_back({name, model.quantities[static_cast<std::size_t>(q)].value, {}});
      }
    }
  }
}

std::vector<Expr> values_of_outputs(const Equations& e) {
  std::vector<Expr> values;
  for (const NamedExpr& output : e.outputs) values.push_back(output.value);
  return values;
}

// ÿ = rate_of(ẏ) + (∂ẏ/∂v) v̇.
std::vector<double> output_accelerations(const Evaluator& evaluator, const State& state,
                                         const std::vector<double>& v_rate) {
  const Equations& e = evaluator.equations;
  const std::vector<Expr> rate = rate_of(e, values_of_outputs(e));
  std::vector<double> result = VectorFunction(e, rate_of(e, rate))(state);
  const Matrix by_v = MatrixFunction(e, jacobian(rate, e.v))(state);
  for (int i = 0; i < by_v.rows; ++i) {
    for (int j = 0; j < by_v.columns; ++j) {
      result[static_cast<std::size_t>(i)] += by_v(i, j) * v_rate[static_cast<std::size_t>(j)];
    }
  }
  return result;
}

double largest(const std::vector<double>& v) {
  double top = 0;
  for (const double x : v) top = std::max(top, std::abs(x));
  return top;
}

struct Case {
  std::string name;
  std::function<Model()> make;
  double spread;  // of the random displacement from the expected start
};

void PrintTo(const Case& test, std::ostream* stream) { *stream << test.name; }

// A file of models/, its own start and outputs left aside.
Case from_file(const std::string& name, double spread, ReadOptions options = {}) {
  return {name,
          [=] {
            Model model = read_model(KOPPEL_MODELS + name + ".yaml", options);
            model.initial.clear();
            model.outputs.clear();
            return model;
          },
          spread};
}

class CoordinateSets : public ::testing::TestWithParam<Case> {};

TEST_P(CoordinateSets, GiveTheSamePointAccelerationsAtRandomConsistentStates) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Model model = GetParam().make();
  observe_bodies(model);
  const Evaluator joint(derive(model, "joint"));
  for (int sample = 0; sample < 3; ++sample) {
    State guess = start_of(joint.equations);
    for (double& q : guess.q) q += GetParam().spread * uniform(random);
    for (double& v : guess.v) v = 2 * uniform(random);
    const Assembly start = assemble(joint, guess);
    ASSERT_TRUE(start) << start.text;
    const std::vector<double> expected =
        output_accelerations(joint, start.state, solve_accelerations(joint, start.state).v_rate);

    // The same state elsewhere: where the points are and how they move.
    const std::vector<Expr> outputs = values_of_outputs(joint.equations);
    const auto y = VectorFunction(joint.equations, outputs)(start.state);
    const auto y_rate =
        VectorFunction(joint.equations, rate_of(joint.equations, outputs))(start.state);
    Model fixed = model;
    for (std::size_t i = 0; i < fixed.outputs.size(); ++i) {
      const std::string& name = fixed.outputs[i].name;
      fixed.initial.push_back({fixed.graph->symbol(name), y[i], true, {}});
      fixed.initial.push_back({fixed.graph->symbol(name + "'"), y_rate[i], true, {}});
    }
    for (const std::string& set : coordinate_sets(model)) {
      SCOPED_TRACE(set + ", sample " + std::to_string(sample));
      if (GetParam().name.ends_with("ricard") && set == "cardan") continue;  // singular: rods along z
      const Evaluator evaluator(derive(fixed, set));
      // Joint angles that are coordinates of their own are known only up to whole turns, and only
      // forces of angles care; the guess is near enough.
      const Assembly assembly = assemble(evaluator);
      ASSERT_TRUE(assembly) << assembly.text;
      const Accelerations a = solve_accelerations(evaluator, assembly.state);
      EXPECT_FALSE(a.is_underdetermined);
      const std::vector<double> found = output_accelerations(evaluator, assembly.state, a.v_rate);
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_TRUE(near(found[i], expected[i],
                         {.relative = 1e-9,
                          .scale = largest(expected),
                          .because = "assembly to 1e-12, cond(KKT) up to 1e3"}))
            << model.outputs[i].name;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, CoordinateSets,
    ::testing::Values(from_file("pendulum", 0.2), from_file("double_pendulum", 0.5),
                      from_file("chain", 0.15, {.set = {{"n", "5"}}}), from_file("four_bar", 0.1),
                      from_file("slider_crank", 0.2), from_file("copy_machine", 0.2),
                      from_file("bricard", 0.1), from_file("flyball_governor", 0.1),
                      from_file("five_link", 0.02), from_file("mcpherson", 0.02),
                      from_file("heavy_top", 0.2), from_file("rolling_disc", 0.1),
                      from_file("stewart_platform", 0.02), from_file("robot", 0.2)),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Mechanisms, CoordinateSets,
    ::testing::Values(Case{"DoublePendulum", testing::make_double_pendulum, 0.5},
                      Case{"HeavyTop", testing::make_heavy_top, 0.2},
                      Case{"SliderCrank", testing::make_slider_crank, 0.2},
                      Case{"FourBar", testing::make_four_bar, 0.2},
                      Case{"Bricard", testing::make_bricard, 0.1},
                      Case{"JointCollection", testing::make_joint_collection, 0.3}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace koppel

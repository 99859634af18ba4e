// Whether all coordinate sets give a mechanism the same accelerations.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <tests/near.hpp>

namespace koppel::testing {

// Outputs: the world coordinates of three points of every body, which fix its place.
inline void observe_bodies(Model& model) {
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

inline std::vector<Expr> values_of_outputs(const Equations& e) {
  std::vector<Expr> values;
  for (const NamedExpr& output : e.outputs) values.push_back(output.value);
  return values;
}

// ÿ = rate_of(ẏ) + (∂ẏ/∂v) v̇.
inline std::vector<double> output_accelerations(const Evaluator& evaluator, const State& state,
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

inline double largest(const std::vector<double>& v) {
  double top = 0;
  for (const double x : v) top = std::max(top, std::abs(x));
  return top;
}

// Compares point accelerations in all sets but `left_out` at `samples` random consistent states,
// with joint coordinates as the measure.
inline void expect_same_accelerations(Model model, unsigned seed, int samples, double spread,
                                      const std::string& left_out) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  observe_bodies(model);
  const Evaluator joint(derive(model, "joint"));
  for (int sample = 0; sample < samples; ++sample) {
    State guess = start_of(joint.equations);
    for (double& q : guess.q) q += spread * uniform(random);
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
      if (set == left_out) continue;
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
                          .scale = std::max(1.0, largest(expected)),
                          .because = "assembly to 1e-12, cond(KKT) up to 1e3"}))
            << model.outputs[i].name;
      }
    }
  }
}

}  // namespace koppel::testing

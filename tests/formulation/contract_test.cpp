// What every formulation with a right-hand side must do, on a pendulum, a slider crank and
// Bricard's mechanism with its redundant equation. A new formulation joins with one line.
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/analysis/mechanisms.hpp"
#include "tests/equations/random_state.hpp"
#include "tests/near.hpp"

namespace koppel::testing {
namespace {

struct Form {
  const char* name;
  double error;             // of accelerations, relative
  bool finds_rank = false;  // rows that repeat others need not be left out
};

constexpr Form kForms[] = {
    {"index1", 1e-9},          {"baumgarte", 1e-9}, {"implicit", 1e-9},  {"explicit", 1e-9, true},
    {"partition", 1e-9, true}, {"qr", 1e-9, true},  {"svd", 1e-9, true},
};

std::ostream& operator<<(std::ostream& out, const Form& form) { return out << form.name; }

Model pendulum() {
  return read_model_text(R"(
name: pendulum
dimension: 2
gravity: [0, -9.81]
bodies:
  bob: {point_mass: 1, position: [-1, 0]}
joints:
  bar: {type: distance, between: [ground, bob], length: 1}
)",
                         "pendulum.yaml");
}

struct Mechanism {
  const char* name;
  Model (*make)();
  const char* coordinates;
};
const Mechanism kMechanisms[] = {
    {"pendulum", pendulum, "natural"},
    {"slider crank", make_slider_crank, "absolute"},
    {"slider crank", make_slider_crank, "joint"},
    {"bricard", make_bricard, "absolute"},
    {"bricard", make_bricard, "joint"},
};

class FormulationOf : public ::testing::TestWithParam<Form> {};
INSTANTIATE_TEST_SUITE_P(RightHandSides, FormulationOf, ::testing::ValuesIn(kForms),
                         [](const auto& instance) {
                           std::string name = instance.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

double largest(std::span<const double> x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

// The rates and multipliers of a formulation beside those of the equations of motion.
void expect_accelerations(const Form& form, const Equations& e, const State& state,
                          const std::vector<int>& redundant) {
  const Evaluator evaluator(e);
  const Accelerations exact = solve_accelerations(evaluator, state);
  const Problem problem = formulate(leave_out(e, redundant), form.name, state);
  ASSERT_TRUE(problem.rhs);
  const std::vector<double> y = start_values(problem, evaluator, state);
  std::vector<double> rate(static_cast<std::size_t>(problem.num_differential()));
  RightHandSide::Workspace work = problem.rhs->make_workspace();
  ASSERT_TRUE(problem.rhs->evaluate(state.t, std::span(y).first(rate.size()), rate, work));

  const double scale = largest(exact.v_rate);
  for (std::size_t j = 0; j < exact.v_rate.size(); ++j) {
    EXPECT_TRUE(near(rate[e.num_q() + j], exact.v_rate[j],
                     {.relative = form.error, .scale = scale, .because = "the form's own error"}))
        << e.v[j].name();
  }
  // Cᵀλ = f − M v̇, whichever rows carry it.
  std::vector<double> lambda(e.num_rows(), 0.0);
  const std::span<const double> z = work.z();
  std::size_t next = e.num_v();
  for (std::size_t i = 0; i < lambda.size(); ++i) {
    if (std::find(redundant.begin(), redundant.end(), static_cast<int>(i)) == redundant.end()) {
      lambda[i] = z[next++];
    }
  }
  ASSERT_EQ(next, z.size());
  const Matrix C = evaluator.all_constraints(state), M = (*evaluator.M)(state);
  const std::vector<double> f = evaluator.f(state);
  for (int j = 0; j < C.columns; ++j) {
    double force = f[static_cast<std::size_t>(j)], size = std::abs(force);
    for (int i = 0; i < C.rows; ++i) {
      force -= C(i, j) * lambda[static_cast<std::size_t>(i)];
      size = std::max(size, std::abs(C(i, j) * lambda[static_cast<std::size_t>(i)]));
    }
    for (int k = 0; k < C.columns; ++k) {
      const double inertia = M(j, k) * exact.v_rate[static_cast<std::size_t>(k)];
      force -= inertia;
      size = std::max(size, std::abs(inertia));
    }
    EXPECT_LE(std::abs(force), 10 * form.error * std::max(size, 1.0)) << e.v[j].name();
  }
}

TEST_P(FormulationOf, HasTheAccelerationsOfTheEquations) {
  std::mt19937 random(5);
  for (const Mechanism& mechanism : kMechanisms) {
    SCOPED_TRACE(std::string(mechanism.name) + " in " + mechanism.coordinates);
    const Equations e = derive(mechanism.make(), mechanism.coordinates);
    for (int k = 0; k < 5; ++k) {
      const State state = random_state(e, random, 0.1);
      const RankReport rank = analyze_rank(Evaluator(e), state);
      expect_accelerations(GetParam(), e, state, rank.redundant_rows);
      if (GetParam().finds_rank) expect_accelerations(GetParam(), e, state, {});
    }
  }
}

double end_error(const Problem& problem, const Start& start, double step, Projection projection,
                 const std::vector<double>& exact) {
  const Outcome out = integrate(problem, "rk4", start, 1, {.step = step, .projection = projection});
  EXPECT_EQ(out.status, Outcome::Status::Done) << out.text;
  double error = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(problem.num_q + problem.num_v); ++i) {
    error = std::max(error, std::abs(out.y[i] - exact[i]));
  }
  return error;
}

TEST_P(FormulationOf, KeepsTheOrderOfRungeKutta) {
  const Equations e = derive(make_slider_crank(), "joint");
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  const Problem problem = formulate(e, GetParam().name, state);
  const Start start{0, start_values(problem, evaluator, state)};
  for (const Projection projection : {Projection::None, Projection::Once, Projection::Full}) {
    const Outcome exact =
        integrate(problem, "dop853", start, 1, {.tolerance = 1e-13, .projection = projection});
    ASSERT_EQ(exact.status, Outcome::Status::Done) << exact.text;
    const double coarse = end_error(problem, start, 1.0 / 64, projection, exact.y);
    const double fine = end_error(problem, start, 1.0 / 128, projection, exact.y);
    EXPECT_GT(std::log2(coarse / fine), 3.6) << static_cast<int>(projection);
  }
}

TEST_P(FormulationOf, StaysOnTheConstraintsWithProjection) {
  for (const Mechanism& mechanism : kMechanisms) {
    SCOPED_TRACE(std::string(mechanism.name) + " in " + mechanism.coordinates);
    const Equations e = derive(mechanism.make(), mechanism.coordinates);
    const Evaluator evaluator(e);
    const State state = assemble(evaluator).state;
    const std::vector<int> redundant = analyze_rank(evaluator, state).redundant_rows;
    const Problem problem = formulate(leave_out(e, redundant), GetParam().name, state);
    const Outcome out =
        integrate(problem, "dop853", {0, start_values(problem, evaluator, state)}, 1);
    ASSERT_EQ(out.status, Outcome::Status::Done) << out.text;
    auto work = problem.projector->make_workspace();
    const std::span<const double> y = out.y;
    const auto violation = problem.projector->violation(1, problem.q(y), problem.v(y), work);
    EXPECT_LT(violation.position, 1e-10);
    EXPECT_LT(violation.velocity, 1e-10);
  }
}

// A slider crank with equal lengths folds: there the crank may turn by itself, and the constraints
// lose a rank. What comes out of it must be right, or be refused.
TEST_P(FormulationOf, PassesOrRefusesASingularConfiguration) {
  const Model model = read_model_text(R"(
name: folding
coordinates: {x: {start: sqrt(2)}, alpha: {start: 3*pi/4}, beta: {start: pi/2}}
kinetic: x'^2/2 + alpha'^2/2 + (alpha' + beta')^2/2
constraints:
  loop_x: x + cos(alpha) + cos(alpha + beta)
  loop_y: sin(alpha) + sin(alpha + beta)
initial: {alpha: {value: 3*pi/4, fixed: true}, "x'": {value: -1, fixed: true}}
)",
                                      "folding.yaml");
  const Equations e = derive(model, "lagrange");
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  const Problem problem = formulate(e, GetParam().name, state);
  const auto energy = [&](std::span<const double> y) {
    const double x = y[3], a = y[4], b = y[4] + y[5];
    return (x * x + a * a + b * b) / 2;
  };
  const Start start{0, start_values(problem, evaluator, state)};
  const double before = energy(start.y);
  for (const bool fixed : {false, true}) {
    IntegrateOptions options;
    if (fixed) options.step = 1e-3;
    const Outcome out = integrate(problem, fixed ? "rk4" : "dop853", start, 4, options);
    if (out.status == Outcome::Status::Failed) {
      EXPECT_FALSE(out.text.empty());
      EXPECT_GT(out.t, 0.5);
      continue;
    }
    EXPECT_TRUE(near(energy(out.y), before,
                     {.relative = 1e-4, .because = "what a singular configuration may cost"}));
  }
}

}  // namespace
}  // namespace koppel::testing

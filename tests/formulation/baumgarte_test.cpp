// Baumgarte's method with α ≠ β: violations obey the equation that it states for them, exactly,
//   g̈ + 2α ġ + β² g = 0,    with velocities only  ġ + α g = 0,    nonholonomic  d/dt(a v) + α a v =
//   0,
// whatever the mechanism does meanwhile.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/near.hpp>

namespace koppel::testing {
namespace {

constexpr double kAlpha = 3, kBeta = 5;

FormulationOptions with_feedback() {
  FormulationOptions options;
  options.alpha = kAlpha;
  options.beta = kBeta;
  return options;
}

// A state that satisfies no constraint.
State off(const Evaluator& evaluator) {
  State state = assemble(evaluator).state;
  for (std::size_t i = 0; i < state.q.size(); ++i)
    state.q[i] += 0.1 * std::sin(1.7 * double(i + 1));
  for (std::size_t i = 0; i < state.v.size(); ++i) state.v[i] += std::cos(2.3 * double(i + 1));
  return state;
}

TEST(Baumgarte, RightHandSideStatesItsEquationOfViolations) {
  for (const char* set : {"absolute", "joint"}) {
    const Evaluator evaluator(derive(make_slider_crank(), set));
    const State state = off(evaluator);
    const Problem problem = formulate(evaluator.equations, "baumgarte", state, with_feedback());
    const std::vector<double> y = start_values(problem, evaluator, state);
    std::vector<double> rate(static_cast<std::size_t>(problem.num_differential()));
    RightHandSide::Workspace work = problem.rhs->make_workspace();
    ASSERT_TRUE(problem.rhs->evaluate(state.t, std::span(y).first(rate.size()), rate, work));
    const Matrix G = evaluator.G(state);
    const auto g = evaluator.g(state), g_rate = evaluator.g_rate(state),
               gamma = evaluator.gamma(state);
    for (int i = 0; i < G.rows; ++i) {
      const auto k = static_cast<std::size_t>(i);
      double second = gamma[k], size = std::abs(gamma[k]);
      for (int j = 0; j < G.columns; ++j) {
        const double part = G(i, j) * rate[static_cast<std::size_t>(problem.num_q + j)];
        second += part;
        size = std::max(size, std::abs(part));
      }
      EXPECT_GT(std::abs(g[k]) + std::abs(g_rate[k]), 1e-3) << "nothing to see";
      EXPECT_NEAR(second, -2 * kAlpha * g_rate[k] - kBeta * kBeta * g[k], 1e-10 * (1 + size))
          << set << ' ' << i;
    }
  }
}

struct Method {
  const char* integrator;
  double step, error;  // of the violation, of its first value
};

// A pendulum 5 % too long, r r: g = r² − 1.
Model pendulum() {
  return read_model_text(
      "dimension: 2\ngravity: [0, -9.81]\nbodies: {bob: {point_mass: 1, position: [1, 0]}}\n"
      "joints: {bar: {type: distance, between: [ground, bob], length: 1}}\n",
      "pendulum.yaml");
}

// The violation at t, from g(0) = r0² − 1 and the given radial velocity.
double violation_after(const Method& method, const char* formulation, double radial, double t) {
  const Evaluator evaluator(derive(pendulum(), "natural"));
  State state = assemble(evaluator).state;
  state.q = {1.05, 0};
  state.v = {radial, 0.4};
  const Problem problem = formulate(evaluator.equations, formulation, state, with_feedback());
  IntegrateOptions options{.tolerance = 1e-10, .projection = Projection::None};
  if (method.step > 0) options.step = method.step;
  const Outcome out = integrate(problem, method.integrator,
                                {0, start_values(problem, evaluator, state)}, t, options);
  EXPECT_EQ(out.status, Outcome::Status::Done) << method.integrator << ": " << out.text;
  return out.y[0] * out.y[0] + out.y[1] * out.y[1] - 1;
}

// g = g₀ e^{−αt} (cos ωt + α/ω sin ωt) with ω² = β² − α²: from rest.
TEST(Baumgarte, ViolationsOfPositionsDieOutAsADampedOscillation) {
  const double g0 = 1.05 * 1.05 - 1, omega = 4;
  for (const Method& m :
       {Method{"dop853", 0, 1e-6}, Method{"rk4", 1e-3, 1e-6}, Method{"cvode", 0, 1e-4},
        Method{"radau5", 0, 1e-5}, Method{"ida", 0, 1e-4}, Method{"linear-implicit", 1e-4, 4e-3},
        Method{"rosenbrock", 1e-3, 1e-3}}) {
    for (const double t : {0.2, 0.5}) {
      const double expected =
          g0 * std::exp(-kAlpha * t) * (std::cos(omega * t) + kAlpha / omega * std::sin(omega * t));
      EXPECT_NEAR(violation_after(m, "baumgarte", 0, t), expected, m.error * g0)
          << m.integrator << " at " << t;
    }
  }
}

// ġ = −α g from the start: g = g₀ e^{−αt}.
TEST(Baumgarte, ViolationsDieOutExponentiallyWhereVelocitiesAreStated) {
  const double g0 = 1.05 * 1.05 - 1, radial = -kAlpha * g0 / (2 * 1.05);
  for (const Method& m :
       {Method{"radau5", 0, 1e-5}, Method{"ida", 0, 1e-3}, Method{"linear-implicit", 1e-4, 4e-3}}) {
    for (const double t : {0.2, 0.5}) {
      EXPECT_NEAR(violation_after(m, "baumgarte2", radial, t), g0 * std::exp(-kAlpha * t),
                  m.error * g0)
          << m.integrator << " at " << t;
    }
  }
}

// A skate that slips sideways: the slip s = −sin φ x′ + cos φ y′ is s₀ e^{−αt}.
TEST(Baumgarte, SlipDiesOutExponentially) {
  const Evaluator evaluator(derive(
      read_model_text("coordinates: {x: 0, y: 0, phi: 0.3}\nkinetic: x'^2/2 + y'^2/2 + phi'^2/20\n"
                      "nonholonomic: {skate: \"-sin(phi)*x' + cos(phi)*y'\"}\n",
                      "skate.yaml"),
      "lagrange"));
  State state = start_of(evaluator.equations);
  state.q = {0, 0, 0.3};
  state.v = {1, 0.7, 2};
  const double s0 = -std::sin(0.3) + 0.7 * std::cos(0.3);
  for (const Method& m :
       {Method{"dop853", 0, 1e-6}, Method{"radau5", 0, 1e-5}, Method{"linear-implicit", 1e-4, 4e-3},
        Method{"rosenbrock", 1e-3, 1e-3}}) {
    const Problem problem = formulate(evaluator.equations, "baumgarte", state, with_feedback());
    IntegrateOptions options{.tolerance = 1e-10, .projection = Projection::None};
    if (m.step > 0) options.step = m.step;
    const Outcome out = integrate(problem, m.integrator,
                                  {0, start_values(problem, evaluator, state)}, 0.4, options);
    ASSERT_EQ(out.status, Outcome::Status::Done) << m.integrator << ": " << out.text;
    const double slip = -std::sin(out.y[2]) * out.y[3] + std::cos(out.y[2]) * out.y[4];
    EXPECT_NEAR(slip, s0 * std::exp(-kAlpha * 0.4), m.error * s0) << m.integrator;
  }
}

}  // namespace
}  // namespace koppel::testing

// Structure-preserving integrators on mechanisms: orders, energy, momenta, symplecticity; the
// statements of [Yang 2017, chapters 2 and 3], and numbers that independent programs found for them
// (directors with Newton's method on (2.20), complex-step Jacobians; tests/reference/README.md).
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/csv.hpp>
#include <problems/structure.hpp>
#include <tests/near.hpp>

namespace koppel::testing {
namespace {

using problems::change_of;
using problems::FixedStep;
using problems::simulate_steps;

Model model_of(const std::string& name, const ReadOptions& options = {}) {
  return read_model(std::string(KOPPEL_SOURCE "/models/") + name + ".yaml", options);
}

// Orders: every method on every mechanism.
class OrderOn : public ::testing::TestWithParam<problems::Mechanism> {};
INSTANTIATE_TEST_SUITE_P(All, OrderOn, ::testing::ValuesIn(problems::mechanisms()),
                         [](const auto& suite) { return suite.param.model; });

TEST_P(OrderOn, EveryMethodIsAsStated) {
  const problems::Mechanism& mechanism = GetParam();
  const Model model = model_of(mechanism.model);
  const std::vector<double> exact = problems::exact_end(model, mechanism.end);
  for (const problems::Method& method : problems::methods()) {
    const bool is_tree = mechanism.coordinates == "joint";
    const problems::MeasuredOrder measured =
        problems::measure_order(model,
                                {mechanism.coordinates, is_tree ? "minimal" : method.formulation,
                                 method.integrator, mechanism.step(method.order)},
                                mechanism.end, exact);
    // Within a third; errors that cancel may make an order look higher.
    EXPECT_GT(measured.order(), method.order - 0.34)
        << method.integrator << " " << method.formulation << ": " << measured.coarse << " to "
        << measured.fine;
    EXPECT_LT(measured.order(), method.order + 1.2)
        << method.integrator << " " << method.formulation;
  }
}

// Energy, exactly, for any coordinates and any potential.
TEST(EnergyMomentum, KeepsTheEnergyInAllCoordinates) {
  struct Case {
    const char *model, *coordinates;
    double step, end;
  };
  const Case cases[] = {
      {"double_pendulum", "joint", 1e-2, 2},
      {"double_pendulum", "absolute", 1e-2, 2},
      {"double_pendulum", "natural", 1e-2, 2},
      {"double_pendulum", "directors", 1e-2, 2},
      {"heavy_top", "absolute", 2e-3, 0.4},
      {"heavy_top", "natural", 2e-3, 0.4},
      {"heavy_top", "joint", 1e-3, 0.1},
      {"slider_crank", "natural", 1e-3, 1},
      {"rotary_crane_released", "joint", 1e-2, 0.2},
      {"bricard", "absolute", 1e-2, 1},
  };
  for (const Case& c : cases) {
    const Simulation s =
        simulate_steps(model_of(c.model), {c.coordinates, "", "energy-momentum", c.step}, c.end);
    // Newton's method stops at round-off; some hundred steps add it up.
    EXPECT_LT(s.summary.energy_drift, 1e-12) << c.model << " " << c.coordinates;
    EXPECT_TRUE(s.summary.is_conservative);
    EXPECT_LT(s.summary.max_position_violation, 1e-12) << c.model << " " << c.coordinates;
  }
}

// A quartic spring with a far potential of the distance: neither quadratic nor polynomial.
TEST(EnergyMomentum, KeepsEnergyAndMomentumOfNonlinearSprings) {
  const Model model = read_model_text(R"(
name: planet on a spring
coordinates:
  px: {start: 1, rate: 0.2}
  py: {start: 0.3, rate: 1.1}
kinetic: (px'^2 + py'^2)/2
potential: (sqrt(px^2 + py^2) - 0.7)^4 - 1/sqrt(px^2 + py^2)
outputs: {x: px}
)",
                                      "planet.yaml");
  const Simulation s = simulate_steps(model, {"", "", "energy-momentum", 0.1}, 20);
  EXPECT_LT(s.summary.energy_drift, 1e-13);
  const auto x = s.trajectory["px"], y = s.trajectory["py"];
  const auto vx = s.trajectory["px'"], vy = s.trajectory["py'"];
  for (std::size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(x[i] * vy[i] - y[i] * vx[i], 1 * 1.1 - 0.3 * 0.2, 1e-13);
  }
}

// Rotary crane [Yang 2017, section 2.4].
const ReadOptions kByTable22 = {.set = {{"J_p", "16.66"}}};

TEST(RotaryCrane, EnergyAndMomentumStayInDirectors) {
  const Model crane = model_of("rotary_crane_released", kByTable22);
  for (const double step : {1e-2, 5e-3}) {
    const Simulation s = simulate_steps(crane, {"directors", "index3", "energy-momentum", step}, 1);
    const auto energy = change_of(s.trajectory["energy"]);
    EXPECT_NEAR(energy.start, -410.125, 1e-9);
    EXPECT_LT(energy.largest, 1e-10 * 410);
    const auto momentum = change_of(problems::vertical_momentum(s));
    EXPECT_NEAR(momentum.start, 160.75, 1e-9);
    EXPECT_LT(momentum.largest, 1e-10 * 160);
    // Digits that the independent program prints. The step is seen in l: 0.026 m at 1e-2.
    EXPECT_NEAR(s.trajectory["l"].back(), step == 1e-2 ? 9.06146 : 9.08120, 6e-6);
  }
}

// With the source's own constraints for the angles the motion is the same to all printed digits.
TEST(RotaryCrane, FortyTwoCoordinatesGiveThePrintedEnd) {
  const Model crane = read_model(KOPPEL_SOURCE "/tests/simulate/rotary_crane_42.yaml");
  const Simulation s = simulate_steps(crane, {"", "index3", "energy-momentum", 1e-2}, 1);
  EXPECT_LT(s.summary.energy_drift, 1e-12);
  EXPECT_NEAR(s.trajectory["phi"].back(), 0.803437, 6e-7);
  EXPECT_NEAR(s.trajectory["s"].back(), 2.137722, 6e-7);
  EXPECT_NEAR(s.trajectory["l"].back(), 9.06146, 6e-6);
  EXPECT_NEAR(s.trajectory["x"].back(), 1.49981, 6e-6);
  EXPECT_NEAR(s.trajectory["y"].back(), 1.50067, 6e-6);
  EXPECT_NEAR(s.trajectory["z"].back(), -9.06137, 6e-6);
}

Model minimal_crane() { return read_model(KOPPEL_SOURCE "/tests/simulate/rotary_crane_5.yaml"); }

TEST(RotaryCrane, MidpointInMinimalCoordinatesIsTheReference) {
  const Model crane = minimal_crane();
  const Trajectory known = read_csv(KOPPEL_SOURCE "/tests/reference/rotary_crane_midpoint.csv");
  const Simulation s = simulate_steps(crane, {"", "minimal", "midpoint", 1e-3}, 1);
  for (const char* name : {"phi", "s", "l", "theta1", "theta2"}) {
    const auto found = s.trajectory[name], expected = known[name];
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // The file has 12 digits; its program stopped Newton's method at 1e-11.
      EXPECT_NEAR(found[10 * i], expected[i], 2e-10) << name << " " << i;
    }
  }
  EXPECT_NEAR(s.trajectory["phi"].back(), 0.80345094, 6e-9);
  EXPECT_NEAR(s.trajectory["s"].back(), 2.13773695, 6e-9);
  EXPECT_NEAR(s.trajectory["l"].back(), 9.08757826, 6e-9);
}

// The drift of the midpoint rule falls with the square of the step: 2.56e-4 J at 1e-2, 2.56e-6 J.
TEST(RotaryCrane, MidpointInMinimalCoordinatesDriftsBySecondOrder) {
  const Model crane = minimal_crane();
  const auto coarse = simulate_steps(crane, {"", "minimal", "midpoint", 1e-2}, 1);
  const auto fine = simulate_steps(crane, {"", "minimal", "midpoint", 1e-3}, 1);
  EXPECT_NEAR(change_of(coarse.trajectory["energy"]).start, -410.12, 1e-9);
  EXPECT_NEAR(change_of(coarse.trajectory["energy"]).largest, 2.56e-4, 1e-6);
  EXPECT_NEAR(change_of(fine.trajectory["energy"]).largest, 2.56e-6, 1e-8);
}

TEST(RotaryCrane, BothMotionsAgreeUnderRefinement) {
  const Model bodies = model_of("rotary_crane_released");
  const std::vector<double> exact = problems::exact_end(bodies, 1);
  const auto em =
      problems::measure_order(bodies, {"directors", "index3", "energy-momentum", 4e-3}, 1, exact);
  EXPECT_NEAR(em.order(), 2, 0.05);
  const auto midpoint = simulate_steps(minimal_crane(), {"", "minimal", "midpoint", 1e-3}, 1);
  const double limit[] = {exact[0], exact[1], exact[2], exact[3], exact[4]};
  const char* names[] = {"phi", "s", "l", "theta1", "theta2"};
  for (int i = 0; i < 5; ++i) {
    EXPECT_NEAR(midpoint.trajectory[names[i]].back(), limit[i], 2e-7) << names[i];
  }
}

// Andrews' squeezer with the data of [Yang 2017, section 3.5]. T + V − torque · (β − β₀).
std::vector<double> balance(const Simulation& s) {
  const auto energy = s.trajectory["energy"], beta = s.trajectory["beta"];
  std::vector<double> out;
  for (std::size_t i = 0; i < energy.size(); ++i) {
    out.push_back(energy[i] - 0.033 * (beta[i] - beta[0]));
  }
  return out;
}

TEST(Squeezer, EnergyMomentumBalancesTheEnergyAndHasTheReferencesMotion) {
  const Model model = model_of("squeezer");
  const auto coarse = simulate_steps(model, {"directors", "index3", "energy-momentum", 3e-4}, 0.03);
  EXPECT_NEAR(balance(coarse)[0], 1.436146624, 6e-10);
  EXPECT_LT(change_of(balance(coarse)).largest, 1e-12);
  EXPECT_NEAR(coarse.trajectory["beta"].back(), 15.74833, 6e-6);

  const auto fine = simulate_steps(model, {"directors", "index3", "energy-momentum", 3e-5}, 0.03);
  EXPECT_LT(change_of(balance(fine)).largest, 2e-12);
  const Trajectory known = read_csv(KOPPEL_SOURCE "/tests/reference/squeezer_em.csv");
  for (const char* name : {"beta", "dPx", "dPy"}) {
    const auto found = fine.trajectory[name], expected = known[name];
    for (std::size_t i = 0; i < expected.size(); ++i) {
      // 12 digits of up to 16 rad; its Newton's method stopped earlier, and the motion is fast.
      EXPECT_NEAR(found[5 * i], expected[i], 1e-8) << name << " " << i;
    }
  }
}

TEST(Squeezer, OthersConvergeToItsLimitWithOrderTwo) {
  const Model model = model_of("squeezer");
  const std::vector<double> exact = problems::exact_end(model, 0.03);
  const auto em = simulate_steps(model, {"directors", "index3", "energy-momentum", 3e-5}, 0.03);
  EXPECT_NEAR(em.trajectory["beta"].back(), exact[0], 1e-3);
  for (const char* coordinates : {"directors", "natural"}) {
    for (const FixedStep& method : {FixedStep{coordinates, "index3", "energy-momentum", 6e-5},
                                    FixedStep{coordinates, "index3", "generalized-alpha", 6e-5},
                                    FixedStep{coordinates, "ggl", "generalized-alpha", 6e-5},
                                    FixedStep{coordinates, "index3", "variational", 6e-5}}) {
      const auto measured = problems::measure_order(model, method, 0.03, exact);
      EXPECT_NEAR(measured.order(), 2, 0.15)
          << coordinates << " " << method.integrator << " " << method.formulation;
    }
  }
}

// Their balance is not exact, and improves by the square of the step.
TEST(Squeezer, OnlyEnergyMomentumBalances) {
  const Model model = model_of("squeezer");
  for (const char* integrator : {"generalized-alpha", "variational"}) {
    const auto coarse = simulate_steps(model, {"directors", "index3", integrator, 3e-4}, 0.03);
    const auto fine = simulate_steps(model, {"directors", "index3", integrator, 3e-5}, 0.03);
    const double ratio = change_of(balance(coarse)).largest / change_of(balance(fine)).largest;
    EXPECT_GT(change_of(balance(coarse)).largest, 1e-3) << integrator;
    EXPECT_GT(ratio, 60) << integrator;
    EXPECT_LT(ratio, 200) << integrator;
  }
}

TEST(Squeezer, ImplicitEulerLosesMostOfTheEnergy) {
  const Model model = model_of("squeezer");
  const auto coarse = simulate_steps(model, {"directors", "index3", "implicit-euler", 3e-4}, 0.03);
  const auto fine = simulate_steps(model, {"directors", "index3", "implicit-euler", 3e-5}, 0.03);
  EXPECT_NEAR(balance(coarse).back() - balance(coarse)[0], -1.0, 0.05);
  EXPECT_NEAR(balance(fine).back() - balance(fine)[0], -0.35, 0.02);
}

// Symplectic: the map Φ of one or more steps in (q, p), p = M v, has ΦᵀJΦ = J. By central
// differences, whose error is about δ² times the third derivative, 1e-8 here.
double symplectic_defect(const Model& model, const std::string& coordinates,
                         const std::string& integrator, double step, int steps) {
  const Equations e = derive(model, coordinates);
  const Evaluator evaluator(e);
  const State start = assemble(evaluator).state;
  const Problem problem = formulate(e, "minimal", start);
  const std::size_t n = e.num_v();
  const auto mass = [&](const State& at) { return (*evaluator.M)(at); };
  const auto map = [&](const std::vector<double>& qp) {
    State at = start;
    std::copy_n(qp.begin(), n, at.q.begin());
    // v from p: n is small, so Cramer for two.
    const Matrix M = mass(at);
    const double det = M(0, 0) * M(1, 1) - M(0, 1) * M(1, 0);
    at.v = {(M(1, 1) * qp[2] - M(0, 1) * qp[3]) / det, (M(0, 0) * qp[3] - M(1, 0) * qp[2]) / det};
    std::vector<double> y = at.q;
    y.insert(y.end(), at.v.begin(), at.v.end());
    const Outcome out = integrate(problem, integrator, {0, y}, step * steps, {.step = step});
    std::copy_n(out.y.begin(), n, at.q.begin());
    std::copy_n(out.y.begin() + 2, n, at.v.begin());
    const Matrix M1 = mass(at);
    return std::vector<double>{at.q[0], at.q[1], M1(0, 0) * at.v[0] + M1(0, 1) * at.v[1],
                               M1(1, 0) * at.v[0] + M1(1, 1) * at.v[1]};
  };
  const Matrix M = mass(start);
  const std::vector<double> at = {start.q[0], start.q[1],
                                  M(0, 0) * start.v[0] + M(0, 1) * start.v[1],
                                  M(1, 0) * start.v[0] + M(1, 1) * start.v[1]};
  constexpr double kDelta = 1e-4;
  double phi[4][4];
  for (std::size_t j = 0; j < 4; ++j) {
    std::vector<double> plus = at, minus = at;
    plus[j] += kDelta;
    minus[j] -= kDelta;
    const auto a = map(plus), b = map(minus);
    for (std::size_t i = 0; i < 4; ++i) phi[i][j] = (a[i] - b[i]) / (2 * kDelta);
  }
  double defect = 0;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      double form = 0;
      for (int k = 0; k < 2; ++k) form += phi[k][i] * phi[k + 2][j] - phi[k + 2][i] * phi[k][j];
      defect = std::max(defect, std::abs(form - (j == i + 2) + (i == j + 2)));
    }
  }
  return defect;
}

TEST(Variational, IsSymplectic) {
  const Model model = model_of("double_pendulum");
  for (const char* rule : {"variational", "variational:trapezoidal"}) {
    EXPECT_LT(symplectic_defect(model, "joint", rule, 0.05, 10), 1e-6) << rule;
  }
  // The measure sees methods that are not.
  EXPECT_GT(symplectic_defect(model, "joint", "generalized-alpha", 0.05, 10), 1e-4);
  EXPECT_GT(symplectic_defect(model, "joint", "midpoint", 0.05, 10), 1e-4);
}

// A disc of starts of the pendulum in Cartesian coordinates keeps its area in (θ, θ̇); generalised-α
// shrinks it.
double area_factor(const std::string& integrator) {
  constexpr int kCorners = 64;
  double x[kCorners], y[kCorners], before = 0, after = 0;
  const auto area = [](const double* a, const double* b) {
    double sum = 0;
    for (int i = 0; i < kCorners; ++i) {
      const int j = (i + 1) % kCorners;
      sum += (a[i] * b[j] - a[j] * b[i]) / 2;
    }
    return sum;
  };
  double x0[kCorners], y0[kCorners];
  for (int i = 0; i < kCorners; ++i) {
    const double turn = 2 * std::numbers::pi * i / kCorners;
    x0[i] = 1 + 1e-3 * std::cos(turn);
    y0[i] = 0.5 + 1e-3 * std::sin(turn);
    const Model model = read_model_text("name: pendulum\nparameters: {a: " + std::to_string(x0[i]) +
                                            ", w: " + std::to_string(y0[i]) + R"yaml(}
coordinates:
  px: {start: sin(a), rate: w*cos(a)}
  py: {start: -cos(a), rate: w*sin(a)}
kinetic: (px'^2 + py'^2)/2
potential: 9.81*py
constraints: {rod: (px^2 + py^2 - 1)/2}
outputs: {angle: "atan2(px, -py)", rate: "px*py' - py*px'"}
)yaml",
                                        "pendulum.yaml");
    x0[i] = std::stod(std::to_string(x0[i]));
    y0[i] = std::stod(std::to_string(y0[i]));
    const Simulation s = simulate_steps(model, {"", "index3", integrator, 0.05}, 1);
    x[i] = s.trajectory["angle"].back();
    y[i] = s.trajectory["rate"].back();
  }
  before = area(x0, y0);
  after = area(x, y);
  return after / before;
}

TEST(Variational, KeepsPhaseSpaceAreaWithConstraints) {
  // The polygon's sides are straight: 1e-6 of curvature at this size.
  EXPECT_NEAR(area_factor("variational"), 1, 1e-5);
  EXPECT_LT(area_factor("generalized-alpha:0.2"), 0.999);
}

// Momentum maps: the vertical angular momentum of the crane, in steps of 1e-2.
TEST(Variational, KeepsTheMomentum) {
  const Model crane = model_of("rotary_crane_released");
  const auto s = simulate_steps(crane, {"directors", "index3", "variational", 1e-2}, 1);
  EXPECT_LT(change_of(problems::vertical_momentum(s)).largest, 1e-9 * 160);
  const auto alpha = simulate_steps(crane, {"directors", "index3", "generalized-alpha", 1e-2}, 1);
  EXPECT_GT(change_of(problems::vertical_momentum(alpha)).largest, 1e-6 * 160);
}

// In minimal coordinates with constant masses the trapezoidal rule is the central difference scheme
// M (q_{n+1} − 2 q_n + q_{n−1})/h² = −∇V(q_n).
TEST(Variational, TrapezoidalIsTheCentralDifferenceScheme) {
  const Model model = read_model_text(R"(
name: two wells
coordinates: {x: {start: 0.3, rate: 0.7}}
kinetic: 2*x'^2/2
potential: x^4/4 - x^2/2 + 0.1*sin(3*x)
outputs: {x: x}
)",
                                      "wells.yaml");
  const double h = 0.05;
  const auto force = [](double x) { return -(x * x * x - x + 0.3 * std::cos(3 * x)); };
  const auto s = simulate_steps(model, {"", "minimal", "variational:trapezoidal", h}, 5);
  const auto found = s.trajectory["x"];
  double last = 0.3, now = 0.3 + h * 0.7 + h * h / 2 * force(0.3) / 2;
  for (std::size_t i = 1; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], now, 1e-12) << i;
    const double next = 2 * now - last + h * h * force(now) / 2;
    last = now;
    now = next;
  }
}

// Eliminating multipliers by a null space is another way through the same equations.
TEST(NullSpace, GivesTheSameMotion) {
  const Model crane = model_of("rotary_crane_released");
  for (const std::string integrator : {"energy-momentum", "variational", "generalized-alpha"}) {
    const auto with = simulate_steps(crane, {"directors", "index3", integrator, 1e-2}, 0.5);
    const auto without =
        simulate_steps(crane, {"directors", "index3", integrator + ":null-space", 1e-2}, 0.5);
    for (const char* name : {"phi", "s", "l", "theta1", "theta2"}) {
      EXPECT_NEAR(with.trajectory[name].back(), without.trajectory[name].back(), 1e-11) << name;
    }
  }
}

TEST(GeneralizedAlpha, DampsWhatItDoesNotResolve) {
  const Model model = read_model_text(R"(
name: fast oscillator
coordinates: {x: {start: 1}}
kinetic: x'^2/2
potential: 1e8*x^2/2
outputs: {x: x}
)",
                                      "fast.yaml");
  // ω h = 1e4: the amplitude falls by the spectral radius ρ in every step, but for a factor n²: the
  // three eigenvalues coincide. Its root is 1.01 from step 150 to step 300.
  for (const double radius : {0.9, 0.5}) {
    const auto s = simulate_steps(
        model, {"", "minimal", "generalized-alpha:" + std::to_string(radius), 1}, 300);
    const auto x = s.trajectory["x"];
    EXPECT_NEAR(std::pow(std::abs(x[300] / x[150]), 1.0 / 150), radius, 0.015 * radius);
  }
}

}  // namespace
}  // namespace koppel::testing

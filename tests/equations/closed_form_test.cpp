// Accelerations against formulas worked out by hand in minimal coordinates.
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/equations/random_state.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

using testing::near;

// The second rate of an output at a state with accelerations.
double second_rate(const Equations& e, Expr output, const State& state,
                   const std::vector<double>& v_rate) {
  const Expr rate = rate_of(e, std::vector<Expr>{output})[0];
  double value = VectorFunction(e, rate_of(e, std::vector<Expr>{rate}))(state)[0];
  const std::vector<double> by_v = VectorFunction(e, gradient(rate, e.v))(state);
  for (std::size_t i = 0; i < by_v.size(); ++i) value += by_v[i] * v_rate[i];
  return value;
}

struct Observed {
  double value, rate, second;
};

Observed observe(const Equations& e, const std::string& name, const State& state,
                 const std::vector<double>& v_rate) {
  for (const NamedExpr& output : e.outputs) {
    if (output.name != name) continue;
    const std::vector<Expr> y = {output.value};
    return {VectorFunction(e, y)(state)[0], VectorFunction(e, rate_of(e, y))(state)[0],
            second_rate(e, output.value, state, v_rate)};
  }
  ADD_FAILURE() << "no output " << name;
  return {};
}

constexpr double kTolerance = 1e-11;
constexpr const char* kReason = "assembled to 1e-12, condition of the equations below 100";

// Parallelogram: φ̈ = −c cos φ, c = g 3 (3N + 1)/(2 (4N + 1)) (uprights of inertia 1/3 about their
// feet, couplers that only shift), φ the angle of the uprights.
TEST(FourBar, AgreesWithThePendulumEquationOfTheParallelogram) {
  std::mt19937 random(3);
  for (const int N : {1, 2, 5}) {
    const Model model =
        read_model(KOPPEL_MODELS "four_bar.yaml", {.set = {{"N", std::to_string(N)}}});
    for (const std::string& set : coordinate_sets(model)) {
      SCOPED_TRACE(set);
      const Equations e = derive(model, set);
      const State state = testing::random_state(e, random, 0.02);
      const auto v_rate = solve_accelerations(Evaluator(e), state).v_rate;
      const Observed x = observe(e, "xB0", state, v_rate), y = observe(e, "yB0", state, v_rate);
      const double c = 9.81 * 3 * (3 * N + 1) / (2.0 * (4 * N + 1));
      const double rate = x.value * y.rate - y.value * x.rate;
      const double second = -c * x.value;
      EXPECT_TRUE(near(x.second, -y.value * second - x.value * rate * rate,
                       {.relative = kTolerance, .scale = c, .because = kReason}));
      EXPECT_TRUE(near(y.second, x.value * second - y.value * rate * rate,
                       {.relative = kTolerance, .scale = c, .because = kReason}));
    }
  }
}

// Slider crank with crank angle φ and rod angle ψ, a sin φ + b sin ψ = 0:
//   ψ̇ = −r φ̇ with r = a cos φ/(b cos ψ),  T = ½ μ(φ) φ̇²,
//   μ = m a²/3 + m (a² + a b cos(φ − ψ) ψ′ + b²/3 ψ′²), ψ′ = −r,
//   V = m g (a/2 + a) sin φ + m g b/2 sin ψ,   φ̈ = −(½ μ′ φ̇² + V′)/μ.
TEST(SliderCrank, AgreesWithTheReducedEquation) {
  const double a = 0.4, b = 1, m = 1, g = 9.81;
  const auto psi = [&](double phi) { return -std::asin(a / b * std::sin(phi)); };
  const auto slope = [&](double phi) { return -a * std::cos(phi) / (b * std::cos(psi(phi))); };
  std::mt19937 random(4);
  const Model model = read_model(KOPPEL_MODELS "slider_crank.yaml");
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Equations e = derive(model, set);
    const State state = testing::random_state(e, random, 0.05);
    const auto v_rate = solve_accelerations(Evaluator(e), state).v_rate;
    const Observed x = observe(e, "Ax", state, v_rate), y = observe(e, "Ay", state, v_rate);
    const double phi = std::atan2(y.value, x.value);
    const double rate = (x.value * y.rate - y.value * x.rate) / (a * a);
    const double s = slope(phi), p = psi(phi);
    // s′ = dψ′/dφ: differentiate a cos φ + b cos ψ ψ′ = 0.
    const double s_slope = (a * std::sin(phi) + b * std::sin(p) * s * s) / (b * std::cos(p));
    const double mu =
        m * a * a / 3 + m * (a * a + a * b * std::cos(phi - p) * s + b * b / 3 * s * s);
    const double mu_slope = m * (-a * b * std::sin(phi - p) * (1 - s) * s +
                                 a * b * std::cos(phi - p) * s_slope + 2 * b * b / 3 * s * s_slope);
    const double V_slope = m * g * 1.5 * a * std::cos(phi) + m * g * b / 2 * std::cos(p) * s;
    const double second = -(0.5 * mu_slope * rate * rate + V_slope) / mu;
    EXPECT_TRUE(near(x.second, -y.value * second - x.value * rate * rate,
                     {.relative = kTolerance, .scale = 10, .because = kReason}));
    EXPECT_TRUE(near(y.second, x.value * second - y.value * rate * rate,
                     {.relative = kTolerance, .scale = 10, .because = kReason}));
  }
}

// Overhead crane in s, l and the swing angle φ (x = s + l sin φ, z = −l cos φ) [Yang 2017]:
//   load along the rope:   m (l̈ + s̈ sin φ − l φ̇² − g cos φ) + J/r² l̈ = M_w/r,
//   across:                l φ̈ + 2 l̇ φ̇ + s̈ cos φ + g sin φ = 0,
//   trolley and load:      (m_t + m) s̈ + m (l̈ sin φ + 2 l̇ φ̇ cos φ + l φ̈ cos φ − l φ̇² sin φ) = F_t.
TEST(OverheadCrane, SatisfiesTheEquationsInMinimalCoordinates) {
  const double m_t = 10, m = 100, J = 0.1, r = 0.1, g = 9.81;
  std::mt19937 random(5);
  const Equations e = derive(read_model(KOPPEL_MODELS "overhead_crane.yaml"));
  State state = testing::random_state(e, random, 0.3);
  state.u = {37, -80};
  const auto v_rate = solve_accelerations(Evaluator(e), state).v_rate;
  const Observed s = observe(e, "s", state, v_rate), l = observe(e, "l", state, v_rate),
                 x = observe(e, "x", state, v_rate), z = observe(e, "z", state, v_rate);
  const double sine = (x.value - s.value) / l.value, cosine = -z.value / l.value;
  const double swing = ((x.rate - s.rate) * cosine + z.rate * sine) / l.value;
  // φ̈ from the load's acceleration across the rope.
  const double across = (x.second - s.second) * cosine + z.second * sine;
  const double second = (across - 2 * l.rate * swing) / l.value;
  const double scale = m * g;
  const auto is_zero = [&](double residual) {
    return near(residual, 0, {.relative = kTolerance, .scale = scale, .because = kReason});
  };
  EXPECT_TRUE(is_zero(m * (l.second + s.second * sine - l.value * swing * swing - g * cosine) +
                      J / (r * r) * l.second - state.u[1] / r));
  EXPECT_TRUE(is_zero(l.value * second + 2 * l.rate * swing + s.second * cosine + g * sine));
  EXPECT_TRUE(is_zero((m_t + m) * s.second +
                      m * (l.second * sine + 2 * l.rate * swing * cosine +
                           l.value * second * cosine - l.value * swing * swing * sine) -
                      state.u[0]));
}

// Rotary crane: the load feels gravity and the rope only, along the rope; bridge, trolley and winch
// feel the rope's tension T at the trolley [Yang 2017, section 5.3.2]:
//   (J_b + m_t s²) φ̈ + 2 m_t s ṡ φ̇ = M_b + T s n·e_φ,  m_t (s̈ − s φ̇²) = F_t + T n·e_s,
//   J_w/r_w² l̈ = M_w/r_w + T,     n the unit vector from the trolley to the load.
TEST(RotaryCrane, SatisfiesTheEquationsInMinimalCoordinates) {
  const double J_b = 480, m_t = 10, J_w = 0.1, r_w = 0.1, m = 100, g = 9.81;
  std::mt19937 random(6);
  const Equations e = derive(read_model(KOPPEL_MODELS "rotary_crane.yaml"));
  State state = testing::random_state(e, random, 0.3);
  state.u = {20, -5, -90};
  const auto v_rate = solve_accelerations(Evaluator(e), state).v_rate;
  const Observed phi = observe(e, "phi", state, v_rate), s = observe(e, "s", state, v_rate),
                 l = observe(e, "l", state, v_rate);
  const std::array load = {observe(e, "x", state, v_rate), observe(e, "y", state, v_rate),
                           observe(e, "z", state, v_rate)};
  const double c = std::cos(phi.value), sine = std::sin(phi.value);
  const std::array<double, 3> n = {(load[0].value - s.value * c) / l.value,
                                   (load[1].value - s.value * sine) / l.value,
                                   load[2].value / l.value};
  double tension = -m * g * n[2];
  for (std::size_t i = 0; i < 3; ++i) tension -= m * load[i].second * n[i];
  const auto is_zero = [&](double residual) {
    return near(residual, 0, {.relative = kTolerance, .scale = 10 * m * g, .because = kReason});
  };
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(is_zero(m * load[i].second + (i == 2 ? m * g : 0) + tension * n[i])) << i;
  }
  EXPECT_TRUE(is_zero((J_b + m_t * s.value * s.value) * phi.second +
                      2 * m_t * s.value * s.rate * phi.rate - state.u[0] -
                      tension * s.value * (-n[0] * sine + n[1] * c)));
  EXPECT_TRUE(is_zero(m_t * (s.second - s.value * phi.rate * phi.rate) - state.u[1] -
                      tension * (n[0] * c + n[1] * sine)));
  EXPECT_TRUE(is_zero(J_w / (r_w * r_w) * l.second - state.u[2] / r_w - tension));
}

}  // namespace
}  // namespace koppel

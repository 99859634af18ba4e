// Runs in a few numbers, against closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/criteria.hpp>
#include <koppel/study/switch_rows.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

struct Sampled {
  std::vector<double> t, y;
};

Sampled sample(const std::function<double(double)>& f, double end, int count) {
  Sampled out;
  for (int i = 0; i < count; ++i) {
    out.t.push_back(end * i / (count - 1));
    out.y.push_back(f(out.t.back()));
  }
  return out;
}

using testing::error_of;

TEST(Criteria, AreRead) {
  const Criterion plain = parse_criterion("x");
  EXPECT_EQ(plain.label, "x:final");
  EXPECT_EQ(plain.quantity, "x");
  const Criterion named = parse_criterion("peak = abs(f - 2) : max");
  EXPECT_EQ(named.label, "peak");
  EXPECT_EQ(named.quantity, "abs(f - 2)");
  EXPECT_EQ(named.reduction, Reduce::Max);
  EXPECT_EQ(parse_criterion("select(x <= 1, 0, 1):integral").quantity, "select(x <= 1, 0, 1)");
}

TEST(Criteria, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(error_of([] { parse_criterion("x:maxx"); }),
            "error[study.bad-criterion]: 'x:maxx' is no criterion: there is no 'maxx'.\n"
            "  Did you mean 'max'?");
  EXPECT_EQ(error_of([] { parse_criterion(":max"); }),
            "error[study.bad-criterion]: ':max' is no criterion: it names no quantity.\n"
            "  Write QUANTITY:final, or :min, :max, :mean, :integral, or EVENT:time; a name may "
            "stand before it: "
            "NAME=QUANTITY:max.");
  EXPECT_EQ(error_of([] { parse_criterion("2=x"); }),
            "error[study.bad-criterion]: '2=x' is no criterion: '2' cannot be a name.\n"
            "  Write QUANTITY:final, or :min, :max, :mean, :integral, or EVENT:time; a name may "
            "stand before it: "
            "NAME=QUANTITY:max.");
}

TEST(Criteria, IntegralsAreExactForCubicsOnEqualAndForParabolasOnAnyDistances) {
  const auto cubic = sample([](double t) { return 1 + t * (2 - t * (1 + 0.5 * t)); }, 2, 21);
  EXPECT_NEAR(integrate_samples(cubic.t, cubic.y), 2 + 4 - 8.0 / 3 - 2, 2e-4);  // the ends: h⁴
  const std::vector<double> t = {0, 0.1, 0.35, 0.4, 1, 1.7, 2};
  std::vector<double> y;
  for (const double x : t) y.push_back(3 - x + 2 * x * x);
  EXPECT_NEAR(integrate_samples(t, y), 6 - 2 + 16.0 / 3, 1e-14);
  EXPECT_EQ(integrate_samples(std::vector<double>{0, 2}, std::vector<double>{1, 2}), 3);
}

// ∫₀¹⁰ sin = 1 − cos 10. Halving the distance divides the error by 2⁴.
TEST(Criteria, IntegralsHaveTheFourthOrder) {
  const auto error = [](int count) {
    const auto s = sample([](double t) { return std::sin(t); }, 10, count);
    return std::abs(integrate_samples(s.t, s.y) - (1 - std::cos(10.0)));
  };
  EXPECT_GT(error(101) / error(201), 12);
  EXPECT_LT(error(1001), 1e-9);
}

TEST(Criteria, SmoothExtremaBetweenRowsAreFoundAndCornersAreNotPassed) {
  const auto wave = sample([](double t) { return 3 * std::sin(2 * t + 0.3) + t; }, 3, 301);
  const double at = (std::acos(-1.0 / 6) - 0.3) / 2;
  EXPECT_NEAR(reduce(wave.t, wave.y, Reduce::Max), 3 * std::sin(2 * at + 0.3) + at, 1e-10);
  const auto corner = sample([](double t) { return -std::abs(t - 1.003); }, 2, 201);
  EXPECT_LE(reduce(corner.t, corner.y, Reduce::Max), 0);
  EXPECT_GE(reduce(corner.t, corner.y, Reduce::Max), -0.003 - 1e-12);
  const auto line = sample([](double t) { return 2 - t; }, 1, 11);
  EXPECT_EQ(reduce(line.t, line.y, Reduce::Max), 2);
  EXPECT_EQ(reduce(line.t, line.y, Reduce::Min), 1);
  EXPECT_NEAR(reduce(line.t, line.y, Reduce::Mean), 1.5, 1e-15);
}

// Of two peaks the row beside one may be higher though the other is.
TEST(Criteria, ExtremaAreThoseOfTheHighestPeak) {
  std::vector<double> t, y;
  for (int i = 0; i <= 1000; ++i) {
    t.push_back(0.01 * i);
    y.push_back((1 + 0.02 * t.back()) * std::sin(57 * t.back()));
  }
  EXPECT_NEAR(reduce(t, y, Reduce::Max), 1.1989676, 1e-4);
  EXPECT_NEAR(reduce(t, y, Reduce::Min), -1.1978653, 2e-4);
}

TEST(Criteria, AreNotANumberWhereTheQuantityIsNot) {
  const std::vector<double> t = {0, 1, 2}, y = {1, std::nan(""), 3};
  EXPECT_TRUE(std::isnan(reduce(t, y, Reduce::Max)));
  EXPECT_TRUE(std::isnan(reduce(t, y, Reduce::Final)));
}

// x = cos(ω t) with ω = √(k/m) = 2.
constexpr const char* kOscillator = R"(
parameters: {m: 0.25, k: 1}
coordinates: [x]
kinetic: 0.5*m*x'^2
potential: 0.5*k*x^2
initial: {x: 1}
outputs: {place: x}
run: {end: 3}
)";

TEST(Criteria, OfAModelAreExpressionsOfItsQuantities) {
  Model model = read_model_text(kOscillator, "oscillator.yaml");
  const std::vector<Criterion> criteria = {
      parse_criterion("place"), parse_criterion("x':min"), parse_criterion("k*x^2:mean"),
      parse_criterion("abs_sum = place + t:integral"), parse_criterion("energy:max")};
  add_quantities(criteria, std::vector<std::string>{"energy"}, model);
  const Simulation simulation = simulate(model, options_of(model));
  const std::vector<double> values = evaluate(criteria, simulation.trajectory);
  EXPECT_NEAR(values[0], std::cos(6.0), 1e-7);
  EXPECT_NEAR(values[1], -2, 1e-7);
  EXPECT_NEAR(values[2], 0.5 + std::sin(12.0) / 24, 1e-7);
  EXPECT_NEAR(values[3], std::sin(6.0) / 2 + 4.5, 1e-7);
  EXPECT_NEAR(values[4], 0.5, 1e-7);
}

// x = cos 2t is above c up to arccos(c)/2 = τ, and from π − τ on.
TEST(Criteria, IntegralsOfWhatSwitchesWithTheStateHaveTheFourthOrder) {
  const double c = 0.3, tau = std::acos(c) / 2, pi = std::acos(-1.0);
  const auto errors = [&](int count) {
    Model model = read_model_text(kOscillator, "oscillator.yaml");
    const std::vector<Criterion> criteria = {
        parse_criterion("select(x > 0.3, 1, 0):integral"),
        parse_criterion("select(x > 0.3, exp(t), -x):integral"), parse_criterion("abs(x):mean"),
        parse_criterion("select(t < 1.2345, 0, 1):integral"),
        parse_criterion("max(0, -x)^2:integral")};
    add_quantities(criteria, {}, model);
    add_switches(criteria, model);
    SimulateOptions options = options_of(model);
    options.tolerance = 1e-13;
    options.sampling.count = count;
    const std::vector<double> values = evaluate(criteria, simulate(model, options).trajectory);
    const double low = std::sin(2 * tau) / 2, three = std::exp(3.0) - std::exp(pi - tau);
    // −∫ x from τ to π − τ is sin 2τ.
    return std::vector<double>{
        values[0] - (tau + 3 - (pi - tau)), values[1] - (std::exp(tau) - 1 + three + 2 * low),
        3 * values[2] - (2 + std::sin(6.0) / 2), values[3] - (3 - 1.2345), values[4] - pi / 4};
  };
  const std::vector<double> coarse = errors(101), fine = errors(1001);
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    EXPECT_LT(std::abs(coarse[i]), 1e-5) << i;
    EXPECT_LT(std::abs(fine[i]), 1e-9) << i;  // 1e-5/10⁴
  }
}

// What is integrated jumps with the impact: ∫ v dt = y(T) − y(0) all the same.
TEST(Criteria, IntegralsGoThroughImpacts) {
  Model model = read_model_text(R"(
parameters: {e: 0.8, g: 9.81}
coordinates: {y: 1}
kinetic: y'^2/2
potential: g*y
outputs: {y: y, v: "y'"}
events: {ground: {when: y, bounce: e}}
run: {end: 2}
)",
                                "ball.yaml");
  SimulateOptions options = options_of(model);
  options.tolerance = 1e-13;
  options.sampling.count = 1001;
  const Simulation s = simulate(model, options);
  ASSERT_GE(s.summary.events.size(), 2U);
  const std::vector<Criterion> criteria = {parse_criterion("v:integral"), parse_criterion("y")};
  const std::vector<double> values = evaluate(criteria, s.trajectory, s.summary.events);
  EXPECT_NEAR(values[0], values[1] - 1, 1e-11);  // v is linear in between
}

// Of pieces that are shorter than the distance of rows only their existence is known.
TEST(Criteria, PiecesWithoutRowsHaveTheMeanOfTheirNeighbours) {
  const std::vector<double> t = {0, 1, 2, 3}, y = {1, 1, 3, 3};
  EXPECT_NEAR(integrate_pieces(t, y, {1.5, 1.3}), 1.3 + 0.2 * 2 + 1.5 * 3, 1e-14);
  EXPECT_NEAR(integrate_pieces(t, y, {1.5}), 1.5 + 1.5 * 3, 1e-14);
  EXPECT_NEAR(integrate_pieces(t, y, {1}), 1 + 2 * 3, 1e-14);
  EXPECT_NEAR(integrate_pieces(t, y, {-1, 0, 3, 4}), integrate_samples(t, y), 1e-14);
}

TEST(Criteria, OfUnknownQuantitiesAreRefusedWithASuggestion) {
  Model model = read_model_text(kOscillator, "oscillator.yaml");
  const std::vector<Criterion> wrong = {parse_criterion("2*plaec:max")};
  EXPECT_EQ(error_of([&] { add_quantities(wrong, std::vector<std::string>{"place"}, model); }),
            "error[study.unknown-quantity]: criterion '2*plaec:max': the model has no quantity "
            "'plaec'.\n  Did you mean 'place'?");
}

// A ball that falls from 1 m and leaves each impact with 0.8 of its speed: ∫|v| dt is the way it
// goes. |v| has its least value, 0, at the top, and jumps with the impact.
TEST(Criteria, SwitchesAreFoundOnTheirSideOfAnImpact) {
  constexpr const char* kBall = R"(
dimension: 2
gravity: [0, -9.81]
bodies: {ball: {point_mass: 1, position: [0, 1]}}
events: {hit: {when: ball.y, bounce: 0.8}}
outputs: {v: "ball.y'"}
run: {end: 1.2}
)";
  // Down 1 m, up and down 0.64 m, and up again with 0.64 of the first speed.
  const double fall = std::sqrt(2 / 9.81), left = 1.2 - 2.6 * fall;
  const double exact = 1 + 2 * 0.64 + 0.64 * 9.81 * fall * left - 9.81 / 2 * left * left;
  for (const int count : {101, 1001}) {
    Model model = read_model_text(kBall, "ball.yaml");
    const std::vector<Criterion> criteria = {parse_criterion("abs(v):integral"),
                                             parse_criterion("abs(v):min")};
    add_quantities(criteria, {}, model);
    add_switches(criteria, model);
    SimulateOptions options = options_of(model);
    options.sampling.count = count;
    const Simulation run = simulate(model, options);
    const std::vector<double> found = evaluate(criteria, run.trajectory, run.summary.events);
    EXPECT_NEAR(found[0], exact, 1e-9);  // parabolas: round-off and the tolerance of the run
    EXPECT_NEAR(found[1], 0, 1e-9);
  }
}

}  // namespace
}  // namespace koppel

// Parameters from made-up measurements: those that made them come back, noise gives the intervals
// that it must, and what the data do not determine is told by name.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/fit.hpp>
#include <koppel/study/fit_statistics.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

constexpr const char* kOscillator = R"(
parameters: {m: 2, d: 0.5, k: 40, x0: 0.1}
coordinates: {x: {start: x0}}
kinetic: m*x'^2/2
potential: k*x^2/2
dissipation: d*x'^2/2
outputs: {x: x, E: m*x'^2/2 + k*x^2/2}
)";

// x0 e^(−δt) (cos ωt + δ/ω sin ωt) with noise.
Trajectory measure(double m, double d, double k, double x0, double sigma, unsigned seed,
                   int count = 200) {
  Trajectory out(
      {{"t", "s", Group::Time}, {"x", "m", Group::Outputs}, {"other", "", Group::Outputs}});
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 1);
  const double delta = d / (2 * m), w = std::sqrt(k / m - delta * delta);
  for (int i = 0; i < count; ++i) {
    const double t = 0.02 * i;
    const double x = x0 * std::exp(-delta * t) * (std::cos(w * t) + delta / w * std::sin(w * t));
    const double values[] = {t, x + sigma * noise(random), 0};
    out.append(values);
  }
  return out;
}

FitOptions options_for(const std::vector<std::string>& over) {
  FitOptions options;
  for (const std::string& text : over) options.over.push_back(parse_fitted(text));
  options.run.tolerance = 1e-11;
  return options;
}

TEST(Fit, FindsTheParametersThatMadeTheData) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const Trajectory data = measure(2, 0.8, 55, 0.12, 0, 1);
  const Fit found = fit(model, {}, data, options_for({"d", "k=10:100", "x0"}));
  EXPECT_EQ(found.end, Fit::End::Converged) << found.text;
  EXPECT_NEAR(found.values[0], 0.8, 1e-7);
  EXPECT_NEAR(found.values[1], 55, 1e-6);
  EXPECT_NEAR(found.values[2], 0.12, 1e-8);
  EXPECT_EQ(found.ignored, std::vector<std::string>{"other"});
}

// x = x₀ + v t + a t²/2 is linear in what is looked for: with a at its bound of 1, least squares of
// the rest have v = Σ t (x − x₀ − t²/2)/Σ t² = 1.5666…
TEST(Fit, HoldsWhatIsAtABoundWhileTheOthersMove) {
  const Model model = read_model_text(
      "parameters: {a: 0.5, v: 1}\ncoordinates: {x: {start: 0.5, rate: v, fixed: true}}\n"
      "kinetic: x'^2/2\ngeneralized_forces: {x: a}\noutputs: {x: x}\n",
      "line.yaml");
  Trajectory data({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  double above = 0, below = 0;
  for (const auto& [t, x] : {std::pair{0.5, 1.0}, {1.0, 2.0}, {1.5, 4.0}, {2.0, 6.0}}) {
    const double values[] = {t, x};
    data.append(values);
    above += t * (x - 0.5 - t * t / 2);
    below += t * t;
  }
  for (const double start : {0.1, 0.5, 0.9, 1.0}) {
    Model from = model;
    from.parameters[0].value = start;
    const Fit found = fit(from, {}, data, options_for({"a=0:1", "v"}));
    EXPECT_EQ(found.end, Fit::End::Converged) << found.text;
    EXPECT_NEAR(found.values[0], 1, 1e-9);
    EXPECT_NEAR(found.values[1], above / below, 1e-7);
  }
}

// Over many noisy recordings the intervals of 95 % hold the truth in some 95 % of cases: of 120,
// 106 to 120 within three standard deviations. Those by profile are as good here.
TEST(Fit, IntervalsHoldTheTruthAsOftenAsTheySay) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const double truth[] = {0.8, 55};
  int inside = 0, inside_profile = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const Trajectory data = measure(2, 0.8, 55, 0.1, 0.004, seed, 80);
    FitOptions options = options_for({"d", "k"});
    options.run.tolerance = 1e-8;
    options.with_profiles = seed <= 10;
    const Fit found = fit(model, {}, data, options);
    ASSERT_EQ(found.end, Fit::End::Converged);
    for (std::size_t j = 0; j < 2; ++j) {
      inside += std::abs(found.values[j] - truth[j]) <= found.half_width[j];
      if (!options.with_profiles) continue;
      const auto [low, high] = found.profiles[j];
      inside_profile += low <= truth[j] && truth[j] <= high;
      EXPECT_NEAR(high - low, 2 * found.half_width[j], 0.15 * found.half_width[j]);
    }
  }
  EXPECT_GE(inside, 106);
  EXPECT_LT(inside, 120);
  EXPECT_GE(inside_profile, 16);  // of 20
}

// The mean of two columns of N₁ and N₂ values with noise σ₁ and σ₂. With w_c = N_c/σ_c² and
// p_c = w_c/Σw a column has N_c − p_c degrees of freedom, and the variance of the mean is
// (1 + 4 Σ p_c (1 − p_c)/(N_c − p_c))/Σw [Meier 1953].
TEST(FitStatistics, OfAWeightedMeanAreThoseOfMeier) {
  const std::size_t count[] = {4, 9};
  const double sigma[] = {0.5, 2};
  std::vector<std::size_t> column_of;
  for (std::size_t c = 0; c < 2; ++c) column_of.insert(column_of.end(), count[c], c);
  Eigen::MatrixXd J(13, 1);
  for (std::size_t i = 0; i < 13; ++i) J(static_cast<long>(i), 0) = 1 / sigma[column_of[i]];
  const double w[] = {4 / 0.25, 9 / 4.0}, sum = w[0] + w[1];
  double grow = 1, spread = 0;
  const FitStatistics estimated(J, column_of, {false, false});
  for (std::size_t c = 0; c < 2; ++c) {
    const double p = w[c] / sum, degrees = static_cast<double>(count[c]) - p;
    EXPECT_NEAR(estimated.degrees_of_column(c), degrees, 1e-13);
    grow += 4 * p * (1 - p) / degrees;
    spread += p * p / degrees;
  }
  EXPECT_NEAR(estimated.covariance()(0, 0), grow / sum, 1e-15);
  EXPECT_NEAR(estimated.degrees_of_parameter(0), 1 / spread, 1e-12);
  const FitStatistics known(J, column_of, {true, true});
  EXPECT_NEAR(known.covariance()(0, 0), 1 / sum, 1e-16);
  EXPECT_TRUE(std::isinf(known.degrees_of_parameter(0)));
}

// Between the whole numbers of degrees, and where expansion and table meet (values of tables).
TEST(FitStatistics, PointsOfStudentsDistribution) {
  for (const auto& [degrees, point] : {std::pair{1.0, 12.706},
                                       {1.5, 6.043},
                                       {2.0, 4.303},
                                       {2.5, 3.575},
                                       {4.0, 2.776},
                                       {5.0, 2.571},
                                       {10.0, 2.228}}) {
    EXPECT_NEAR(student(degrees), point, 0.05 * (degrees < 2) * point + 0.01 * point) << degrees;
  }
  EXPECT_TRUE(std::isinf(student(0.9)));
  EXPECT_NEAR(student(std::numeric_limits<double>::infinity()), 1.959964, 1e-6);
}

// Four columns of four values, all noise estimated: 91 % of intervals hold the truth, which of 120
// are 109 ± 3. Without what estimates of noise cost 74 % would, which are 89.
TEST(Fit, IntervalsHoldTheTruthWithFewValuesInSeveralColumns) {
  const Model model = read_model_text(
      "parameters: {a: 0, v: 1}\nstates: {z: {rate: v, start: a}}\n"
      "outputs: {x: z, y: 2*z, u: 3*z, w: 4*z}\n",
      "line.yaml");
  const double truth[] = {0.5, 2};
  int inside = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.1);
    std::vector<Column> columns = {{"t", "s", Group::Time}};
    for (const char* name : {"x", "y", "u", "w"}) columns.push_back({name, "", Group::Outputs});
    Trajectory data(columns);
    for (int i = 1; i <= 4; ++i) {
      std::vector<double> row = {0.1 * i};
      for (int c = 1; c <= 4; ++c) {
        row.push_back(c * (truth[0] + truth[1] * row[0] + noise(random)));
      }
      data.append(row);
    }
    FitOptions options = options_for({"a", "v"});
    options.run.tolerance = 1e-8;
    options.with_profiles = seed <= 5;
    const Fit found = fit(model, {}, data, options);
    ASSERT_EQ(found.end, Fit::End::Converged);
    for (std::size_t j = 0; j < 2; ++j) {
      inside += std::abs(found.values[j] - truth[j]) <= found.half_width[j];
      if (!options.with_profiles) continue;
      // It is linear: both intervals are the same, up to what a profile is found to.
      EXPECT_NEAR(found.profiles[j].high - found.values[j], found.half_width[j],
                  2e-3 * found.half_width[j]);
    }
  }
  EXPECT_GE(inside, 99);
  EXPECT_LT(inside, 120);
}

// With steps of 0.1 s rk4 loses energy: what it fits to an oscillation is not to be trusted.
TEST(Fit, SaysThatTheRunIsDoubtful) {
  const Model model = read_model_text(
      "parameters: {k: 40}\ncoordinates: {x: {start: 0.1, fixed: true}}\n"
      "kinetic: x'^2/2\npotential: k*x^2/2\noutputs: {x: x}\n",
      "oscillator.yaml");
  Trajectory data({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  for (int i = 0; i <= 100; ++i) {
    const double values[] = {0.1 * i, 0.1 * std::cos(std::sqrt(37.0) * 0.1 * i)};
    data.append(values);
  }
  FitOptions options = options_for({"k"});
  EXPECT_EQ(fit(model, {}, data, options).doubt, "");
  options.run.integrator = "rk4";
  options.run.step = 0.1;
  const Fit found = fit(model, {}, data, options);
  EXPECT_EQ(found.end, Fit::End::Converged);
  EXPECT_NE(found.doubt.find("the energy balance is off by"), std::string::npos) << found.doubt;
}

TEST(Fit, NamesWhatTheDataDoNotDetermine) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const Trajectory data = measure(2, 0.8, 55, 0.1, 0.001, 3);
  const Fit found = fit(model, {}, data, options_for({"m", "d", "k"}));
  ASSERT_EQ(found.undetermined.size(), 1U) << to_text(found);
  EXPECT_TRUE(
      found.undetermined[0].starts_with("m, d, k changed together, in parts of their sizes "
                                        "by"))
      << found.undetermined[0];
  EXPECT_EQ(found.covariance.rows, 0);
  EXPECT_TRUE(std::isinf(found.half_width[0]));
  // Their ratios are; along that direction they stay.
  // To first order: the logarithms of their changes add up to nothing.
  EXPECT_NEAR(std::log(found.values[0] / 2 * found.values[1] / 0.5 * found.values[2] / 40), 0, 0.3);
  EXPECT_NEAR(found.values[2] / found.values[0], 55.0 / 2, 0.05);
}

TEST(Fit, PassesOverGaps) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  Trajectory data({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  const Trajectory full = measure(2, 0.8, 55, 0.1, 0, 1);
  for (std::size_t i = 0; i < full.num_rows(); ++i) {
    const double values[] = {full.time()[i], i % 3 == 1 ? NAN : full["x"][i]};
    data.append(values);
  }
  const Fit found = fit(model, {}, data, options_for({"d", "k"}));
  EXPECT_NEAR(found.values[1], 55, 1e-6);
  EXPECT_EQ(found.columns[0].num_gaps, 67U);
}

// Rows at ends of steps but for round-off, as 3 · 0.05 > 15 · 0.01, are compared with these; rows
// at no end with the cubic through four ends, which misses them by h⁴. What is left is the error of
// the steps, h².
TEST(Fit, ByFixedCostStepsComparesRowsAtAndBetweenTheirEnds) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const double delta = 0.8 / 4, w = std::sqrt(55.0 / 2 - delta * delta);
  for (const double spacing : {0.05, 0.0473}) {
    Trajectory data({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
    for (int i = 0; i < 80; ++i) {
      const double t = spacing * i;
      const double values[] = {
          t, 0.12 * std::exp(-delta * t) * (std::cos(w * t) + delta / w * std::sin(w * t))};
      data.append(values);
    }
    for (const double step : {0.01, 0.005}) {
      SCOPED_TRACE(std::to_string(spacing) + " " + std::to_string(step));
      FitOptions options = options_for({"d", "k", "x0"});
      options.run.integrator = "rattle";
      options.run.step = step;
      const Fit found = fit(model, {}, data, options);
      EXPECT_EQ(found.end, Fit::End::Converged) << found.text;
      EXPECT_NEAR(found.values[0], 0.8, step * step);
      EXPECT_NEAR(found.values[1], 55, 300 * step * step);
      EXPECT_NEAR(found.values[2], 0.12, step * step);
    }
  }
}

// Parabolas are exact by rattle and by cubics, as long as these do not reach over a bounce. One
// step of 0.05 s holds it and rows on both sides of it.
TEST(Fit, ByFixedCostStepsReadsRowsFromTheirOwnSideOfAnEvent) {
  const Model model = read_model_text(R"(
parameters: {h: 0.9, e: 0.7}
coordinates: {y: h}
kinetic: y'^2/2
potential: 9.81*y
events: {lands: {when: y, bounce: e}}
outputs: {y: y}
)",
                                      "ball.yaml");
  const double t1 = std::sqrt(2 / 9.81), v = 0.8 * std::sqrt(2 * 9.81);
  Trajectory data({{"t", "s", Group::Time}, {"y", "m", Group::Outputs}});
  for (int i = 0; i < 60; ++i) {
    const double t = 0.0131 * i, s = t - t1;
    const double values[] = {t, s < 0 ? 1 - 9.81 * t * t / 2 : v * s - 9.81 * s * s / 2};
    data.append(values);
  }
  FitOptions options = options_for({"h", "e"});
  options.run.integrator = "rattle";
  options.run.step = 0.05;
  const Fit found = fit(model, {}, data, options);
  EXPECT_EQ(found.end, Fit::End::Converged) << found.text;
  EXPECT_NEAR(found.values[0], 1, 1e-9);
  EXPECT_NEAR(found.values[1], 0.8, 1e-9);
}

// After the first second something else was measured.
TEST(Fit, LeavesOutWhatWasMeasuredLater) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  Trajectory data({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  const Trajectory full = measure(2, 0.8, 55, 0.1, 0, 1);
  for (std::size_t i = 0; i < full.num_rows(); ++i) {
    const double t = full.time()[i], values[] = {t, t > 1 ? 7 : full["x"][i]};
    data.append(values);
  }
  FitOptions options = options_for({"d", "k"});
  options.until = 1;
  const Fit found = fit(model, {}, data, options);
  EXPECT_NEAR(found.values[0], 0.8, 1e-6);
  EXPECT_NEAR(found.values[1], 55, 1e-6);
  EXPECT_EQ(found.columns[0].num_values, 51U);
}

// A throw, measured on a path that goes on below the ground where the run stops.
constexpr const char* kThrow = R"(
parameters: {v: 10, th: 0.7, h: 1}
gravity: [0, -9.81]
dimension: 2
bodies: {ball: {point_mass: 1, position: [0, h]}}
initial: {"ball.x'": v*cos(th), "ball.y'": v*sin(th)}
events: {land: {when: ball.y, stop: true, direction: falling}}
outputs: {x: ball.x, y: ball.y}
)";

Trajectory throw_data(double v, double th, double h) {
  Trajectory data(
      {{"t", "s", Group::Time}, {"x", "m", Group::Outputs}, {"y", "m", Group::Outputs}});
  for (int i = 0; i <= 20; ++i) {
    const double t = 0.1 * i;
    data.append(
        std::vector<double>{t, v * std::cos(th) * t, h + v * std::sin(th) * t - 9.81 / 2 * t * t});
  }
  return data;
}

// Whether the start stops before the solution does, after it, or not at all. y is zero at 1.5557 s.
TEST(Fit, ComparesRowsUpToTheStopOfTheRun) {
  const Trajectory data = throw_data(10.5, 0.72, 1.1);
  for (const double start : {4.0, 10.0, 13.0, 30.0}) {
    Model model = read_model_text(kThrow, "throw.yaml");
    model.parameters[0].value = start;
    const Fit found = fit(model, {}, data, options_for({"v", "th", "h"}));
    EXPECT_EQ(found.end, Fit::End::Converged) << found.text;
    EXPECT_NEAR(found.values[0], 10.5, 1e-7);
    EXPECT_NEAR(found.values[1], 0.72, 1e-8);
    EXPECT_NEAR(found.values[2], 1.1, 1e-7);
    EXPECT_NEAR(found.stop.value_or(0), 1.55568, 1e-5);
    EXPECT_EQ(found.num_rows_left_out, 5U);
    EXPECT_EQ(found.columns[0].num_values, 16U);
    EXPECT_NE(
        to_text(found).find("an event stops the run at t = 1.55568 s: 5 rows after it are not "
                            "compared"),
        std::string::npos);
  }
}

// The ground is where the ball starts to fall: nothing is left to compare.
TEST(Fit, FailsWhereTheRunStopsBeforeThereIsEnoughToCompare) {
  Model model = read_model_text(kThrow, "throw.yaml");
  Trajectory data = throw_data(10.5, -0.72, 0.1);
  const Fit found = fit(model, {}, data, options_for({"v", "th", "h"}));
  EXPECT_EQ(found.end, Fit::End::Failed);
  EXPECT_EQ(found.text,
            "an event stops the run at t = 0.0142986 s, up to where the data have 2 values for 3 "
            "parameters.");
}

using testing::error_of;

TEST(Fit, RefusesDataThatMakeNoSense) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  Trajectory backwards({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  for (const double t : {0.0, 0.2, 0.1}) backwards.append(std::vector<double>{t, 0.0});
  EXPECT_EQ(error_of([&] { fit(model, {}, backwards, options_for({"k"})); }),
            "error[study.bad-data]: the time of row 3 is 0.1, after 0.2: times must ascend from 0 "
            "on.");
  Trajectory infinite({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  for (const double x : {0.1, HUGE_VAL}) infinite.append(std::vector<double>{x > 1 ? 0.2 : 0, x});
  EXPECT_EQ(error_of([&] { fit(model, {}, infinite, options_for({"k"})); }),
            "error[study.bad-data]: column 'x' of the data is infinite in row 2, at t = 0.2 s.\n  "
            "Leave the field empty where nothing was measured.");
  Trajectory strange({{"t", "s", Group::Time}, {"y", "m", Group::Outputs}});
  strange.append(std::vector<double>{0.0, 0.0});
  EXPECT_EQ(
      error_of([&] { fit(model, {}, strange, options_for({"k"})); }),
      "error[study.bad-data]: no column of the data is a quantity of the model.\n  Name columns "
      "as the model's outputs, or as quantities such as joint.angle. columns: t, y.");
  Trajectory start({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  start.append(std::vector<double>{0.0, 0.1});
  EXPECT_EQ(
      error_of([&] { fit(model, {}, start, options_for({"x0"})); }),
      "error[study.bad-data]: the data have no value after t = 0.\n  What the motion does can "
      "be seen from later ones.");
  FitOptions without_step = options_for({"k"});
  without_step.run.integrator = "rk4";
  EXPECT_EQ(error_of([&] { fit(model, {}, measure(2, 0.8, 55, 0.1, 0, 1), without_step); }),
            "error[simulate.wrong-step]: integrator 'rk4' has fixed steps, and none is given.\n  "
            "Give a step, such as `step = 1e-3`.");
}

TEST(Fit, ProfilesEndAtBounds) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const Trajectory data = measure(2, 0.5, 40, 0.12, 0.002, 3);
  FitOptions options = options_for({"x0=0:0.11", "k"});
  options.with_profiles = true;
  const Fit found = fit(model, {}, data, options);
  ASSERT_EQ(found.end, Fit::End::Converged) << found.text;
  EXPECT_EQ(found.at_bounds, std::vector<std::string>{"x0: high"});
  const auto [low, high] = found.profiles[0];
  EXPECT_EQ(high, 0.11);
  EXPECT_LT(low, 0.11);
}

TEST(Fit, NoiseOfAColumnThatIsGivenTwiceIsRefused) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  FitOptions options = options_for({"k"});
  options.noise = {{"x", 0.1}, {"x", 0.2}};
  EXPECT_THROW(fit(model, {}, measure(2, 0.5, 40, 0.1, 0, 1), options), Error);
}

}  // namespace
}  // namespace koppel

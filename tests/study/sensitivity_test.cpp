// Derivatives of criteria by parameters: against closed forms, against complex steps of
// hand-written equations, against differences of accurate runs by another integrator, and forwards
// against backwards.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/sensitivity.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;
using Mode = SensitivityOptions::Mode;

struct Asked : SensitivityOptions {
  std::vector<std::string> over;
  std::vector<ParameterOrigin> origins;
};

Asked options_for(const std::vector<std::string>& of, std::vector<std::string> over, double end) {
  Asked options;
  for (const std::string& text : of) options.of.push_back(parse_criterion(text));
  options.over = std::move(over);
  options.run.end = end;
  options.run.tolerance = 1e-13;
  return options;
}

Sensitivity find(const Model& model, Asked options, Mode mode) {
  options.mode = mode;
  Sensitivity s =
      find_sensitivity(StudiedParameters(model, options.origins, options.over), options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_EQ(s.is_adjoint, mode == Mode::Adjoint);
  return s;
}

double largest(const Matrix& m) {
  double out = 0;
  for (const double x : m.values) out = std::max(out, std::abs(x));
  return out;
}

// Both ways, row by row relative to the largest derivative of the row.
Sensitivity find_both(const Model& model, const Asked& options, double tolerance = 1e-11) {
  const Sensitivity forward = find(model, options, Mode::Forward);
  const Sensitivity adjoint = find(model, options, Mode::Adjoint);
  for (int i = 0; i < forward.derivatives.rows; ++i) {
    double size = 0;
    for (int j = 0; j < forward.derivatives.columns; ++j) {
      size = std::max(size, std::abs(forward.derivatives(i, j)));
    }
    for (int j = 0; j < forward.derivatives.columns; ++j) {
      EXPECT_NEAR(forward.derivatives(i, j), adjoint.derivatives(i, j), tolerance * size)
          << forward.criteria[static_cast<std::size_t>(i)] << " by "
          << forward.parameters[static_cast<std::size_t>(j)];
    }
  }
  return forward;
}

constexpr const char* kOscillator = R"(
parameters: {m: 2, k: 50, x0: 0.1, v0: 0.3}
coordinates: {x: {start: x0, rate: v0}}
kinetic: m*x'^2/2
potential: k*x^2/2
outputs: {x: x}
)";

// x = x₀ cos ωt + v₀/ω sin ωt, ω² = k/m; the amplitude is √(x₀² + v₀²/ω²).
TEST(Sensitivity, OfAnOscillatorIsThatOfTheClosedForm) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const double m = 2, k = 50, x0 = 0.1, v0 = 0.3, w = std::sqrt(k / m), t = 2;
  const double by_w =
      -x0 * t * std::sin(w * t) + v0 * (t * std::cos(w * t) / w - std::sin(w * t) / (w * w));
  const double amplitude = std::sqrt(x0 * x0 + v0 * v0 / (w * w));
  const Sensitivity s = find_both(model, options_for({"x:final", "x:max", "x:integral", "x^2:mean"},
                                                     {"m", "k", "x0", "v0"}, t));
  const testing::Tolerance exact{.relative = 1e-11, .because = "tolerance 1e-13 over 2 s"};
  EXPECT_TRUE(near(s.derivatives(0, 0), by_w * (-w / (2 * m)), exact));
  EXPECT_TRUE(near(s.derivatives(0, 1), by_w * (w / (2 * k)), exact));
  EXPECT_TRUE(near(s.derivatives(0, 2), std::cos(w * t), exact));
  EXPECT_TRUE(near(s.derivatives(0, 3), std::sin(w * t) / w, exact));
  EXPECT_TRUE(near(s.values[1], amplitude, exact));
  const double a_by_w = -v0 * v0 / (w * w * w) / amplitude;
  const testing::Tolerance found{.relative = 1e-9, .because = "the time of the maximum is found"};
  EXPECT_TRUE(near(s.derivatives(1, 0), a_by_w * (-w / (2 * m)), found));
  EXPECT_TRUE(near(s.derivatives(1, 2), x0 / amplitude, found));
  EXPECT_TRUE(near(s.derivatives(1, 3), v0 / (w * w) / amplitude, found));
  // ∫x = x₀ sin ωt/ω + v₀ (1 − cos ωt)/ω².
  EXPECT_TRUE(near(s.derivatives(2, 2), std::sin(w * t) / w, exact));
  EXPECT_TRUE(near(s.derivatives(2, 3), (1 - std::cos(w * t)) / (w * w), exact));
  // ∂/∂x₀ of the mean of x²: (1/t) ∫ 2 x cos ωt dt.
  const double by_x0 =
      (x0 * (t + std::sin(2 * w * t) / (2 * w)) + v0 / w * std::pow(std::sin(w * t), 2) / w) / t;
  EXPECT_TRUE(near(s.derivatives(3, 2), by_x0, exact));
}

// z = b e^(−a t): a start without coordinates, of which nothing has to be found.
TEST(Sensitivity, OfStatesAloneIsThatOfTheClosedForm) {
  const Model model = read_model_text(
      "parameters: {a: 0.7, b: 2}\nstates: {z: {rate: -a*z, start: b}}\noutputs: {z: z}\n",
      "decay.yaml");
  for (const char* integrator : {"dop853", "taylor"}) {
    Asked options = options_for({"z:final"}, {"a", "b"}, 1);
    options.run.integrator = integrator;
    const Sensitivity s = find_both(model, options);
    EXPECT_NEAR(s.derivatives(0, 0), -2 * std::exp(-0.7), 1e-12) << integrator;
    EXPECT_NEAR(s.derivatives(0, 1), std::exp(-0.7), 1e-12) << integrator;
  }
}

// A bell that is 10 ms wide in a run of 10 s without any other motion: ∫ x₀ exp(−((t − 5)/w)²) dt =
// x₀ w √π, w = 0.01.
TEST(Sensitivity, IntegralsOfShortFeaturesAreNotPassedOver) {
  const Model model = read_model_text(R"(
parameters: {x0: 0.5}
coordinates: {x: x0}
kinetic: x'^2/2
outputs: {x: x}
)",
                                      "still.yaml");
  const Sensitivity s =
      find_both(model, options_for({"x*exp(-((t - 5)/0.01)^2):integral"}, {"x0"}, 10));
  const double area = 0.01 * std::sqrt(M_PI);
  EXPECT_TRUE(near(s.values[0], 0.5 * area, {.relative = 1e-9, .because = "tolerance 1e-13"}));
  EXPECT_TRUE(near(s.derivatives(0, 0), area, {.relative = 1e-9, .because = "tolerance 1e-13"}));
}

// A force that is a hat of height u and width 0.2 s from 0 on: an impulse of 0.1 u about t = 0.1,
// so x(1) = 0.09 u. Its corners are ends of steps.
TEST(Sensitivity, GoesThroughCornersOfForces) {
  const Model model = read_model_text(R"yaml(
parameters: {u: 3}
coordinates: {x: 0}
kinetic: x'^2/2
generalized_forces: {x: "u*max(0, 1 - abs(t - 0.1)/0.1)"}
outputs: {x: x}
)yaml",
                                      "hat.yaml");
  const Sensitivity s = find_both(model, options_for({"x:final", "x:max"}, {"u"}, 1));
  EXPECT_NEAR(s.values[0], 0.27, 1e-12);
  EXPECT_NEAR(s.derivatives(0, 0), 0.09, 1e-12);
  EXPECT_NEAR(s.derivatives(1, 0), 0.09, 1e-12);
}

// A ball from h₀ hits the ground at t₁ = √(2h₀/g) with √(2g h₀) and leaves with e of it:
// y = e √(2g h₀) (t − t₁) − g (t − t₁)²/2.
TEST(Sensitivity, GoesThroughABounceExactly) {
  const Model model = read_model_text(R"(
parameters: {e: 0.8, g: 9.81, h0: 1}
coordinates: {y: h0}
kinetic: y'^2/2
potential: g*y
outputs: {y: y}
events: {ground: {when: y, bounce: e}}
)",
                                      "ball.yaml");
  const double e = 0.8, g = 9.81, h0 = 1, t = 0.8, t1 = std::sqrt(2 * h0 / g), s = t - t1;
  const double v = std::sqrt(2 * g * h0);
  const Sensitivity found = find_both(model, options_for({"y:final"}, {"e", "g", "h0"}, t));
  const testing::Tolerance exact{.relative = 1e-9, .because = "event times to 1e-12"};
  const double t1_g = -t1 / (2 * g), t1_h = t1 / (2 * h0);
  EXPECT_TRUE(near(found.values[0], e * v * s - g * s * s / 2, exact));
  EXPECT_TRUE(near(found.derivatives(0, 0), v * s, exact));
  EXPECT_TRUE(near(found.derivatives(0, 1),
                   e * v / (2 * g) * s - s * s / 2 + (g * s - e * v) * t1_g, exact));
  EXPECT_TRUE(near(found.derivatives(0, 2), e * v / (2 * h0) * s + (g * s - e * v) * t1_h, exact));
}

// A wheel of inertia J at rest gets the impulse P at T: its angle is P (t − T)/J. The smaller J is,
// the sooner differences beside it are of another kind of wheel.
TEST(Sensitivity, GoesThroughImpulsesOnSmallMasses) {
  for (const double J : {1.0, 0.004, 1e-3, 1e-6}) {
    const Model model = read_model_text(R"(
dimension: 2
parameters: {J: 1, P: 0.01, T: 0.2}
bodies: {wheel: {mass: 0.1, inertia: J}}
joints: {axle: {type: revolute, between: [ground, wheel]}}
events: {kick: {when: t - T, impulse: {axle.angle: P}}}
outputs: {angle: axle.angle}
)",
                                        "wheel.yaml", {.set = {{"J", std::to_string(J)}}});
    const Sensitivity s = find_both(model, options_for({"angle:final"}, {"J", "P", "T"}, 1));
    const testing::Tolerance exact{.relative = 1e-9, .because = "differences of order 6"};
    EXPECT_TRUE(near(s.derivatives(0, 0), -0.01 * 0.8 / (J * J), exact)) << J;
    EXPECT_TRUE(near(s.derivatives(0, 1), 0.8 / J, exact)) << J;
    EXPECT_TRUE(near(s.derivatives(0, 2), -0.01 / J, exact)) << J;
  }
}

// A mass m₁ of 2 g with speed v hits one of 3 g: v₁ = (m₁ − e m₂)/(m₁ + m₂) v afterwards.
TEST(Sensitivity, GoesThroughImpactsOfSmallMasses) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {m1: 0.002, m2: 0.003, e: 0.7, v: 1, d: 0.1}
bodies:
  a: {point_mass: m1}
  b: {point_mass: m2, position: [d, 0]}
joints:
  rail_a: {type: prismatic, between: [ground, a], axis: [1, 0]}
  rail_b: {type: prismatic, between: [ground, b], axis: [1, 0]}
initial: {"a.x'": v}
events: {hit: {when: b.x - a.x, bounce: e}}
outputs: {x: a.x}
)",
                                      "grams.yaml");
  const Sensitivity s = find_both(model, options_for({"x:final"}, {"m1", "m2", "e"}, 0.5));
  const double m1 = 0.002, m2 = 0.003, e = 0.7, sum = m1 + m2, after = 0.4;
  const testing::Tolerance exact{.relative = 1e-9, .because = "differences of order 6"};
  EXPECT_TRUE(near(s.derivatives(0, 0), (1 + e) * m2 / (sum * sum) * after, exact));
  EXPECT_TRUE(near(s.derivatives(0, 1), -(1 + e) * m1 / (sum * sum) * after, exact));
  EXPECT_TRUE(near(s.derivatives(0, 2), -m2 / sum * after, exact));
}

// A ball that falls from h on a table that shakes with 1000/s, against differences of runs.
TEST(Sensitivity, GoesThroughABounceOnAShaker) {
  const auto model_at = [](double h) {
    return read_model_text(R"(
parameters: {h: 0.3, a: 0.0005, w: 1000}
coordinates: {y: h}
kinetic: y'^2/2
potential: 9.81*y
outputs: {y: y}
events: {hit: {when: y - a*sin(w*t), bounce: 0.8}}
)",
                           "shaker.yaml", {.set = {{"h", fmt::format("{:.17g}", h)}}});
  };
  const Asked options = options_for({"y:final"}, {"h"}, 0.35);
  const double found = find_both(model_at(0.3), options).derivatives(0, 0);
  const auto value = [&](double h) { return find(model_at(h), options, Mode::Forward).values[0]; };
  const double d = 1e-5;
  const double slope =
      (8 * (value(0.3 + d) - value(0.3 - d)) - (value(0.3 + 2 * d) - value(0.3 - 2 * d))) /
      (12 * d);
  EXPECT_TRUE(near(found, slope, {.relative = 1e-7, .because = "differences of order 4"}));
}

// Two balls that land at the same time move by themselves, and so do their times.
TEST(Sensitivity, OfEventsThatHappenAtOnceByChance) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {h1: 1, h2: 1, e: 0.8, g: 9.81}
gravity: [0, -g]
bodies:
  a: {point_mass: 1, position: [0, h1]}
  b: {point_mass: 2, position: [1, h2]}
events: {a_lands: {when: a.y, bounce: e}, b_lands: {when: b.y, bounce: e}}
outputs: {ya: a.y, yb: b.y}
)",
                                      "two.yaml");
  const double e = 0.8, g = 9.81, t1 = std::sqrt(2 / g), t = 0.7, s = t - t1;
  const double by_h = e * std::sqrt(2 * g) / 2 * s + (g * s - e * std::sqrt(2 * g)) * t1 / 2;
  for (const char* integrator : {"dop853", "taylor", "radau5", "rk4", "rattle"}) {
    for (const Mode mode : {Mode::Forward, Mode::Adjoint}) {
      if (mode == Mode::Adjoint && integrator == std::string("radau5")) continue;
      Asked options =
          options_for({"ya:final", "yb:final", "a_lands:time", "b_lands:time"}, {"h1", "h2"}, t);
      options.run.integrator = integrator;
      if (options.run.integrator.is("rk4") || options.run.integrator.is("rattle")) {
        options.run.step = 1e-3;
      }
      const Sensitivity found = find(model, options, mode);
      for (const int own : {0, 1}) {
        EXPECT_NEAR(found.derivatives(own, own), by_h, 1e-8) << integrator;
        EXPECT_NEAR(found.derivatives(own, 1 - own), 0, 1e-11) << integrator;
        EXPECT_NEAR(found.derivatives(2 + own, own), t1 / 2, 1e-8) << integrator;
        EXPECT_NEAR(found.derivatives(2 + own, 1 - own), 0, 1e-11) << integrator;
      }
    }
  }
}

// A bar falls flat onto two supports. From higher up it does so later, as a ball; tilted a little,
// it touches one of them first, and moves otherwise with the sign of the tilt.
TEST(Sensitivity, OfEventsThatActTogetherNamesWhatChangesTheirOrder) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {h: 1, tilt: 0, e: 0.8, g: 9.81}
gravity: [0, -g]
bodies:
  bar: {mass: 2, inertia: 0.2, position: [0, h], angle: tilt, points: {L: [-1, 0], R: [1, 0]}}
events: {left: {when: bar.L.y, bounce: e}, right: {when: bar.R.y, bounce: e}}
outputs: {y: bar.y}
)",
                                      "bar.yaml");
  const double e = 0.8, g = 9.81, t1 = std::sqrt(2 / g), t = 0.7, s = t - t1;
  const double by_h = e * std::sqrt(2 * g) / 2 * s + (g * s - e * std::sqrt(2 * g)) * t1 / 2;
  for (const char* integrator : {"dop853", "taylor", "radau5", "rk4", "rattle"}) {
    for (const Mode mode : {Mode::Forward, Mode::Adjoint}) {
      if (mode == Mode::Adjoint && integrator == std::string("radau5")) continue;
      Asked options = options_for({"y:final"}, {"h", "g"}, t);
      options.run.integrator = integrator;
      if (options.run.integrator.is("rk4") || options.run.integrator.is("rattle")) {
        options.run.step = 1e-3;
      }
      EXPECT_NEAR(find(model, options, mode).derivatives(0, 0), by_h, 1e-8) << integrator;
      options.mode = mode;
      const Sensitivity tilted =
          find_sensitivity(StudiedParameters(model, {}, {"h", "tilt"}), options);
      EXPECT_EQ(tilted.status, Outcome::Status::Doubtful) << integrator;
      EXPECT_EQ(tilted.text,
                "at t = 0.451524 s events 'left' and 'right' happen at once, and their times "
                "change differently with tilt: what follows depends on which comes first, and has "
                "no such derivatives.")
          << integrator;
    }
  }
}

// What knows the time by itself, sin(ωt) y at the stop at y = c, moves with τ = √(2(h − c)/g).
TEST(Sensitivity, OfAFastOutputWhereAnEventEndsTheRun) {
  const Model model = read_model_text(R"(
parameters: {h: 1, w: 900}
coordinates: {y: h}
kinetic: y'^2/2
potential: 9.81*y
outputs: {s: sin(w*t)*y}
events: {stop: {when: y - 0.2, stop: true}}
)",
                                      "stop.yaml");
  const Sensitivity s = find_both(model, options_for({"s:final"}, {"h", "w"}, 5), 1e-9);
  const double w = 900, time = std::sqrt(2 * 0.8 / 9.81), by_h = 1 / (9.81 * time);
  const testing::Tolerance exact{.relative = 1e-8, .because = "a phase of 360"};
  EXPECT_TRUE(near(s.derivatives(0, 0), 0.2 * w * std::cos(w * time) * by_h, exact));
  EXPECT_TRUE(near(s.derivatives(0, 1), 0.2 * time * std::cos(w * time), exact));
}

// The end moves with the event: the speed at the ground is √(2g h₀), the time √(2h₀/g).
TEST(Sensitivity, OfARunThatAnEventEnds) {
  const Model model = read_model_text(R"(
parameters: {g: 9.81, h0: 1}
coordinates: {y: h0}
kinetic: y'^2/2
potential: g*y
outputs: {v: "y'", t: t + 0*y}
events: {ground: {when: y, stop: true}}
)",
                                      "fall.yaml");
  const double g = 9.81, h0 = 1, v = std::sqrt(2 * g * h0), t = std::sqrt(2 * h0 / g);
  const Sensitivity s =
      find_both(model, options_for({"v:final", "t:final", "v:mean"}, {"g", "h0"}, 5));
  const testing::Tolerance exact{.relative = 1e-9, .because = "event times to 1e-12"};
  EXPECT_TRUE(near(s.derivatives(0, 0), -v / (2 * g), exact));
  EXPECT_TRUE(near(s.derivatives(0, 1), -v / (2 * h0), exact));
  EXPECT_TRUE(near(s.derivatives(1, 0), -t / (2 * g), exact));
  EXPECT_TRUE(near(s.derivatives(1, 1), t / (2 * h0), exact));
  EXPECT_TRUE(near(s.derivatives(2, 1), -v / (4 * h0), exact));  // −h₀/t₁
}

// Of order 8, of runs by Taylor series.
std::vector<double> differences(const Model& model, const Asked& options, std::size_t parameter,
                                double h) {
  const StudiedParameters space(model, options.origins, options.over);
  constexpr double kWeights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  std::vector<double> out(options.of.size(), 0.0);
  for (int k = -4; k <= 4; ++k) {
    if (k == 0) continue;
    std::vector<double> values = space.values();
    values[parameter] += k * h;
    SimulateOptions run = options.run;
    run.integrator = "taylor";
    run.tolerance = 1e-14;
    run.sampling.count = 2;
    const Simulation s = simulate(space.at(values), run);
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
    const double weight = (k > 0 ? 1 : -1) * kWeights[std::abs(k) - 1] / h;
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] += weight * s.trajectory[options.of[i].quantity].back();
    }
  }
  return out;
}

struct Known {
  std::string model, quantity, parameter;
  double value;
};

std::vector<Known> read_known(const std::string& name) {
  std::ifstream file(std::string(KOPPEL_REFERENCE) + name);
  std::vector<Known> out;
  std::string line, value;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    Known known;
    for (std::string* field : {&known.model, &known.quantity, &known.parameter, &value}) {
      std::getline(fields, *field, ',');
    }
    known.value = std::stod(value);
    out.push_back(std::move(known));
  }
  return out;
}

// Equations written by hand, by complex steps (tests/reference/derivatives.py, whose own error is
// below 4e-13 of each derivative).
TEST(Sensitivity, AgreesWithComplexSteps) {
  const std::vector<Known> all = read_known("derivatives.csv");
  EXPECT_EQ(all.size(), 36U);
  for (const Known& known : all) {
    const double end = known.model == "slider_crank" ? 0.7 : known.model == "andrews" ? 0.01 : 1;
    Asked options = options_for({known.quantity + ":final"}, {known.parameter}, end);
    const Model model =
        read_model(std::string(KOPPEL_MODELS) + known.model + ".yaml", {}, options.origins);
    for (const Mode mode : {Mode::Forward, Mode::Adjoint}) {
      // By the mass of the slider crank, which does not matter, it is round-off.
      EXPECT_NEAR(find(model, options, mode).derivatives(0, 0), known.value,
                  1e-10 * std::abs(known.value) + 1e-14)
          << known.model << ": " << known.quantity << " by " << known.parameter;
    }
  }
}

// The same in extended precision (tests/reference/vehicle_derivatives.cpp, whose own error is below
// 6e-14 of each derivative), for a model with 14 bodies and six tyres: each derivative by itself,
// also those by parameters that hardly matter.
TEST(Sensitivity, OfTheVehicleAgreesWithComplexStepsInExtendedPrecision) {
  const std::vector<std::string> over = {"steering", "m", "a", "b", "mt", "k", "cy", "kt", "v0"};
  const std::vector<std::string> quantities = {"y", "trailer_y", "yaw_rate"};
  Asked options = options_for({"y:final", "trailer_y:final", "yaw_rate:final"}, over, 1.5);
  const Model model =
      read_model(std::string(KOPPEL_MODELS) + "vehicle_trailer.yaml", {}, options.origins);
  const std::vector<Known> all = read_known("vehicle_derivatives.csv");
  EXPECT_EQ(all.size(), 30U);
  const testing::Tolerance exact{.relative = 1e-10,
                                 .because = "tolerance 1e-13: 2.1e-11 by dop853, 6e-12 by taylor"};
  for (const char* integrator : {"dop853", "taylor"}) {
    for (const Mode mode : {Mode::Forward, Mode::Adjoint}) {
      SCOPED_TRACE(std::string(integrator) + (mode == Mode::Forward ? ", forward" : ", adjoint"));
      options.run.integrator = integrator;
      const Sensitivity s = find(model, options, mode);
      for (const Known& known : all) {
        const auto i = std::ranges::find(quantities, known.quantity) - quantities.begin();
        const auto j = std::ranges::find(over, known.parameter) - over.begin();
        const double found = known.parameter.empty()
                                 ? s.values[static_cast<std::size_t>(i)]
                                 : s.derivatives(static_cast<int>(i), static_cast<int>(j));
        EXPECT_TRUE(near(found, known.value, exact)) << known.quantity << " by " << known.parameter;
      }
    }
  }
}

// The overhead crane without inputs: its load falls with l = 4 + a t²/2, a = m g/(m + J/r²).
TEST(Sensitivity, OfAFallingLoadIsThatOfTheClosedForm) {
  Asked options = options_for({"l:final"}, {"m", "J", "r", "g"}, 0.4);
  const Model model =
      read_model(std::string(KOPPEL_MODELS) + "overhead_crane.yaml", {}, options.origins);
  const double m = 100, J = 0.1, r = 0.1, g = 9.81, w = J / (r * r), half = 0.4 * 0.4 / 2;
  const Sensitivity s = find_both(model, options);
  const testing::Tolerance exact{.relative = 1e-10, .because = "tolerance 1e-13"};
  EXPECT_TRUE(near(s.derivatives(0, 0), half * g * w / ((m + w) * (m + w)), exact));
  EXPECT_TRUE(near(s.derivatives(0, 1), -half * m * g / ((m + w) * (m + w)) / (r * r), exact));
  EXPECT_TRUE(near(s.derivatives(0, 2), half * m * g / ((m + w) * (m + w)) * 2 * w / r, exact));
  EXPECT_TRUE(near(s.derivatives(0, 3), half * m / (m + w), exact));
}

struct Case {
  const char* model;
  std::vector<std::string> of, over;
  double end, step;
  const char* coordinates = "";
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model << " " << c.coordinates; }

class SensitivityOfModels : public ::testing::TestWithParam<Case> {};

TEST_P(SensitivityOfModels, IsThatOfDifferences) {
  const Case& c = GetParam();
  Asked options = options_for(c.of, c.over, c.end);
  const Model model =
      read_model(std::string(KOPPEL_MODELS) + c.model + ".yaml", {}, options.origins);
  options.run.coordinates = c.coordinates;
  const Sensitivity s = find_both(model, options);
  for (std::size_t j = 0; j < c.over.size(); ++j) {
    const double h = c.step * std::max(0.1, std::abs(s.parameter_values[j]));
    const std::vector<double> expected = differences(model, options, j, h);
    for (std::size_t i = 0; i < c.of.size(); ++i) {
      EXPECT_NEAR(s.derivatives(static_cast<int>(i), static_cast<int>(j)), expected[i],
                  1e-10 * std::max(1.0, largest(s.derivatives)))
          << c.of[i] << " by " << c.over[j];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, SensitivityOfModels,
    ::testing::Values(
        Case{"slider_crank", {"Bx:final", "Ay:final"}, {"a", "b", "m", "g", "phi0"}, 0.7, 1e-3},
        Case{"slider_crank", {"Bx:final"}, {"a", "b", "phi0"}, 0.7, 1e-3, "absolute"},
        Case{"slider_crank", {"Bx:final"}, {"a", "b", "phi0"}, 0.7, 1e-3, "joint"},
        Case{"andrews", {"theta:final", "beta:final"}, {"rr", "m5", "c0", "mom", "xa"}, 0.01, 1e-3},
        Case{"bricard", {"xP3:final", "zP3:final"}, {"m", "g", "w"}, 1, 1e-2},
        Case{"overhead_crane", {"x:final", "l:final"}, {"m_t", "m", "r", "g"}, 0.4, 1e-2},
        Case{"five_link", {"z:final"}, {"m", "k", "c"}, 0.3, 1e-3},
        Case{"vehicle_trailer", {"y:final", "yaw_rate:final"}, {"steering", "m"}, 1.2, 1e-3},
        Case{"rolling_disc", {"x:final", "y:final"}, {"m", "R", "start.disc.x'"}, 0.5, 1e-2},
        Case{"double_pendulum", {"x:final", "phi2:final"}, {"l1", "m2", "g"}, 1, 1e-3}));

std::string refusal(const Model& model, const Asked& options) {
  try {
    find(model, options, Mode::Forward);
  } catch (const Error& error) {
    const Diagnostic& first = error.diagnostics()[0];
    return first.id + ": " + first.message + ' ' + first.hint;
  }
  return "";
}

// A door on two hinges: as long as these are in line, ten equations say what five say.
TEST(Sensitivity, ByWhatBreaksARedundantConstraintThereIsNone) {
  const Model model = read_model_text(R"yaml(
parameters: {c: 0.5, J: 0.35, dx: 0, height: 1}
bodies: {door: {mass: 1, com: [0.5, 0, 0.5], inertia: [0.1, 0.1, J - 0.25], points: {T: [dx, 0, height]}}}
joints:
  low: {type: revolute, between: [ground, door], axis: [0, 0, 1]}
  high: {type: revolute, between: [{ground: [0, 0, height]}, door.T], axis: [0, 0, 1]}
forces: {drag: {type: effort, on: low.angle, effort: "-c*low.angle'"}}
initial: {"low.angle'": 2}
outputs: {a: low.angle}
)yaml",
                                      "door.yaml");
  const std::string told = refusal(model, options_for({"a:final"}, {"c", "dx", "height"}, 1));
  EXPECT_TRUE(told.starts_with("study.contradiction: there are no derivatives by 'dx': ")) << told;
  EXPECT_TRUE(told.ends_with("the others alone: c, height.")) << told;
  // a = 2 J/c (1 − e^(−ct/J)).
  const Sensitivity s = find_both(model, options_for({"a:final"}, {"c", "height"}, 1));
  const double c = 0.5, J = 0.35, e = std::exp(-c / J);
  EXPECT_NEAR(s.derivatives(0, 0), 2 * (e / c - J / (c * c) * (1 - e)), 1e-11);
  EXPECT_NEAR(s.derivatives(0, 1), 0, 1e-11);
}

// A parallelogram turns through the pose where all its rods are in line. With another length of one
// crank it turns back there or folds over.
TEST(Sensitivity, ByWhatTakesASingularPoseAwayThereIsNone) {
  const Model model = read_model_text(R"yaml(
dimension: 2
parameters: {a: 0.3, c: 0.3, w: 2}
bodies:
  crank: {mass: 1, shape: {rod: {to: [a, 0]}}, points: {A: [a, 0]}, angle: 30 deg}
  bar: {mass: 2, shape: {rod: {to: [0.8, 0]}}, points: {B: [0.8, 0]}, position: [a*cos(30 deg), a*sin(30 deg)]}
  rocker: {mass: 1, shape: {rod: {to: [c, 0]}}, points: {B: [c, 0]}, position: [0.8, 0], angle: 30 deg}
joints:
  j1: {type: revolute, between: [ground, crank]}
  j2: {type: revolute, between: [crank.A, bar]}
  j3: {type: revolute, between: [bar.B, rocker.B]}
  j4: {type: revolute, between: [{ground: [0.8, 0]}, rocker]}
initial: {"j1.angle'": -w}
outputs: {angle: j4.angle}
)yaml",
                                      "parallelogram.yaml");
  Asked options = options_for({"angle:final"}, {"c", "w"}, 1);
  options.run.integrator = "taylor";
  options.run.tolerance = 1e-11;
  options.mode = Mode::Adjoint;
  const auto find_over = [&](std::vector<std::string> over, double end) {
    options.run.end = end;
    return find_sensitivity(StudiedParameters(model, {}, std::move(over)), options);
  };
  EXPECT_NO_THROW(find_over({"c"}, 0.2));  // before it
  try {
    find_over({"c", "w"}, 1);
    ADD_FAILURE() << "the derivative by c is a number";
  } catch (const Error& error) {
    EXPECT_EQ(error.diagnostics()[0].id, "study.contradiction");
    EXPECT_NE(error.diagnostics()[0].message.find("by 'c': the motion passes a singular"),
              std::string::npos)
        << error.what();
  }
  // Without weight it turns uniformly: by −w t.
  const Sensitivity s = find_over({"w"}, 1);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_NEAR(s.derivatives(0, 0), -1, 1e-7);
}

TEST(Sensitivity, OfFixedCostStepsByTheTimesOfSwitchesIsRefused) {
  const Model model = read_model_text(R"yaml(
parameters: {ts: 0.3, F: 5}
coordinates: {x: 0}
kinetic: x'^2/2
generalized_forces: {x: "select(t < ts, F, -F)"}
outputs: {x: x}
)yaml",
                                      "switch.yaml");
  Asked options = options_for({"x:final"}, {"ts", "F"}, 1);
  options.run.integrator = "rattle";
  options.run.step = 1e-3;
  const std::string told = refusal(model, options);
  EXPECT_TRUE(told.starts_with("study.integrator: there are no derivatives by 'ts': ")) << told;
  options.run.end = 0.2;  // before the switch
  EXPECT_EQ(refusal(model, options), "");
}

TEST(Sensitivity, OfFixedCostStepsIsOfThoseThatARunChooses) {
  const Model model = read_model_text(R"yaml(
parameters: {k: 400}
coordinates: {x: 1}
kinetic: x'^2/2
potential: k*x^2/2
outputs: {x: x}
)yaml",
                                      "oscillator.yaml");
  Asked options = options_for({"x:final"}, {"k"}, 1);
  options.run.integrator = "fixed-cost";
  options.run.step = 0.01;
  const Sensitivity s = find(model, options, Mode::Adjoint);
  EXPECT_TRUE(s.choice.integrator.is_fixed_cost());
  EXPECT_EQ(s.values[0], simulate(model, options.run)["x"].back());
}

// A switch of a law, |q'|, in a mechanism with redundant constraints: three parallel cranks.
TEST(Sensitivity, SecondDerivativesGoThroughCornersWhereConstraintsAreRedundant) {
  const Model model = read_model_text(R"yaml(
dimension: 2
parameters: {q: 0.3}
gravity: [0, -9.81]
bodies:
  one: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {E: [0.3, 0]}, angle: 70 deg}
  two: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {E: [0.3, 0]}, position: [0.5, 0], angle: 70 deg}
  three: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {E: [0.3, 0]}, position: [0.9, 0], angle: 70 deg}
  bar: {mass: 2, shape: {rod: {to: [0.9, 0]}}, points: {P: [0.5, 0], E: [0.9, 0]},
        position: [0.3*cos(70 deg), 0.3*sin(70 deg)]}
joints:
  j1: {type: revolute, between: [ground, one]}
  j2: {type: revolute, between: [{ground: [0.5, 0]}, two]}
  j3: {type: revolute, between: [{ground: [0.9, 0]}, three]}
  k1: {type: revolute, between: [one.E, bar]}
  k2: {type: revolute, between: [two.E, bar.P]}
  k3: {type: revolute, between: [three.E, bar.E]}
forces: {drag: {type: effort, on: j1.angle, effort: "-q*abs(j1.angle')"}}
initial: {"j1.angle'": 1}
outputs: {a: j1.angle}
)yaml",
                                      "cranks.yaml");
  Asked options = options_for({"a:final"}, {"q"}, 0.3);
  options.run.integrator = "dop853";
  const StudiedParameters over(model, {}, {"q"});
  const auto slope_at = [&](double q) {
    return find_sensitivity(over, std::vector{q}, options).derivatives(0, 0);
  };
  options.with_second = true;
  const Sensitivity s = find_sensitivity(over, options);
  options.with_second = false;
  constexpr double kStep = 1e-3;
  const double differences = (slope_at(0.3 + kStep) - slope_at(0.3 - kStep)) / (2 * kStep);
  EXPECT_NEAR(s.second.at(0)(0, 0), differences, 1e-5 * std::abs(differences));
}

}  // namespace
}  // namespace koppel

// Derivatives by the varied equations and by the adjoint of Taylor series, second derivatives,
// times of events and switches, derivatives over time, states that are computed again.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/linear_rates.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/observed.hpp>
#include <koppel/study/sensitivity.hpp>
#include <koppel/study/start_tangent.hpp>
#include <koppel/study/state_tape.hpp>
#include <koppel/study/traced_motion.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;
using Mode = SensitivityOptions::Mode;

SensitivityOptions options_for(const std::vector<std::string>& of, double end,
                               const std::string& integrator = "", Mode mode = Mode::Auto) {
  SensitivityOptions options;
  for (const std::string& text : of) options.of.push_back(parse_criterion(text));
  options.run.end = end;
  options.run.tolerance = 1e-12;
  options.run.integrator = integrator;
  options.mode = mode;
  return options;
}

Sensitivity find(const Model& model, const std::vector<ParameterOrigin>& origins,
                 const std::vector<std::string>& over, const SensitivityOptions& options) {
  Sensitivity s = find_sensitivity(StudiedParameters(model, origins, over), options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  return s;
}

void expect_same(const Sensitivity& a, const Sensitivity& b, double tolerance,
                 const std::string& what) {
  for (int i = 0; i < a.derivatives.rows; ++i) {
    double size = 1e-3;  // less is round-off beside the motion
    for (int j = 0; j < a.derivatives.columns; ++j) {
      size = std::max(size, std::abs(a.derivatives(i, j)));
    }
    for (int j = 0; j < a.derivatives.columns; ++j) {
      EXPECT_NEAR(a.derivatives(i, j), b.derivatives(i, j), tolerance * size)
          << what << ": " << a.criteria[static_cast<std::size_t>(i)] << " by "
          << a.parameters[static_cast<std::size_t>(j)];
    }
  }
}

struct Case {
  const char* model;
  std::vector<std::string> of, over;
  double end;
  double stiff = 1e-8;  // of radau5 at a tolerance of 1e-12
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

class VariedModels : public ::testing::TestWithParam<Case> {};

// Derivatives of the steps of dop853 on the one hand; on the other the varied equations by Taylor
// series on the DAE and by Radau's method, and the adjoint of the steps of Taylor series.
TEST_P(VariedModels, HaveTheSameDerivativesByAllIntegrators) {
  const Case& c = GetParam();
  std::vector<ParameterOrigin> origins;
  const Model model = read_model(std::string(KOPPEL_MODELS) + c.model + ".yaml", {}, origins);
  const auto by = [&](const std::string& integrator, Mode mode) {
    return find(model, origins, c.over, options_for(c.of, c.end, integrator, mode));
  };
  const Sensitivity steps = by("dop853", Mode::Forward);
  expect_same(steps, by("taylor", Mode::Forward), 1e-10, "taylor, forward");
  expect_same(steps, by("taylor", Mode::Adjoint), 1e-10, "taylor, adjoint");
  expect_same(steps, by("radau5", Mode::Forward), c.stiff, "radau5, forward");
}

INSTANTIATE_TEST_SUITE_P(
    Models, VariedModels,
    ::testing::Values(
        Case{"slider_crank", {"Bx:final", "Ay:max", "Bx:integral"}, {"a", "b", "m", "phi0"}, 0.7},
        Case{"andrews", {"theta:final", "beta:final"}, {"rr", "m5", "c0", "mom"}, 0.01},
        Case{"bricard", {"xP3:final", "zP3:mean"}, {"m", "g", "w"}, 1},
        Case{"overhead_crane", {"x:final", "l:final"}, {"m_t", "m", "r", "g"}, 0.4},
        Case{"rolling_disc", {"x:final", "y:final"}, {"m", "R", "start.disc.x'"}, 0.5},
        Case{"double_pendulum", {"x:final", "phi2:final"}, {"l1", "m2", "g"}, 1}));

constexpr const char* kBall = R"(
parameters: {e: 0.8, g: 9.81, h0: 1}
coordinates: {y: h0}
kinetic: y'^2/2
potential: g*y
outputs: {y: y}
events: {ground: {when: y, bounce: e}}
)";

// A ball from h₀ is at the ground at t₁ = √(2h₀/g); after it y = e √(2g h₀) s − g s²/2, s = t − t₁.
TEST(Varied, TimesOfEventsHaveDerivatives) {
  const Model model = read_model_text(kBall, "ball.yaml");
  const double e = 0.8, g = 9.81, h0 = 1, t1 = std::sqrt(2 * h0 / g), s = 0.8 - t1;
  const double v = std::sqrt(2 * g * h0);
  const testing::Tolerance exact{.relative = 1e-9, .because = "event times to 1e-12"};
  for (const auto& [integrator, mode] :
       {std::pair{"dop853", Mode::Forward}, std::pair{"dop853", Mode::Adjoint},
        std::pair{"taylor", Mode::Forward}, std::pair{"taylor", Mode::Adjoint}}) {
    SCOPED_TRACE(integrator);
    const Sensitivity found = find(model, {}, {"e", "g", "h0"},
                                   options_for({"ground:time", "y:final"}, 0.8, integrator, mode));
    EXPECT_TRUE(near(found.values[0], t1, exact));
    EXPECT_NEAR(found.derivatives(0, 0), 0, 1e-12);
    EXPECT_TRUE(near(found.derivatives(0, 1), -t1 / (2 * g), exact));
    EXPECT_TRUE(near(found.derivatives(0, 2), t1 / (2 * h0), exact));
    EXPECT_TRUE(near(found.derivatives(1, 0), v * s, exact));
    EXPECT_TRUE(near(found.derivatives(1, 2),
                     e * v / (2 * h0) * s + (g * s - e * v) * t1 / (2 * h0), exact));
  }
}

TEST(Varied, AnEventThatIsNotThereIsTold) {
  const Model model = read_model_text(kBall, "ball.yaml");
  const auto error_of = [&](const char* criterion, double end) -> std::string {
    return testing::error_of([&] { find(model, {}, {"g"}, options_for({criterion}, end)); });
  };
  EXPECT_NE(error_of("ground:time", 0.1).find("event 'ground' does not happen before the end"),
            std::string::npos);
  EXPECT_NE(error_of("grund:time", 0.8).find("Did you mean 'ground'?"), std::string::npos);
}

// A force F from t₀ on: x(T) = F (T − t₀)²/2m, and its derivative by t₀ is −F (T − t₀)/m.
TEST(Varied, ForcesThatBeginAtAParameter) {
  const Model model = read_model_text(R"yaml(
parameters: {F: 3, t0: 0.4, m: 2}
coordinates: {x: 0}
kinetic: m*x'^2/2
generalized_forces: {x: "select(t < t0, 0, F)"}
outputs: {x: x}
)yaml",
                                      "switch.yaml");
  const testing::Tolerance exact{.relative = 1e-11, .because = "a polynomial of degree 2"};
  for (const auto& [integrator, mode] :
       {std::pair{"dop853", Mode::Forward}, std::pair{"dop853", Mode::Adjoint},
        std::pair{"taylor", Mode::Forward}, std::pair{"taylor", Mode::Adjoint},
        std::pair{"radau5", Mode::Forward}}) {
    SCOPED_TRACE(integrator);
    const Sensitivity s =
        find(model, {}, {"F", "t0", "m"}, options_for({"x:final"}, 1, integrator, mode));
    EXPECT_TRUE(near(s.derivatives(0, 0), 0.6 * 0.6 / 2 / 2, exact));
    EXPECT_TRUE(near(s.derivatives(0, 1), -3 * 0.6 / 2, exact));
    EXPECT_TRUE(near(s.derivatives(0, 2), -3 * 0.36 / 2 / 4, exact));
  }
}

constexpr const char* kOscillator = R"(
parameters: {m: 2, k: 50, x0: 0.1}
coordinates: {x: x0}
kinetic: m*x'^2/2
potential: k*x^2/2
outputs: {x: x}
)";

// x = x₀ cos ωt, ω = √(k/m).
TEST(Varied, SecondDerivativesAreThoseOfTheClosedForm) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const double m = 2, k = 50, x0 = 0.1, w = std::sqrt(k / m), t = 2;
  for (const char* integrator : {"dop853", "taylor"}) {
    SCOPED_TRACE(integrator);
    SensitivityOptions options = options_for({"x:final", "x:integral"}, t, integrator);
    options.with_second = true;
    const Sensitivity s = find(model, {}, {"m", "k", "x0"}, options);
    const double by_w = -x0 * t * std::sin(w * t), by_ww = -x0 * t * t * std::cos(w * t);
    const double w_m = -w / (2 * m), w_mm = 3 * w / (4 * m * m), w_k = w / (2 * k);
    const testing::Tolerance exact{.relative = 1e-9, .because = "the start is differenced"};
    EXPECT_TRUE(near(s.second[0](0, 0), by_ww * w_m * w_m + by_w * w_mm, exact));
    EXPECT_TRUE(near(s.second[0](0, 1), by_ww * w_m * w_k - by_w * w / (4 * m * k), exact));
    EXPECT_TRUE(near(s.second[0](0, 2), by_w * w_m / x0, exact));
    EXPECT_NEAR(s.second[0](2, 2), 0, 1e-9);
    // ∫x = x₀ sin ωt/ω.
    const double integral_by_w = t * std::cos(w * t) / w - std::sin(w * t) / (w * w);
    EXPECT_TRUE(near(s.second[1](2, 0), integral_by_w * w_m, exact));
  }
}

// Of a closed loop, whose start bends with its lengths, against differences of order 6 of the
// first.
TEST(Varied, SecondDerivativesOfAClosedLoop) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml", {}, origins);
  const std::vector<std::string> over = {"a", "b", "m"};
  SensitivityOptions options = options_for({"Bx:final", "Bx^2:mean"}, 0.7);
  options.with_second = true;
  const StudiedParameters space(model, origins, over);
  const Sensitivity s = find_sensitivity(space, options);
  options.with_second = false;
  constexpr double kWeights[] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
  for (std::size_t j = 0; j < over.size(); ++j) {
    const double h = 2e-3 * space.values()[j];
    Matrix sum(2, 3);
    for (const int k : {-3, -2, -1, 1, 2, 3}) {
      std::vector<double> there = space.values();
      there[j] += k * h;
      const Sensitivity beside = find_sensitivity(space, there, options);
      for (std::size_t i = 0; i < sum.values.size(); ++i) {
        sum.values[i] +=
            (k > 0 ? 1 : -1) * kWeights[std::abs(k) - 1] / h * beside.derivatives.values[i];
      }
    }
    for (int i = 0; i < 2; ++i) {
      for (int l = 0; l < 3; ++l) {
        // Differences of derivatives that are known to 1e-11, over steps of 1e-3.
        EXPECT_NEAR(s.second[static_cast<std::size_t>(i)](static_cast<int>(j), l), sum(i, l),
                    1e-7 * std::max(1.0, std::abs(sum(i, l))))
            << over[j] << " and " << over[static_cast<std::size_t>(l)];
      }
    }
  }
}

TEST(Varied, SecondDerivativesThroughEventsAreRefused) {
  const Model model = read_model_text(kBall, "ball.yaml");
  SensitivityOptions options = options_for({"y:final"}, 0.8);
  options.with_second = true;
  try {
    find(model, {}, {"g"}, options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("no second derivatives through events"),
              std::string::npos);
  }
}

// x = x₀ cos ωt at all times.
TEST(Varied, DerivativesOverTime) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const double w = 5, x0 = 0.1, k = 50;
  for (const char* integrator : {"dop853", "taylor", "radau5"}) {
    SCOPED_TRACE(integrator);
    SensitivityOptions options = options_for({"x:final"}, 2, integrator);
    for (int i = 0; i <= 20; ++i) options.times.push_back(0.1 * i);
    const Sensitivity s = find(model, {}, {"k", "x0"}, options);
    ASSERT_EQ(s.course.num_rows(), 21U);
    for (std::size_t i = 0; i < s.course.num_rows(); ++i) {
      const double t = s.course.time()[i];
      EXPECT_NEAR(s.course["x"][i], x0 * std::cos(w * t), 1e-9);
      EXPECT_NEAR(s.course["d(x)/d(x0)"][i], std::cos(w * t), 1e-8);
      EXPECT_NEAR(s.course["d(x)/d(k)"][i], -x0 * t * std::sin(w * t) * w / (2 * k), 1e-9);
    }
  }
}

// A parallelogram of three rods is a pendulum: with its angle q, T = 4/3 m a² q′² and V = 3 m g a
// sin q. It is flat at q = 0 and −π, where the varied equations fail in natural coordinates.
TEST(Varied, TaylorPassesSingularPosesForwards) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {a: 0.5, m: 1, start: 1}
gravity: [0, -9.81]
bodies:
  ground: {points: {D: [1, 0]}}
  left: {mass: m, shape: {rod: {to: [a, 0]}}, points: {end: [a, 0]}, angle: start}
  right: {mass: m, shape: {rod: {to: [a, 0]}}, points: {end: [a, 0]}, position: [1, 0], angle: start}
  bar: {mass: 2*m, shape: {rod: {to: [1, 0]}}, points: {end: [1, 0]}, position: [a*cos(start), a*sin(start)]}
joints:
  A: {type: revolute, between: [ground, left]}
  B: {type: revolute, between: [left.end, bar]}
  C: {type: revolute, between: [bar.end, right.end]}
  D: {type: revolute, between: [ground.D, right]}
initial: {A.angle: start, "A.angle'": -3}
outputs: {x: bar.x, y: bar.y, q: D.angle}
)",
                                      "parallelogram.yaml");
  const Model pendulum = read_model_text(R"(
parameters: {a: 0.5, m: 1, start: 1}
coordinates: {q: {start: start, rate: -3, fixed: true}}
kinetic: 4/3*m*a^2*q'^2
potential: 3*m*9.81*a*sin(q)
outputs: {x: a*cos(q), y: a*sin(q), q: q}
)",
                                         "pendulum.yaml");
  const std::vector<std::string> over = {"a", "m", "start"};
  for (const double end : {0.25, 1.5}) {
    SensitivityOptions options = options_for({"x:final", "y:min", "q:mean"}, end, "taylor");
    const Sensitivity expected = find(pendulum, {}, over, options);
    options.run.coordinates = "natural";
    options.mode = Mode::Forward;
    options.times = {0.1, end};
    const Sensitivity s = find(model, {}, over, options);
    EXPECT_FALSE(s.is_adjoint);
    EXPECT_EQ(s.values.size(), 3U);
    expect_same(expected, s, 1e-8, "end " + std::to_string(end));
    EXPECT_NEAR(s.course["d(x)/d(a)"].back(), expected.derivatives(0, 0), 1e-8);
  }
}

TEST(Varied, TheModeIsChosenAndTheReasonTold) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const auto reason = [&](const std::vector<std::string>& of, const std::string& integrator) {
    const Sensitivity s = find(model, {}, {"m", "k", "x0"}, options_for(of, 0.1, integrator));
    return std::string(s.is_adjoint ? "adjoint: " : "forward: ") + s.reason;
  };
  EXPECT_EQ(reason({"x:final"}, ""), "adjoint: 3 parameters, 1 criterion");
  EXPECT_EQ(reason({"x:final", "x:max", "x:min"}, ""), "forward: 3 parameters, 3 criteria");
  EXPECT_EQ(reason({"x:final"}, "radau5"), "forward: radau5 has no adjoint");
}

// With few states kept, and the others computed again, weights and changes are the same.
// A hundredth of this tolerance is below the round-off of a step: the flow is not divided further
// and further. The gradient takes about 3 runs; it took 4000.
TEST(Varied, AdjointsOfTaylorTakeSomeRunsAtAnyTolerance) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + "andrews.yaml");
  const auto by = [&](const std::string& integrator, double tolerance) {
    SensitivityOptions options = options_for({"theta:final"}, 0.02, integrator, Mode::Adjoint);
    options.run.tolerance = tolerance;
    return find(model, {}, {"rr", "m5", "c0", "mom"}, options);
  };
  const Sensitivity steps = by("dop853", 1e-13);
  for (const double tolerance : {1e-11, 1e-12, 1e-13}) {
    const Sensitivity s = by("taylor", tolerance);
    EXPECT_LT(s.derivative_seconds, 100 * s.run_seconds) << tolerance;
    expect_same(steps, s, 1e-8, "taylor");
  }
}

// A short step between two switches, here of the rotation vector, tells nothing of how many parts a
// long one takes where steps are followed as the flow: each was cut into thousands.
TEST(Varied, ShortStepsDoNotMakeLongOnesCostMore) {
  const Model model = read_model_text(R"(
parameters: {w: 6}
bodies: {top: {mass: 0.3, inertia: [0.001, 0.002, 0.003], quaternion: [1, 0.2, 0.4, 0.3]}}
initial: {top.wz: w}
outputs: {r: top.rx}
)",
                                      "top.yaml");
  SensitivityOptions options = options_for({"r:final"}, 0.9, "taylor", Mode::Adjoint);
  const auto in = [&](const char* coordinates) {
    options.run.coordinates = coordinates;
    return find(model, {}, {"w"}, options);
  };
  const Sensitivity s = in("natural");
  EXPECT_LT(s.derivative_seconds, 30 * s.run_seconds);
  expect_same(in("joint"), s, 1e-10, "natural");
}

TEST(Varied, FewStatesKeptGiveTheSameDerivatives) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml", {}, origins);
  const StudiedParameters space(model, origins, {"a", "b"});
  TraceOptions trace;
  trace.run.end = 2;
  trace.run.tolerance = 1e-10;
  trace.outputs = {"Bx"};
  const Model there = space.at(space.values());
  // Steps of `taylor` are kept with their expansions where there is room.
  for (const char* const integrator : {"dop853", "taylor"}) {
    trace.run.integrator = integrator;
    std::vector<std::vector<double>> at_start;
    std::vector<std::size_t> bytes;
    for (const std::size_t memory : {StateTape::kMost, std::size_t{5000}, std::size_t{200}}) {
      trace.memory = memory;
      const TracedMotion motion(there, trace);
      bytes.push_back(motion.bytes());
      const std::size_t last = motion.samples().size() - 1;
      at_start.push_back(motion.backward({{{{last, 0, 1.0}}, {}, {}, 0}})[0].given);
    }
    EXPECT_LT(bytes[2], bytes[0]) << integrator;
    for (std::size_t k = 1; k < at_start.size(); ++k) {
      for (std::size_t i = 0; i < at_start[0].size(); ++i) {
        EXPECT_NEAR(at_start[0][i], at_start[k][i], 1e-12 * std::max(1.0, std::abs(at_start[0][i])))
            << integrator << ", " << k;
      }
    }
  }
}

// Numbers that are those of their steps, in both directions; none where states need the room.
TEST(Varied, ExpansionsStandBesideTheirSteps) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  const Prepared prepared = prepare(model, {});
  const RightHandSideTerms rates = make_linear_rates(prepared.independent, prepared.state);
  const auto map = make_explicit_map(
      rates, make_projector_terms(prepared.independent, prepared.state.p, prepared.state.u), "rk4");
  const std::vector<double> given = given_of(prepared.state);
  const auto numbers_of = [](std::size_t step) {  // every third step has none
    return step % 3 == 2 ? std::vector<double>{}
                         : std::vector<double>(step + 1, static_cast<double>(step));
  };
  for (const std::size_t memory : {std::size_t{1000}, std::size_t{100}, std::size_t{30}}) {
    constexpr std::size_t kSteps = 20;
    StateTape tape(2, memory);
    std::vector<double> y = {1, 0};
    const auto work = map->make_workspace();
    tape.push(0, y);
    for (std::size_t step = 0; step < kSteps; ++step) {
      const double t = 0.125 * static_cast<double>(step);
      ASSERT_TRUE(map->advance(t, 0.125, y, given, *work));
      tape.push(t + 0.125, y, numbers_of(step));
    }
    std::size_t num_kept = 0;
    const auto look = [&](std::size_t step, const StepMap::At& at) {
      const std::vector<double> found(at.expansion.begin(), at.expansion.end());
      if (!found.empty()) ++num_kept;
      EXPECT_TRUE(found.empty() || found == numbers_of(step)) << step;
      return true;
    };
    ASSERT_TRUE(tape.forwards(*map, given, look));
    ASSERT_TRUE(tape.backwards(*map, given, look));
    // All there are; of 1 to 11 numbers, 48 in all; none where not even all states are kept.
    EXPECT_EQ(num_kept, memory == 1000 ? 2 * 14u : memory == 100 ? 2 * 8u : 0u) << memory;
  }
}

// Four times as many steps take twice the memory; and the derivative of cos ωt stays exact.
TEST(Varied, MemoryOfAnAdjointGrowsWithTheRootOfTheSteps) {
  const Model model = read_model_text(kOscillator, "oscillator.yaml");
  TraceOptions trace;
  trace.run.integrator = "rk4";
  trace.run.step = 1e-3;
  trace.outputs = {"x"};
  trace.memory = 100;
  std::vector<double> roots;
  for (const double end : {10, 40, 160}) {
    trace.run.end = end;
    const TracedMotion motion(model, trace);
    ASSERT_EQ(motion.num_steps(), std::lround(1000 * end));
    roots.push_back(static_cast<double>(motion.bytes()) /
                    std::sqrt(static_cast<double>(motion.num_steps())));
    const std::size_t last = motion.samples().size() - 1;
    const double by_x0 = motion.backward({{{{last, 0, 1.0}}, {}, {}, 0}})[0].start[0];
    // rk4's own error of the phase is (ωh)⁴ωt/120 with ω = 5.
    EXPECT_NEAR(by_x0, std::cos(5 * end), 3e-11 * end) << end;
  }
  // Two numbers a state: at most 3 √N of them, and as many again in the vector's reserve.
  for (const double root : roots) {
    EXPECT_LT(root, 2 * 3 * 2 * sizeof(double) + 8);
    EXPECT_GT(root, 2 * sizeof(double));
  }
}

}  // namespace
}  // namespace koppel

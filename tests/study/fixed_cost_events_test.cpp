// Derivatives of fixed-cost steps through events: of the run as it is, which cuts the step at an
// event and returns to the clock after it. Against differences of such runs, forwards against
// backwards, and against closed forms, to which they converge with the order of the steps.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/study/sensitivity.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;
using Mode = SensitivityOptions::Mode;

constexpr const char* kSteps[] = {"explicit-euler",     "linear-implicit", "linear-implicit:J1",
                                  "linear-implicit:J2", "rosenbrock",      "rattle"};

struct Study {
  const char* model;
  std::vector<std::string> of, over;
  double end, step;
  const char* coordinates = "";
  const char* formulation = "";
  Projection projection = Projection::Full;
};

struct Asked {
  SensitivityOptions options;
  StudiedParameters over;
};

Asked ask(const Study& study, const char* integrator) {
  SensitivityOptions options;
  for (const std::string& text : study.of) options.of.push_back(parse_criterion(text));
  options.run.end = study.end;
  options.run.step = study.step;
  options.run.integrator = integrator;
  options.run.projection = study.projection;
  options.run.health.is_watched = false;  // order 1 has its errors
  if (study.coordinates[0] != 0) options.run.coordinates = study.coordinates;
  if (study.formulation[0] != 0) options.run.formulation = study.formulation;
  return {options, StudiedParameters(read_model_text(study.model, "study.yaml"), {}, study.over)};
}

Sensitivity find(const Asked& asked, Mode mode, std::span<const double> at) {
  SensitivityOptions options = asked.options;
  options.mode = mode;
  Sensitivity s = find_sensitivity(asked.over, at, options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  return s;
}
Sensitivity find(const Asked& asked, Mode mode) { return find(asked, mode, asked.over.values()); }

// Values of the criteria by the plain run: at its end, or the time of an event.
std::vector<double> simulated(const Asked& asked, std::span<const double> at) {
  const Simulation s = simulate(asked.over.at(at), asked.options.run);
  std::vector<double> out;
  for (const Criterion& criterion : asked.options.of) {
    if (criterion.reduction == Reduce::Time) {
      const auto it =
          std::find_if(s.summary.events.begin(), s.summary.events.end(),
                       [&](const auto& event) { return event.name == criterion.quantity; });
      out.push_back(it->t);
    } else {
      out.push_back(criterion.reduction == Reduce::Final ? s.trajectory[criterion.quantity].back()
                                                         : NAN);
    }
  }
  return out;
}

// Forwards, which differences of order 4 and the way back agree with. Differences have the
// round-off of the run over their step, 1e-15/1e-4 times what conditions it has, and their own
// error, (1e-4)⁴ times a fifth derivative. No event passes the middle or the end of a step within
// them: the number of steps would change there, and values jump by the error of a step.
void check(const Study& study, const char* integrator, double round_off = 1e-9,
           double difference = 1e-4) {
  SCOPED_TRACE(integrator);
  const Asked asked = ask(study, integrator);
  const Sensitivity forward = find(asked, Mode::Forward), adjoint = find(asked, Mode::Adjoint);
  const std::vector<double> run = simulated(asked, asked.over.values());
  for (std::size_t i = 0; i < run.size(); ++i) {
    if (std::isnan(run[i])) continue;
    EXPECT_TRUE(near(forward.values[i], run[i],
                     {.relative = 1e-12, .scale = 1, .because = "the same computation"}))
        << forward.criteria[i];
  }
  for (std::size_t j = 0; j < study.over.size(); ++j) {
    constexpr double kWeights[] = {8.0 / 12, -1.0 / 12};
    const double h = difference * std::max(0.1, std::abs(asked.over.values()[j]));
    std::vector<double> slope(study.of.size(), 0.0);
    for (const int k : {-2, -1, 1, 2}) {
      std::vector<double> at = asked.over.values();
      at[j] += k * h;
      const std::vector<double> values = find(asked, Mode::Forward, at).values;
      const double weight = (k > 0 ? 1 : -1) * kWeights[std::abs(k) - 1] / h;
      for (std::size_t i = 0; i < slope.size(); ++i) slope[i] += weight * values[i];
    }
    for (std::size_t i = 0; i < slope.size(); ++i) {
      SCOPED_TRACE(forward.criteria[i] + " by " + study.over[j]);
      double size = 0;
      for (std::size_t k = 0; k < study.over.size(); ++k) {
        size = std::max(size, std::abs(forward.derivatives(int(i), int(k))));
      }
      const double d = forward.derivatives(int(i), int(j));
      EXPECT_TRUE(near(d, adjoint.derivatives(int(i), int(j)),
                       {.relative = 1e-11, .scale = size, .because = "the transposed sums"}));
      EXPECT_TRUE(
          near(d, slope[i], {.relative = round_off, .scale = size, .because = "see check()"}));
    }
  }
}

constexpr const char* kBall = R"(
parameters: {e: 0.8, g: 9.81, h0: 1}
coordinates: {y: h0}
kinetic: y'^2/2
potential: g*y
outputs: {y: y, v: "y'", late: t*y}
events: {ground: {when: y, bounce: e}}
)";

// Two bounces; also what is added up over the run, and largest values beside and at events.
TEST(FixedCostEvents, DerivativesOfABouncingBallAreThoseOfTheRun) {
  const Study study{
      kBall,
      {"y:final", "v:final", "ground:time", "y:integral", "v:max", "late:max", "v:mean"},
      {"e", "g", "h0"},
      1.5,
      0.01};
  for (const char* steps : kSteps) check(study, steps);
}

// All places of an event in a step: where less than half of it is left, and the return to the clock
// takes two steps, and elsewhere.
TEST(FixedCostEvents, MayBeAnywhereInAStep) {
  for (const double step : {0.0093, 0.0097, 0.0101, 0.0105, 0.011, 0.3, 0.7}) {
    SCOPED_TRACE(step);
    check({kBall, {"y:final", "v:final"}, {"e", "g", "h0"}, 0.8, step}, "rattle");
    if (step < 0.1) {
      check({kBall, {"y:final", "v:final"}, {"e", "g", "h0"}, 0.8, step}, "linear-implicit");
    }
  }
}

// x = x₀ cos ωt up to τ = π/2ω, where k becomes k + c: −x₀ω/ω₂ sin ω₂(t − τ) from there on.
constexpr const char* kHarder = R"(
parameters: {k: 2, c: 3, x0: 1}
coordinates: {x: x0}
kinetic: x'^2/2
potential: k*x^2/2
outputs: {x: x, v: "x'"}
events: {harder: {when: x, direction: falling, set: {k: c + k}}}
)";

TEST(FixedCostEvents, DerivativesThroughAChangeOfParametersAreThoseOfTheRun) {
  const Study study{
      kHarder, {"x:final", "v:final", "harder:time", "x:integral"}, {"k", "c", "x0"}, 3, 0.01};
  for (const char* steps : kSteps) check(study, steps);
}

constexpr const char* kStop = R"(
parameters: {k: 2, b: 0.1, x0: 1, c: 0.3}
coordinates: {x: x0}
kinetic: x'^2/2
potential: k*x^2/2
dissipation: b*x'^2/2
outputs: {x: x, v: "x'", t: t + 0*x}
events: {there: {when: x + c, stop: true}}
)";

TEST(FixedCostEvents, DerivativesOfARunThatAnEventEndsAreThoseOfTheRun) {
  const Study study{kStop,
                    {"v:final", "t:final", "there:time", "x:mean", "x:min"},
                    {"k", "b", "x0", "c"},
                    5,
                    0.01};
  for (const char* steps : kSteps) check(study, steps);
}

// A slider that hits a wall, in coordinates with constraints.
constexpr const char* kLinkage = R"(
dimension: 2
parameters: {wall: 0.8, e: 0.7, m: 1, l: 1}
bodies:
  crank: {mass: 1, shape: {rod: {from: [0, 0], to: [0.4, 0]}}, points: {A: [0.4, 0]}}
  rod: {mass: m, inertia: 0.1, points: {B: [l, 0]}, position: [0.4, 0]}
  slider: {mass: 1, inertia: 0.1, position: [1.4, 0]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  B: {type: revolute, between: [rod.B, slider]}
  guide: {type: prismatic, between: [ground, slider], axis: [1, 0]}
initial: {O.angle: {value: 1.2, fixed: true}, "O.angle'": {value: 3, fixed: true}}
outputs: {x: slider.x, v: "slider.x'"}
events: {wall: {when: slider.x - wall, bounce: e}}
)";

TEST(FixedCostEvents, DerivativesOfAnImpactOfALinkageAreThoseOfTheRun) {
  for (const char* coordinates : {"natural", "absolute", "joint"}) {
    SCOPED_TRACE(coordinates);
    const Study study{
        kLinkage,   {"x:final", "v:final", "wall:time"}, {"wall", "e", "m", "l"}, 1.2, 0.004,
        coordinates};
    check(study, "rattle", 1e-8);
    check(study, "linear-implicit", 1e-8);
  }
}

// Up to an event. There the state is put onto the constraints, from which these steps drift: the
// derivative of that is the one on the constraints.
TEST(FixedCostEvents, DerivativesWithoutProjectionAreThoseOfTheRun) {
  const Study study{kLinkage, {"wall:time"}, {"wall", "m", "l"}, 1.2,
                    0.002,    "absolute",    "index1",           Projection::None};
  check(study, "rosenbrock", 1e-8);
}

// Constraints that move with time, and a parameter of them that an event changes at rest.
constexpr const char* kDriven = R"(
dimension: 2
gravity: [0, -9.81]
parameters: {a: 0.2, w: 3, m: 1, b: 0.1}
bodies:
  cart: {mass: 1, inertia: 0.1}
  bob: {mass: m, inertia: 0.05, position: [0, -1], points: {P: [0, 1]}}
joints:
  rail: {type: prismatic, between: [ground, cart], axis: [1, 0], drive: a*sin(w*t)}
  pin: {type: revolute, between: [cart, bob.P]}
forces: {d: {type: torsion, joint: pin, damping: b}}
initial: {pin.angle: {value: 0.5, fixed: true}}
outputs: {x: bob.x, v: "bob.x'"}
events: {low: {when: pin.angle, direction: falling, set: {b: 5*b + a}}}
)";

TEST(FixedCostEvents, DerivativesOfDrivenMechanismsAreThoseOfTheRun) {
  for (const char* coordinates : {"natural", "absolute"}) {
    SCOPED_TRACE(coordinates);
    const Study study{
        kDriven, {"x:final", "v:final", "low:time"}, {"a", "w", "m", "b"}, 2, 0.0043, coordinates};
    check(study, "rattle", 1e-8, 1e-5);
    check(study, "linear-implicit", 1e-8, 1e-5);
    check(study, "rosenbrock", 1e-8, 1e-5);
  }
}

// Errors are C hᵖ, where C depends on where in a step the event is: the largest of some steps is
// taken. With steps an eighth as long they are 8ᵖ times smaller.
TEST(FixedCostEvents, DerivativesConvergeWithTheOrderOfTheSteps) {
  const double k = 2, c = 3, x0 = 1, T = 3;
  const double w = std::sqrt(k), w2 = std::sqrt(k + c), tau = std::numbers::pi / (2 * w);
  const double A = -x0 * w / w2, s = T - tau, sin = std::sin(w2 * s), cos = std::cos(w2 * s);
  const double tau_k = -tau / (2 * k), A_k = A / (2 * k) - A / (2 * (k + c));
  const double by_k = A_k * sin + A * cos * (s / (2 * w2) - w2 * tau_k);
  const double by_c = -A / (2 * (k + c)) * sin + A * cos * s / (2 * w2);
  for (const char* steps : kSteps) {
    SCOPED_TRACE(steps);
    const auto largest = [&](double h) {
      double out = 0;
      for (int i = 0; i < 8; ++i) {
        const Study study{kHarder, {"x:final", "harder:time"}, {"k", "c"}, T, h * (1 - 0.013 * i)};
        const Sensitivity d = find(ask(study, steps), Mode::Forward);
        out =
            std::max({out, std::abs(d.derivatives(0, 0) - by_k),
                      std::abs(d.derivatives(0, 1) - by_c), std::abs(d.derivatives(1, 0) - tau_k)});
      }
      return out;
    };
    const bool is_second = std::string(steps) == "rattle" || std::string(steps) == "rosenbrock";
    const double first = largest(0.01), second = largest(0.01 / 8);
    EXPECT_NEAR(std::log2(first / second) / 3, is_second ? 2 : 1, 0.1) << first << " " << second;
  }
}

// At all ends of steps, those that move with the event among them.
TEST(FixedCostEvents, DerivativesOverTimeAreAtTimesThatStay) {
  const double g = 9.81, t1 = std::sqrt(2 / g), v = g * t1;
  for (const double step : {0.05, 0.06}) {
    Asked asked = ask({kBall, {"y:final"}, {"e", "h0"}, 0.8, step}, "rattle");
    for (int i = 0; i <= 800; ++i) asked.options.times.push_back(0.001 * i);
    const Trajectory course = find(asked, Mode::Forward).course;
    const std::span<const double> t = course.time(), by_e = course["d(y)/d(e)"],
                                  by_h0 = course["d(y)/d(h0)"];
    for (std::size_t i = 0; i < t.size(); ++i) {
      const double s = t[i] - t1;
      if (std::abs(s) < 1e-12) continue;  // before or after
      EXPECT_NEAR(by_e[i], s < 0 ? 0 : v * s, 1e-12) << t[i];
      EXPECT_NEAR(by_h0[i], s < 0 ? 1 : 0.4 * v * s + (g * s - 0.8 * v) * t1 / 2, 1e-12) << t[i];
    }
  }
}

// A ball in free fall is followed exactly by steps of order 2, and so are its bounces.
TEST(FixedCostEvents, OfABallAreExactBySymmetricSteps) {
  const double e = 0.8, g = 9.81, t = 0.8, t1 = std::sqrt(2 / g), s = t - t1, v = g * t1;
  const Sensitivity found = find(
      ask({kBall, {"y:final", "ground:time"}, {"e", "g", "h0"}, t, 0.05}, "rattle"), Mode::Adjoint);
  const testing::Tolerance exact{.relative = 1e-12, .because = "round-off of 16 steps"};
  EXPECT_TRUE(near(found.values[1], t1, exact));
  EXPECT_TRUE(near(found.derivatives(0, 0), v * s, exact));
  EXPECT_TRUE(near(found.derivatives(0, 2), e * v / 2 * s + (g * s - e * v) * t1 / 2, exact));
  EXPECT_TRUE(near(found.derivatives(1, 1), -t1 / (2 * g), exact));
  EXPECT_TRUE(near(found.derivatives(1, 2), t1 / 2, exact));
}

// An impulse at the end of a step, 30 of 0.01 s: round-off leaves a step of 1e-17 s before it. The
// projection of a step is a motion in that time, and no such step is taken.
TEST(FixedCostEvents, MayBeAtTheEndOfAStep) {
  constexpr const char* kKick = R"(
dimension: 2
parameters: {l: 0.4, j: 0.5}
gravity: [0, -9.81]
bodies:
  cart: {mass: 1, inertia: 0.2}
  rod: {mass: 0.5, shape: {rod: {to: [l, 0]}}, angle: -60 deg, points: {E: [l, 0]}}
joints:
  rail: {type: prismatic, between: [ground, cart], axis: [1, 0]}
  hinge: {type: revolute, between: [cart, rod]}
initial: {"rail.position'": 1}
events: {kick: {when: t - 0.3, impulse: {rail.position: j}}}
outputs: {x: rail.position, y: rod.E.y}
)";
  for (const char* coordinates : {"natural", "absolute", "joint"}) {
    const Study study{kKick, {"x:final", "y:final"}, {"l", "j"}, 0.5, 0.01, coordinates};
    check(study, "rattle");
  }
}

}  // namespace
}  // namespace koppel

// Derivatives of motions whose laws switch because of where they are: against closed forms, which
// complex steps differentiate to round-off.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/sensitivity.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

using Complex = std::complex<double>;
using Mode = SensitivityOptions::Mode;
using Closed = std::function<Complex(const std::vector<Complex>&)>;

struct Way {
  const char* integrator;
  Mode mode;
};
const Way kWays[] = {{"dop853", Mode::Forward}, {"dop853", Mode::Adjoint},
                     {"taylor", Mode::Forward}, {"taylor", Mode::Adjoint},
                     {"radau5", Mode::Forward}, {"rk4", Mode::Forward},
                     {"rk4", Mode::Adjoint}};

Sensitivity find(const char* text, const std::vector<std::string>& of,
                 const std::vector<std::string>& over, double end, const Way& way) {
  const Model model = read_model_text(text, "pieces.yaml");
  SensitivityOptions options;
  for (const std::string& criterion : of) options.of.push_back(parse_criterion(criterion));
  options.run.end = end;
  options.run.tolerance = 1e-12;
  options.run.integrator = way.integrator;
  if (options.run.integrator.is("rk4")) options.run.step = 5e-4;
  options.mode = way.mode;
  return find_sensitivity(StudiedParameters(model, {}, over), options);
}

// Values and derivatives of the criteria, by all ways.
void expect_closed(const char* text, const std::vector<std::string>& of,
                   const std::vector<std::string>& over, const std::vector<double>& at, double end,
                   const std::vector<Closed>& closed, const std::string& without = "") {
  for (const Way& way : kWays) {
    if (way.integrator == without) continue;
    const Sensitivity s = find(text, of, over, end, way);
    EXPECT_EQ(s.status, Outcome::Status::Done) << way.integrator << ": " << s.text;
    for (std::size_t i = 0; i < of.size(); ++i) {
      std::vector<Complex> p(at.begin(), at.end());
      EXPECT_NEAR(s.values[i], closed[i](p).real(), 1e-9) << way.integrator << ", " << of[i];
      for (std::size_t j = 0; j < over.size(); ++j) {
        constexpr double kStep = 1e-100;
        p[j] += Complex(0, kStep);
        const double derivative = closed[i](p).imag() / kStep;
        p[j] = at[j];
        EXPECT_NEAR(s.derivatives(static_cast<int>(i), static_cast<int>(j)), derivative,
                    1e-8 * (1 + std::abs(derivative)))
            << way.integrator << (way.mode == Mode::Adjoint ? " adjoint, " : ", ") << of[i]
            << " by " << over[j];
      }
    }
  }
}

constexpr const char* kFloor = R"yaml(
parameters: {k: 100, g: 9.81, h: 1}
coordinates: {x: h}
kinetic: x'^2/2
potential: g*x
generalized_forces: {x: "k*max(0, -x)"}
outputs: {x: x}
)yaml";

// A mass falls from h onto a spring, reached at t₁ = √(2h/g) with v = √(2gh), and leaves it after
// (2/ω) (π − atan(v ω/g)) with the same speed: ω² = k, m = 1.
Complex on_floor(const std::vector<Complex>& p, double t) {
  const Complex k = p[0], g = p[1], h = p[2], w = std::sqrt(k);
  const Complex t1 = std::sqrt(2.0 * h / g), v = std::sqrt(2.0 * g * h), s = t - t1;
  const Complex contact = 2.0 / w * (M_PI - std::atan(v * w / g));
  if (s.real() < contact.real()) return -g / k * (1.0 - std::cos(w * s)) - v / w * std::sin(w * s);
  const Complex after = s - contact;
  return v * after - 0.5 * g * after * after;
}

TEST(Pieces, CornersOfForcesAreEnds) {
  for (const double end : {0.6, 1.2}) {
    expect_closed(kFloor, {"x:final"}, {"k", "g", "h"}, {100, 9.81, 1}, end,
                  {[&](const auto& p) { return on_floor(p, end); }});
  }
}

// By differences of the closed form's exact first derivatives, of order 4.
TEST(Pieces, SecondDerivativesGoThroughCorners) {
  const Model model = read_model_text(kFloor, "floor.yaml");
  SensitivityOptions options;
  options.of = {parse_criterion("x:final")};
  options.run.end = 1.2;
  options.run.tolerance = 1e-12;
  options.with_second = true;
  const Sensitivity s = find_sensitivity(StudiedParameters(model, {}, {"k", "g", "h"}), options);
  const double at[] = {100, 9.81, 1};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const auto slope = [&](double d) {
        std::vector<Complex> p(at, at + 3);
        p[j] += d;
        p[i] += Complex(0, 1e-100);
        return on_floor(p, 1.2).imag() / 1e-100;
      };
      const double h = 1e-3 * at[j];
      const double second =
          (8 * (slope(h) - slope(-h)) - (slope(2 * h) - slope(-2 * h))) / (12 * h);
      EXPECT_NEAR(s.second[0](static_cast<int>(i), static_cast<int>(j)), second,
                  1e-6 * (1 + std::abs(second)))
          << i << ", " << j;
    }
  }
}

// With a state of first order, which has no energy: by differences of first derivatives.
TEST(Pieces, SecondDerivativesOfFurtherStates) {
  const auto find_at = [](double F, bool with_second) {
    const Model model = read_model_text(R"yaml(
parameters: {a: 1, F: 1}
coordinates: {x: {start: a, rate: 0.2}}
states: {z: {start: 0, rate: "max(-1, min(1, 3*x)) - abs(z)*z"}}
kinetic: x'^2/2
potential: 5*x^2
generalized_forces: {x: "-F*z"}
outputs: {x: x}
)yaml",
                                        "states.yaml", {.set = {{"F", std::to_string(F)}}});
    SensitivityOptions options;
    options.of = {parse_criterion("x:final")};
    options.run.end = 2.5;
    options.run.tolerance = 1e-12;
    options.with_second = with_second;
    return find_sensitivity(StudiedParameters(model, {}, {"a", "F"}), options);
  };
  const Sensitivity s = find_at(1, true);
  const double h = 1e-3;
  for (const int i : {0, 1}) {
    const auto slope = [&](double d) { return find_at(1 + d, false).derivatives(0, i); };
    const double second = (8 * (slope(h) - slope(-h)) - (slope(2 * h) - slope(-2 * h))) / (12 * h);
    EXPECT_NEAR(s.second[0](i, 1), second, 1e-8) << i;
  }
}

constexpr const char* kBarrier = R"yaml(
parameters: {c: 0.5, v: 1.2, F: 2}
coordinates: {x: {start: 0, rate: v}}
kinetic: x'^2/2
generalized_forces: {x: "select(x > c, -F, 0)"}
outputs: {x: x}
)yaml";

// A force that begins at x = c, reached at c/v. Criteria that switch there jump, or have their
// largest value there.
TEST(Pieces, JumpsMoveWithWhatTheyDependOn) {
  const double end = 0.9;
  const auto s = [&](const auto& p) { return end - p[0] / p[1]; };
  expect_closed(kBarrier,
                {"x:final", "select(x > c, 1, 0):integral", "min(x, 2*c - x):max", "abs(x - c):min",
                 "abs(x - c):integral"},
                {"c", "v", "F"}, {0.5, 1.2, 2}, end,
                {[&](const auto& p) { return p[0] + p[1] * s(p) - 0.5 * p[2] * s(p) * s(p); },
                 [&](const auto& p) { return s(p); }, [&](const auto& p) { return p[0]; },
                 [&](const auto&) { return Complex(0); },
                 [&](const auto& p) {
                   return p[0] * p[0] / (2.0 * p[1]) + 0.5 * p[1] * s(p) * s(p) -
                          p[2] * s(p) * s(p) * s(p) / 6.0;
                 }});
}

// Coulomb's friction: the middle of each swing is at ±F/k, and half a swing takes π/ω. The power
// of the force does not jump where the force does.
TEST(Pieces, FrictionThatTurnsWithTheVelocity) {
  expect_closed(R"yaml(
parameters: {k: 100, F: 3, a: 1}
coordinates: {x: a}
kinetic: x'^2/2
potential: k*x^2/2
generalized_forces: {x: "-F*sign(x')"}
outputs: {x: x}
)yaml",
                {"x:final"}, {"k", "F", "a"}, {100, 3, 1}, 0.5, {[](const auto& p) {
                  const Complex w = std::sqrt(p[0]), d = p[1] / p[0];
                  return -d - (p[2] - 3.0 * d) * std::cos(w * 0.5 - M_PI);
                }});
}

// Tables of the state: a held one makes two steps of a force, a linear one has a ridge.
TEST(Pieces, TablesOfTheState) {
  expect_closed(R"yaml(
parameters: {v: 1.25, F: 1}
tables:
  steps: {type: held, x: [-1, 0.25, 0.75], y: [0, 1, 3]}
  ridge: {type: linear, x: [0, 0.5, 1], y: [0, 1, 0]}
coordinates: {x: {start: 0, rate: v}}
kinetic: x'^2/2
generalized_forces: {x: "F*steps(x)"}
outputs: {x: x, r: "F*ridge(x)"}
)yaml",
                {"x:final", "r:max"}, {"v", "F"}, {1.25, 1}, 0.8,
                {[](const auto& p) {
                   const Complex v = p[0], F = p[1], t1 = 0.25 / v;
                   const Complex w = std::sqrt(v * v + F), s = 0.8 - t1 - (w - v) / F;
                   return 0.75 + w * s + 1.5 * F * s * s;
                 },
                 [](const auto& p) { return p[1]; }});
}

// One surface, two laws: the bounce turns the motion back before the spring would act.
TEST(Pieces, ABounceGoesBeforeASwitch) {
  expect_closed(R"yaml(
parameters: {e: 0.8, g: 9.81, h: 1}
coordinates: {y: h}
kinetic: y'^2/2
potential: g*y
generalized_forces: {y: "select(y < 0, 1000, 0)"}
outputs: {y: y}
events: {ground: {when: y, bounce: e}}
)yaml",
                {"y:final"}, {"e", "g", "h"}, {0.8, 9.81, 1}, 0.8, {[](const auto& p) {
                  const Complex t1 = std::sqrt(2.0 * p[2] / p[1]), s = 0.8 - t1;
                  return p[0] * std::sqrt(2.0 * p[1] * p[2]) * s - 0.5 * p[1] * s * s;
                }});
}

// A drive that begins to accelerate at t₁: u = A s²/2 − A/k (1 − cos ωs), s = t − t₁, of a mass on
// a spring behind it. Velocities of changes jump at t₁, and so do the constraints they satisfy.
TEST(Pieces, DrivesWhoseAccelerationJumpsAtAParameter) {
  expect_closed(R"yaml(
parameters: {t1: 0.3, A: 2, k: 50}
coordinates: {x: 0, u: 0}
kinetic: x'^2 + u'^2/2
potential: k*(u - x)^2/2
constraints: {drive: "x - select(t < t1, 0, A*(t - t1)^2/2)"}
outputs: {u: u}
)yaml",
                {"u:final"}, {"t1", "A", "k"}, {0.3, 2, 50}, 1, {[](const auto& p) {
                  const Complex s = 1.0 - p[0];
                  return 0.5 * p[1] * s * s - p[1] / p[2] * (1.0 - std::cos(std::sqrt(p[2]) * s));
                }});
}

// A cart is moved on at once after 0.3 s; a rate that jumps makes an impulse.
TEST(Pieces, DrivesThatJumpAreNamedWithTheirTime) {
  const auto message = [](const std::string& drive) {
    const Model model = read_model_text(
        "dimension: 2\nparameters: {A: 2}\nbodies: {cart: {mass: 1, inertia: 0.1}}\n"
        "joints: {rail: {type: prismatic, between: [ground, cart], axis: [1, 0], drive: \"" +
            drive + "\", jump: impulse}}\noutputs: {x: cart.x}\n",
        "cart.yaml");
    SensitivityOptions options;
    options.of.push_back(parse_criterion("x:final"));
    options.run.end = 1;
    try {
      find_sensitivity(StudiedParameters(model, {}, {"A"}), options);
    } catch (const Error& error) {
      EXPECT_EQ(error.diagnostics()[0].id, "study.jump");
      return error.diagnostics()[0].message;
    }
    return std::string();
  };
  EXPECT_EQ(
      message("select(t < 0.3, 0, A)"),
      "the position that 'rail.drive' prescribes jumps by 2 at t = 0.3 s: there are no derivatives "
      "across it.");
  EXPECT_EQ(
      message("A*max(0, t - 0.3)"),
      "the rate that 'rail.drive' prescribes jumps by 2 at t = 0.3 s: there are no derivatives "
      "across it.");
  EXPECT_EQ(message("A*t^2"), "");
}

// Arguments that jump across zero, with an event, an impact, another switch or a time, take the
// time of what made them jump: v t up to there, and a force from then on.
TEST(Pieces, ArgumentsThatJumpMoveWithWhatMadeThemJump) {
  const double end = 1;
  const auto after = [&](const auto& p, const Complex& t1) {
    return p[0] * end - 0.5 * p[1] * (end - t1) * (end - t1);
  };
  expect_closed(R"yaml(
parameters: {v: 1, F: 2, xs: 0.4, b: 0.1, a: 10}
coordinates: {x: {start: 0, rate: v}}
kinetic: x'^2/2
generalized_forces: {x: "select(x > a, -F, 0)"}
outputs: {x: x}
events: {place: {when: x - xs, set: {a: b}}}
)yaml",
                {"x:final"}, {"v", "F", "xs", "b"}, {1, 2, 0.4, 0.1}, end,
                {[&](const auto& p) { return after(p, p[2] / p[0]); }});
  expect_closed(R"yaml(
parameters: {v: 1, F: 2, ts: 0.4, b: 0.1}
coordinates: {x: {start: 0, rate: v}}
kinetic: x'^2/2
generalized_forces: {x: "select(x > select(t > ts, b, 10), -F, 0)"}
outputs: {x: x}
)yaml",
                {"x:final"}, {"v", "F", "ts", "b"}, {1, 2, 0.4, 0.1}, end,
                {[&](const auto& p) { return after(p, p[2]); }});
  expect_closed(R"yaml(
parameters: {v: 1, F: 2, a: 0.4}
coordinates: {x: {start: 0, rate: v}}
kinetic: x'^2/2
generalized_forces: {x: "select(select(x > a, x, -1) > 0.1, -F, 0)"}
outputs: {x: x}
)yaml",
                {"x:final"}, {"v", "F", "a"}, {1, 2, 0.4}, end,
                {[&](const auto& p) { return after(p, p[2] / p[0]); }});
  // A path that goes on upwards: its length, and the largest speed upwards, at the bounce.
  expect_closed(R"yaml(
parameters: {e: 0.5, g: 9.81, h: 1}
coordinates: {y: h}
kinetic: y'^2/2
potential: g*y
outputs: {y: y}
events: {ground: {when: y, bounce: e}}
)yaml",
                {"abs(y'):integral", "max(0, y'):max"}, {"e", "g", "h"}, {0.5, 9.81, 1}, 0.6,
                {[](const auto& p) {
                   const Complex v = std::sqrt(2.0 * p[1] * p[2]), s = 0.6 - v / p[1];
                   return p[2] + p[0] * v * s - 0.5 * p[1] * s * s;
                 },
                 [](const auto& p) { return p[0] * std::sqrt(2.0 * p[1] * p[2]); }});
}

// A law of time that switches when an event happens, too.
TEST(Pieces, ATimeThatIsThatOfAnEvent) {
  expect_closed(R"yaml(
parameters: {F: 2, ts: 0.4, q: 1}
coordinates: {x: 0}
kinetic: x'^2/2
generalized_forces: {x: "F*select(t > ts, 1, 0)"}
outputs: {x: x}
events: {then: {when: t - ts, set: {q: 2}}}
)yaml",
                {"x:final"}, {"F", "ts"}, {2, 0.4}, 1,
                {[](const auto& p) { return 0.5 * p[0] * (1.0 - p[1]) * (1.0 - p[1]); }});
}

// Criteria that jump at a time which no law knows.
TEST(Pieces, CriteriaThatSwitchWithTime) {
  expect_closed(R"yaml(
parameters: {x0: 1, v: -2, ts: 0.3}
coordinates: {x: {start: x0, rate: v}}
kinetic: x'^2/2
outputs: {x: x}
)yaml",
                {"select(t > ts, x, 5 - x):max"}, {"x0", "v", "ts"}, {1, -2, 0.3}, 1,
                {[](const auto& p) { return 5.0 - p[0] - p[1] * p[2]; }});
}

// max(x, c) − c is zero from x = c on, and what is zero is not above it: no force from there on.
TEST(Pieces, ArgumentsThatStayZeroAreZero) {
  expect_closed(R"yaml(
parameters: {a: 1, v: -1, F: 2, c: 0.3}
coordinates: {x: {start: a, rate: v}}
kinetic: x'^2/2
generalized_forces: {x: "-F*select(max(x, c) > c, 1, 0)"}
outputs: {x: x}
)yaml",
                {"x:final"}, {"a", "v", "F", "c"}, {1, -1, 2, 0.3}, 1, {[](const auto& p) {
                  const Complex w = -std::sqrt(p[1] * p[1] + 2.0 * p[2] * (p[0] - p[3]));
                  return p[3] + w * (1.0 - (p[1] - w) / p[2]);
                }});
}

// A force that acts for 0.03 s of a swing, of which long steps see nothing: x = cos t down to a, F
// + (a − F) cos s − sin(t₁) sin s from there, and back to a after 2 atan(−sin(t₁)/(a − F)).
// (radau5 finds the time on a dense output of order 3, here to 1e-9, which a slow passage
// magnifies.)
TEST(Pieces, ShortVisitsAreNotSteppedOver) {
  expect_closed(R"yaml(
parameters: {a: -0.9999, F: 20}
coordinates: {x: 1}
kinetic: x'^2/2
potential: x^2/2
generalized_forces: {x: "F*select(x < a, 1, 0)"}
outputs: {x: x}
)yaml",
                {"x:final"}, {"a", "F"}, {-0.9999, 20}, 4, {[](const auto& p) {
                  const Complex t1 = std::acos(p[0]), w = std::sin(t1);
                  const Complex s = 4.0 - t1 - 2.0 * std::atan(-w / (p[0] - p[1]));
                  return p[0] * std::cos(s) + w * std::sin(s);
                }},
                "radau5");
}

// What keeps a power in its range is not held beyond its switch. By differences of order 4.
TEST(Pieces, ContactsAfterHertz) {
  constexpr const char* kHertz = R"yaml(
parameters: {k: 100, h: 1}
coordinates: {x: h}
kinetic: x'^2/2
potential: 9.81*x
generalized_forces: {x: "k*max(0, -x)^1.5"}
outputs: {x: x}
)yaml";
  const auto value = [&](double k, double h) {
    const Model model = read_model_text(
        kHertz, "hertz.yaml", {.set = {{"k", std::to_string(k)}, {"h", std::to_string(h)}}});
    SimulateOptions options;
    options.end = 0.7;
    options.tolerance = 1e-13;
    options.integrator = "dop853";
    return simulate(model, options).trajectory["x"].back();
  };
  const auto slope = [&](auto&& f, double h) {
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h);
  };
  for (const Way& way : {kWays[0], kWays[1]}) {
    const Sensitivity s = find(kHertz, {"x:final"}, {"k", "h"}, 0.7, way);
    EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
    EXPECT_NEAR(s.derivatives(0, 0), slope([&](double d) { return value(100 + d, 1); }, 0.5), 1e-7);
    EXPECT_NEAR(s.derivatives(0, 1), slope([&](double d) { return value(100, 1 + d); }, 5e-3),
                1e-5);
  }
}

// What keeps a root or a division from the end of its range cuts the run, too, and changes nothing.
TEST(Pieces, GuardsOfCriteriaLeaveTheMotionAlone) {
  constexpr const char* kGuarded = R"yaml(
parameters: {w: 13, h: 1}
coordinates: {x: h}
kinetic: x'^2/2
potential: w^2*x^2/2
outputs: {x: x, root: "sqrt(max(x, 0.01))"}
)yaml";
  const auto x = [](const std::vector<Complex>& p) { return p[1] * std::cos(2.0 * p[0]); };
  expect_closed(kGuarded, {"x:final", "root:final"}, {"w", "h"}, {13, 1}, 2,
                {x, [&](const std::vector<Complex>& p) { return std::sqrt(x(p)); }});
}

// The root of zero has no series: steps end where the stop of this slider ends.
TEST(Pieces, RunsThatWouldNotFinishAreToldNotAwaited) {
  constexpr const char* kStop = R"yaml(
dimension: 2
parameters: {k: 3000}
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {e: [0.3, 0]}, angle: 0.6}
  rod: {mass: 1, shape: {rod: {to: [0.8, 0]}}, points: {e: [0.8, 0]}, position: [0.3*cos(0.6), 0.3*sin(0.6)]}
  block: {mass: 1, inertia: 0.1, position: [1, 0]}
joints:
  A: {type: revolute, between: [ground, crank]}
  B: {type: revolute, between: [crank.e, rod]}
  C: {type: revolute, between: [rod.e, block]}
  S: {type: prismatic, between: [ground, block], axis: [1, 0]}
forces:
  stop: {type: effort, on: S.position, effort: "-k*sqrt(max(0, S.position - 1))^3"}
initial: {A.angle: 0.6, "A.angle'": 8}
outputs: {x: S.position}
)yaml";
  const Sensitivity s = find(kStop, {"x:final"}, {"k"}, 0.8, {"taylor", Mode::Adjoint});
  EXPECT_EQ(s.status, Outcome::Status::Failed);
  EXPECT_NE(s.text.find("the run would not finish"), std::string::npos) << s.text;
}

// The time of an event alone, without any quantity.
TEST(Pieces, TimesOfEventsAlone) {
  for (const Way& way : kWays) {
    const Sensitivity s = find(R"yaml(
parameters: {v: 2, a: 1}
coordinates: {x: {start: 0, rate: v}}
kinetic: x'^2/2
events: {there: {when: x - a}}
)yaml",
                               {"there:time"}, {"v", "a"}, 1, way);
    EXPECT_NEAR(s.values[0], 0.5, 1e-12) << way.integrator;
    EXPECT_NEAR(s.derivatives(0, 0), -0.25, 1e-10) << way.integrator;
    EXPECT_NEAR(s.derivatives(0, 1), 0.5, 1e-10) << way.integrator;
  }
}

std::string refusal(const char* text, const std::string& over, double end) {
  return testing::id_of([&] { find(text, {"x:final"}, {over}, end, kWays[0]); }, "none");
}

TEST(Pieces, WhatSticksHasNoDerivatives) {
  constexpr const char* kSliding = R"yaml(
parameters: {v: 1, F: 2}
coordinates: {x: {start: 0, rate: v}}
kinetic: x'^2/2
generalized_forces: {x: "-F*sign(x')"}
outputs: {x: x}
)yaml";
  EXPECT_EQ(refusal(kSliding, "F", 0.4), "none");
  EXPECT_EQ(refusal(kSliding, "F", 1), "study.stays");
}

// At rest where a law has a corner, either side will do; where it jumps, and the motion stays, it
// is the law of zero itself that holds.
TEST(Pieces, AtRestOnASwitch) {
  const auto at_rest = [](const std::string& force) {
    return "parameters: {c: 2}\ncoordinates: {x: 0}\nkinetic: x'^2/2\ngeneralized_forces: {x: \"" +
           force + "\"}\noutputs: {x: x}\n";
  };
  const std::string drag = at_rest("-c*abs(x')*x' + max(0, t - 0.5)");
  EXPECT_EQ(refusal(drag.c_str(), "c", 1), "none");
  const std::string still = at_rest("-c*sign(x')"),
                    below = at_rest("-c*select(max(x, 1) > 1, 1, 0) - c");
  EXPECT_EQ(find(still.c_str(), {"x:final"}, {"c"}, 1, kWays[0]).derivatives(0, 0), 0);
  EXPECT_NEAR(find(below.c_str(), {"x:final"}, {"c"}, 1, kWays[0]).derivatives(0, 0), -0.5, 1e-11);
  // A push that grows from nothing is held by the friction at first.
  const std::string pushed = at_rest("-c*sign(x') + 3*c*max(0, t - 0.5)^2");
  EXPECT_EQ(refusal(pushed.c_str(), "c", 1), "study.stays");
  // It falls, and so the side is known: x = −t²/2 ± c t²/2.
  const std::string falling = at_rest("-1 - c*sign(x')/4");
  const Sensitivity s = find(falling.c_str(), {"x:final"}, {"c"}, 1, kWays[0]);
  EXPECT_NEAR(s.derivatives(0, 0), 0.125, 1e-11);
}

// Steps of fixed cost do not end where a law jumps, and say so.
TEST(Pieces, FixedCostStepsSayWhatTheyLeaveOut) {
  const Model model = read_model_text(kBarrier, "barrier.yaml");
  const auto status = [&](const std::string& force_over, double end) {
    SensitivityOptions options;
    options.of = {parse_criterion("x:final")};
    options.run.end = end;
    options.run.step = 0.01;
    options.run.integrator = "linear-implicit";
    return find_sensitivity(StudiedParameters(model, {}, {force_over}), options).status;
  };
  EXPECT_EQ(status("v", 0.4), Outcome::Status::Done);
  EXPECT_EQ(status("v", 0.9), Outcome::Status::Doubtful);
}

}  // namespace
}  // namespace koppel

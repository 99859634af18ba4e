// Runs that cannot go on name what in the model is the reason, whatever the coordinates and the
// integrator.
#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

// The reason in the model, before what the integrator says.
std::string why(const std::string& text, const std::string& integrator,
                const std::string& coordinates, double end) {
  SimulateOptions options;
  options.integrator = integrator;
  options.coordinates = coordinates;
  options.end = end;
  const Simulation s = simulate(read_model_text(text, "m.yaml"), options);
  EXPECT_EQ(s.status, Outcome::Status::Failed) << integrator;
  return s.text.substr(0, s.text.find(" ("));
}

void expect(const std::string& text, const std::string& reason, double end,
            const std::string& coordinates = "") {
  for (const char* integrator : {"taylor", "dop853", "radau5", "cvode"}) {
    EXPECT_EQ(why(text, integrator, coordinates, end).substr(0, reason.size()), reason)
        << integrator;
  }
}

TEST(WhyFailed, NamesTheForceThatGrowsWithoutBound) {
  expect(R"yaml(
dimension: 2
bodies: {a: {point_mass: 1}}
forces:
  wind: {type: force, on: a, force: [0, 3*cos(t)]}
  push: {type: force, on: a, force: ["1/(t-0.5)", 0]}
)yaml",
         "'push' grows without bound there: it changes by its own size within ", 1);
}

// Steps of given length fail where they lead, not where they begin.
TEST(WhyFailed, NamesTheTableThatEndsWithinAStep) {
  for (const char* integrator : {"rattle", "rosenbrock", "linear-implicit", "rk4", "dop853"}) {
    SimulateOptions options;
    options.integrator = integrator;
    options.end = 3;
    options.step = 0.01;
    const Simulation s = simulate(read_model_text(R"yaml(
tables: {f: {type: spline, x: [-1, 0, 1], y: [-1, 0, 2], outside: error}}
coordinates: {x: {start: 0, rate: 1}}
kinetic: x'^2/2
generalized_forces: {x: -0.1*f(x)}
)yaml",
                                                  "m.yaml"),
                                  options);
    EXPECT_EQ(s.status, Outcome::Status::Failed) << integrator;
    EXPECT_NE(s.text.find("table 'f' ends at 1, and the model says `outside: error`"),
              std::string::npos)
        << integrator << ": " << s.text;
  }
}

// z = tan t, whose rate follows from itself.
TEST(WhyFailed, NamesTheStateThatGrowsWithoutBound) {
  expect(R"yaml(
dimension: 2
bodies: {a: {mass: 1, inertia: 1}}
joints: {p: {type: revolute, between: [ground, a]}}
states: {z: {rate: 1 + z^2, start: 0}}
forces: {m: {type: torque, on: a, torque: z}}
)yaml",
         "'z'' grows without bound there: ", 2);
}

TEST(WhyFailed, NamesTheForceAndTheDriveThatEnd) {
  expect(R"yaml(
dimension: 2
bodies: {a: {point_mass: 1}}
forces: {push: {type: force, on: a, force: [sqrt(0.5-t), 0]}}
)yaml",
         "'push' has no finite value ", 1);
  expect(R"yaml(
dimension: 2
bodies: {a: {mass: 1, inertia: 1}}
joints: {p: {type: revolute, between: [ground, a], drive: 1-sqrt(0.5-t)}}
)yaml",
         "'p.drive' has no finite value shortly after, at t = 0.5000", 1);
}

// Two rods of 1 m reach 2 m, at 1 s.
TEST(WhyFailed, NamesTheDriveThatPullsALinkageBeyondItsReach) {
  for (const char* coordinates : {"absolute", "joint", "natural"}) {
    expect(R"yaml(
dimension: 2
gravity: [0, -9.81]
bodies:
  a: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {e: [1, 0]}, angle: 60 deg}
  b: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {e: [1, 0]}, angle: -60 deg}
joints:
  ja: {type: revolute, between: [ground, a]}
  ab: {type: revolute, between: [a.e, b]}
  slide: {type: point-on-line, between: [ground, b.e], axis: [1, 0]}
  pull: {type: distance, between: [ground, b.e], drive: 1 + t}
)yaml",
           "the mechanism cannot follow 'pull.length' shortly after: at t = 1.0000", 2,
           coordinates);
  }
}

}  // namespace
}  // namespace koppel

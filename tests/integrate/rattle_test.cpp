// The symmetric step of order 2: order in all coordinates, energy over long times, constraints.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/count_allocations.hpp"
#include "tests/error_of.hpp"
#include "tests/integrate/fixed_cost_runs.hpp"

namespace koppel {
namespace {

using testing::Errors;
using testing::order;
using testing::prepare;
using testing::Ready;
using testing::run;

Ready prepare_rattle(const std::string& model, const std::string& coordinates) {
  return prepare(model, coordinates, "ggl");
}

struct Case {
  const char *model, *coordinates;
  double h, end;
};

void expect_order_two(const Case& c, const Ready& ready) {
  const Errors coarse = run(ready, "rattle", c.h, c.end),
               fine = run(ready, "rattle", c.h / 2, c.end);
  EXPECT_NEAR(order(coarse.q, fine.q), 2, 0.15) << c.model << ' ' << c.coordinates;
  EXPECT_NEAR(order(coarse.v, fine.v), 2, 0.15) << c.model << ' ' << c.coordinates;
  EXPECT_LT(fine.velocity, 1e-11) << c.model << ' ' << c.coordinates;
}

// Masses that depend on positions, quaternions, angles, directors, a damper, driven ends, a
// controller with a state of its own, rolling.
constexpr Case kCases[] = {
    {"car_axle", "", 5e-4, 0.2},
    {"circular_track", "", 2e-2, 4},
    {"slider_crank", "natural", 1e-3, 0.5},
    {"slider_crank", "absolute", 1e-3, 0.5},
    {"slider_crank", "joint", 1e-3, 0.5},
    {"slider_crank", "directors", 1e-3, 0.5},
    {"heavy_top", "absolute", 1e-4, 0.1},
    {"heavy_top", "joint", 1e-4, 0.1},
    {"heavy_top", "natural", 1e-4, 0.1},
    {"heavy_top", "directors", 1e-4, 0.1},
    {"heavy_top", "cardan", 1e-4, 0.02},
    {"double_pendulum", "joint", 1e-3, 1},
    {"double_pendulum", "natural", 1e-3, 1},
    {"double_pendulum", "absolute", 1e-3, 1},
    {"double_pendulum", "directors", 1e-3, 1},
    {"andrews", "", 1e-5, 0.005},
    {"mcpherson", "natural", 1e-3, 0.2},
};

class RattleOrder : public ::testing::TestWithParam<Case> {};
TEST_P(RattleOrder, IsTwoInPositionsAndVelocities) {
  const Case& c = GetParam();
  expect_order_two(c, prepare_rattle(c.model, c.coordinates));
}
INSTANTIATE_TEST_SUITE_P(Models, RattleOrder, ::testing::ValuesIn(kCases), [](const auto& test) {
  return std::string(test.param.model) + '_' +
         (*test.param.coordinates ? test.param.coordinates : "lagrange");
});

// A point that slides on a turning line, whose angle is prescribed, with a force that is not
// quadratic in the velocity, a state that follows it, and a force by that state.
TEST(Rattle, HasOrderTwoWithAnyForcesAndMovingConstraints) {
  const Model model = read_model_text(R"(
name: bead
coordinates: {x: {start: 1}, y: {start: 0}}
states: {z: {start: 0.3, rate: "sin(x) - z^2 + x'"}}
kinetic: (x'^2 + y'^2)/2
generalized_forces: {x: "-x - 0.3*x'*abs(x')*x' - z", y: "-0.2*y'^3 + 0.1*z"}
constraints: {line: x*sin(t) - y*cos(t)}
outputs: {x: x}
)",
                                      "bead.yaml");
  expect_order_two({"bead", "", 5e-3, 2}, prepare(model, "", "ggl"));
}

// A sleigh on an inclined plane, whose blade does not slip sideways.
TEST(Rattle, HasOrderTwoWithNonholonomicConstraints) {
  const Model model = read_model_text(R"(
name: sleigh
coordinates: {x: {start: 0, rate: 1}, y: {start: 0}, phi: {start: 0, rate: 2}}
kinetic: (x'^2 + y'^2)/2 + phi'^2/6
potential: 3*x
nonholonomic: {blade: x'*sin(phi) - y'*cos(phi)}
outputs: {x: x}
)",
                                      "sleigh.yaml");
  expect_order_two({"sleigh", "", 1e-2, 3}, prepare(model, "", "ggl"));
}

// A disc that rolls, turns and tilts. (Cardan angles are singular after a quarter of a turn.)
TEST(Rattle, HasOrderTwoForRollingInAllCoordinates) {
  const Model model = read_model_text(R"(
name: disc
gravity: [0, 0, -9.81]
bodies:
  disc: {mass: 1, inertia: [0.0625, 0.125, 0.0625], position: [0, 0, 0.5]}
joints:
  contact: {type: rolling, body: disc, radius: 0.5, axis: [0, 1, 0], normal: [0, 0, 1]}
initial:
  disc.wx: {value: 0.5, fixed: true}
  disc.wy: {value: 6, fixed: true}
  disc.wz: {value: 2, fixed: true}
outputs: {x: disc.x}
)",
                                      "disc.yaml");
  for (const char* coordinates : {"absolute", "natural", "directors", "joint"}) {
    expect_order_two({"disc", coordinates, 2e-3, 0.5}, prepare(model, coordinates, "ggl"));
  }
}

TEST(Rattle, ConstraintsFallWithTheSixthPowerOfTheStep) {
  const Ready ready = prepare_rattle("slider_crank", "natural");
  const Errors coarse = run(ready, "rattle", 1e-2, 2), fine = run(ready, "rattle", 5e-3, 2);
  EXPECT_NEAR(order(coarse.position, fine.position), 6, 0.5);
  EXPECT_LT(run(ready, "rattle", 1e-3, 2).position, 1e-12);
}

// Energies at the ends of steps, over so many seconds.
struct Energies {
  double start, least, largest;
};
Energies energies(const std::string& model, const std::string& coordinates, double h, double end) {
  const Model m = read_model(std::string(KOPPEL_MODELS) + model + ".yaml");
  const Ready ready = prepare(m, coordinates, "ggl");
  const Equations& e = ready.equations;
  std::vector<Expr> inputs{e.t};
  for (const std::vector<Expr>* part : {&e.q, &e.v, &e.x, &e.u, &e.p}) {
    inputs.insert(inputs.end(), part->begin(), part->end());
  }
  const Function energy(inputs, std::vector<Expr>{e.kinetic + e.potential});
  const auto at = [&](double t, std::span<const double> y) {
    std::vector<double> in{t};
    in.insert(in.end(), y.begin(), y.begin() + ready.problem.num_differential());
    in.insert(in.end(), ready.state.u.begin(), ready.state.u.end());
    in.insert(in.end(), ready.state.p.begin(), ready.state.p.end());
    return energy(in)[0];
  };
  const double start = at(ready.start.t, ready.start.y);
  Energies out{start, start, start};
  std::vector<double> y(ready.start.y.size());
  const Outcome outcome =
      integrate(ready.problem, "rattle", ready.start, end, {.step = h}, [&](const Step& step) {
        step.evaluate(step.t1, y);
        const double now = at(step.t1, y);
        out.least = std::min(out.least, now);
        out.largest = std::max(out.largest, now);
        return true;
      });
  EXPECT_EQ(outcome.status, Outcome::Status::Done) << outcome.text;
  return out;
}

// What oscillates with the motion in the first 2 s (5.6e-5 of it all), and no more in 200 s.
TEST(Rattle, EnergyIsBoundedOverTwoHundredSecondsWhereMassesAreConstant) {
  for (const char* coordinates : {"natural", "absolute", "directors"}) {
    const Energies few = energies("slider_crank", coordinates, 1e-3, 2),
                   many = energies("slider_crank", coordinates, 1e-3, 200);
    EXPECT_LT(few.start - few.least, 6e-5 * few.start) << coordinates;
    EXPECT_LT(many.largest - many.least, 1.001 * (few.largest - few.least)) << coordinates;
  }
}

// Elsewhere the step is symmetric but not symplectic, and a crank that turns in one direction may
// lose what falls with the square of the step: 7e-6 of its energy in a second at 1 ms.
TEST(Rattle, EnergyInJointCoordinatesChangesWithTheSquareOfTheStep) {
  const Energies coarse = energies("slider_crank", "joint", 2e-3, 100),
                 fine = energies("slider_crank", "joint", 1e-3, 100);
  EXPECT_NEAR(order(coarse.largest - coarse.least, fine.largest - fine.least), 2, 0.1);
  EXPECT_LT(fine.largest - fine.least, 1e-3 * fine.start);
}

// q″ = −a q − b q′ is stable for h²a ≤ 4 + h²b²/4, and no further.
TEST(Rattle, IsStableAsFarAsSaid) {
  const auto last = [](double a, double b) {
    const Model model = read_model_text(
        "name: test\ncoordinates: {q: {start: 1}}\nkinetic: q'^2/2\n"
        "generalized_forces: {q: -a*q - b*q'}\nparameters: {a: " +
            std::to_string(a) + ", b: " + std::to_string(b) + "}\noutputs: {q: q}\n",
        "test.yaml");
    const Ready ready = prepare(model, "", "minimal");
    const Outcome end = integrate(ready.problem, "rattle", ready.start, 20, {.step = 0.01});
    return end.status == Outcome::Status::Done ? std::abs(end.y[0]) : INFINITY;
  };
  for (const double b : {0.0, 50.0, 200.0, 1e4}) {
    const double limit = (4 + 1e-4 * b * b / 4) / 1e-4;
    EXPECT_LT(last(0.98 * limit, b), 10) << b;
    EXPECT_GT(last(1.02 * limit, b), b == 1e4 ? 0 : 1e3) << b;
  }
}

TEST(Rattle, AllocatesNothing) {
  for (const char* model : {"car_axle", "circular_track", "heavy_top"}) {
    const Ready ready = prepare_rattle(model, "");
    FixedCostOptions options;
    options.rule = FixedCostOptions::Rule::Rattle;
    const auto step = ready.problem.fixed_cost.step(options);
    FixedCostStep::Workspace work = step->make_workspace();
    std::vector<double> y = ready.start.y;
    const long before = allocations;
    bool ok = true;
    for (int k = 0; k < 100; ++k) ok = ok && step->advance(k * 1e-4, 1e-4, y, work);
    EXPECT_EQ(allocations - before, 0) << model;
    EXPECT_TRUE(ok) << model;
  }
}

TEST(Rattle, NeedsPositionsAndVelocitiesThatHold) {
  const Ready ready = prepare("car_axle", "", "index2");
  EXPECT_EQ(why_not(find_integrator("rattle"), ready.problem),
            "integrator 'rattle' needs constraints whose positions and velocities both hold; "
            "formulation 'index2' does not close positions");
  EXPECT_EQ(testing::error_of([&] { find_integrator("rattle:J1"); }),
            "error[integrate.unknown-variant]: 'J1' is no variant of rattle\n"
            "  It has none.");
}

}  // namespace
}  // namespace koppel

// Controllers in code: samples are where they shall be, and what they set is held.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/controllers.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::near;

constexpr double kMass = 2, kPeriod = 0.1, kEnd = 1.95;

// m x″ = F, where F is sampled: −20 x − 6 x′.
Model cart() {
  return read_model_text(R"(
name: cart
coordinates: {x: 1}
kinetic: x'^2
states: {F: {rate: 0}}
generalized_forces: {x: F}
)",
                         "cart.yaml");
}

Controller make_hold() {
  Controller hold{.name = "hold", .every = kPeriod, .reads = {"x", "x'"}};
  hold.call = [](double, std::span<const double> y) -> Answer {
    return {{{"F", -20 * y[0] - 6 * y[1]}}};
  };
  return hold;
}

// Between samples the force is constant:
//   x_{k+1} = x_k + v_k T + F_k T²/(2m),  v_{k+1} = v_k + F_k T/m
struct Motion {
  double x = 1, v = 0;
};
Motion exact(double end) {
  Motion at;
  for (double t = 0; t < end - 1e-12; t += kPeriod) {
    const double F = -20 * at.x - 6 * at.v, T = std::min(kPeriod, end - t);
    at = {at.x + at.v * T + F * T * T / (2 * kMass), at.v + F * T / kMass};
  }
  return at;
}

std::string mistake_of(const Controls& controls) {
  try {
    simulate(cart(), {.end = 1}, {}, controls);
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostics()[0];
    return d.id + ": " + d.message + (d.hint.empty() ? "" : " " + d.hint);
  }
  return "";
}

TEST(Controllers, HoldWhatTheySetBetweenSamplesByEveryIntegrator) {
  for (const IntegratorInfo& info : integrators()) {
    SCOPED_TRACE(std::string(info.name));
    SimulateOptions options;
    options.end = kEnd;
    options.integrator = info.name;
    options.health = {.is_watched = false};                            // errors are measured here
    options.tolerance = info.name == "implicit-euler" ? 1e-6 : 1e-11;  // adaptive, of order 1
    if (!info.has_adaptive_step) options.step = 1e-3;
    const Simulation s = simulate(cart(), options, {}, {.controllers = {make_hold()}});
    ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
    const Motion right = exact(kEnd);
    // Methods of order 2 are exact for a parabola. Those of order 1 are off by F h/(2m) ≈ 5e-3 in
    // the velocity, which the controller lets decay.
    const bool is_euler = info.name == "explicit-euler" || info.name == "implicit-euler" ||
                          info.name == "linear-implicit";
    const double error = is_euler ? 5e-3 : 1e-7;
    EXPECT_NEAR(s.trajectory["x"].back(), right.x, error);
    EXPECT_NEAR(s.trajectory["x'"].back(), right.v, error);
  }
}

TEST(Controllers, SampleAtTheMultiplesOfTheirPeriodToRoundOff) {
  std::vector<double> times;
  Controller hold = make_hold();
  hold.call = [&, law = hold.call](double t, std::span<const double> y) {
    times.push_back(t);
    return law(t, y);
  };
  SimulateOptions options;
  options.end = kEnd;
  options.tolerance = 1e-12;
  const Simulation s = simulate(cart(), options, {}, {.controllers = {hold}});
  EXPECT_TRUE(near(s.trajectory["x"].back(), exact(kEnd).x,
                   {.relative = 1e-13, .scale = 1, .because = "a parabola in each of 20 periods"}));
  EXPECT_FALSE(s.summary.is_conservative);
  ASSERT_EQ(times.size(), 20u);
  for (std::size_t k = 0; k < times.size(); ++k) {
    EXPECT_EQ(times[k], static_cast<double>(k) * kPeriod);
  }
}

TEST(Controllers, MayEndARun) {
  Controller hold = make_hold();
  hold.call = [](double t, std::span<const double>) { return Answer{.goes_on = t < 0.45}; };
  const Simulation s = simulate(cart(), {.end = 1}, {}, {.controllers = {hold}});
  EXPECT_EQ(s.status, Outcome::Status::Stopped);
  EXPECT_EQ(s.trajectory.time().back(), 0.5);
}

TEST(Controllers, WrongOnesAreRefused) {
  Controller hold = make_hold();
  hold.every = 0;
  EXPECT_EQ(
      mistake_of({.controllers = {hold}}),
      "simulate.bad-controller: the period of controller 'hold' is 0 s; it must be positive.");
  hold = make_hold();
  hold.call = {};
  EXPECT_EQ(mistake_of({.controllers = {hold}}),
            "simulate.bad-controller: controller 'hold' has no function to call.");
  hold = make_hold();
  hold.reads = {"y"};
  EXPECT_EQ(mistake_of({.controllers = {hold}}),
            "simulate.unknown-name: 'hold' reads 'y'; the model knows no such name.");
  hold = make_hold();
  hold.call = [](double, std::span<const double>) -> Answer { return {{{"Fx", 1}}}; };
  EXPECT_EQ(mistake_of({.controllers = {hold}}),
            "simulate.unknown-state: the callback of 'hold' sets 'Fx'; there is no such state. Did "
            "you mean 'F'?");
  hold.call = [](double, std::span<const double>) -> Answer { return {{{"F", std::nan("")}}}; };
  EXPECT_EQ(mistake_of({.controllers = {hold}}),
            "simulate.not-finite: the callback of 'hold' sets 'F' to nan at t = 0 s.");
  EXPECT_EQ(mistake_of({.events = {{.event = "floor", .call = hold.call}}}),
            "simulate.bad-controller: there is a callback for the event 'floor', which the model "
            "does not have.");
}

TEST(Controllers, GoTogetherWithEventsAndTheirCalls) {
  const Model model = read_model_text(R"(
coordinates: {y: 1}
kinetic: y'^2/2
potential: 9.81*y
states: {hits: {rate: 0}, n: {rate: 0}}
events: {ground: {when: y, bounce: 1}}
)",
                                      "ball.yaml");
  std::vector<double> speeds;
  Controls controls;
  controls.events.push_back({.event = "ground", .reads = {"y'", "hits"}});
  controls.events[0].call = [&](double, std::span<const double> reads) -> Answer {
    speeds.push_back(reads[0]);
    return {{{"hits", reads[1] + 1}}};
  };
  controls.controllers.push_back({.name = "count", .every = 0.25, .reads = {"n"}});
  controls.controllers[0].call = [](double, std::span<const double> reads) -> Answer {
    return {{{"n", reads[0] + 1}}};
  };
  const Simulation s = simulate(model, {.end = 3}, {}, controls);
  // Falls for √(2/g) = 0.4515 s, then hits every 0.903 s: 0.45, 1.35, 2.26; with the speed √(2 g).
  ASSERT_EQ(speeds.size(), 3u);
  for (const double speed : speeds) EXPECT_NEAR(speed, -std::sqrt(2 * 9.81), 1e-7);
  EXPECT_EQ(s.trajectory["hits"].back(), 3);
  EXPECT_EQ(s.trajectory["n"].back(), 12);  // at 0, 0.25, … 2.75
}

// In coordinates that do not have the angle, it is counted over whole turns.
TEST(Controllers, ReadAnglesBeyondATurnInAllCoordinates) {
  const Model model = read_model_text(R"(
dimension: 2
bodies: {rod: {mass: 1, shape: {rod: {to: [1, 0]}}}}
joints: {pivot: {type: revolute, between: [ground, rod]}}
initial: {"pivot.angle'": 10}
)",
                                      "rod.yaml");
  for (const char* const coordinates : {"joint", "absolute", "natural", "directors"}) {
    SCOPED_TRACE(coordinates);
    double angle = 0;
    Controller look{.name = "look", .every = 0.25, .reads = {"pivot.angle"}};
    look.call = [&](double, std::span<const double> reads) {
      angle = reads[0];
      return Answer();
    };
    SimulateOptions options;
    options.end = 2.1;
    options.coordinates = coordinates;
    simulate(model, options, {}, {.controllers = {look}});
    EXPECT_NEAR(angle, 20, 1e-6);  // at 2 s
  }
}

}  // namespace
}  // namespace koppel

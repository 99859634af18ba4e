// The loop: pacing on a clock that is turned by hand, policies, inputs and outputs, no allocation.
#include <koppel/live/live.hpp>

#include <cmath>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/live/recorder.hpp>

#include "tests/count_allocations.hpp"
#include "tests/error_of.hpp"
#include "tests/live/rig.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using testing::cart;
using testing::HandClock;
using testing::with_step;

constexpr std::int64_t kMillisecond = 1'000'000;

// A step k takes cost(k) nanoseconds: the clock is turned when outputs are written.
struct Paced {
  HandClock clock;
  long k = -1;  // outputs of the start come first
  std::vector<double> begins, times;
  LiveResult result;

  template <typename Cost>
  Paced(LiveOptions options, double step, Cost cost) {
    options.clock = &clock;
    CallbackChannel channel([&](double t, std::span<double>) { begins.push_back(t); },
                            [&](double t, std::span<const double>) {
                              times.push_back(t);
                              if (k >= 0) clock.time += cost(k);
                              ++k;
                            });
    Channel* channels[] = {&channel};
    const Model model = cart();
    result = run_live(model, with_step(model, step), options, channels);
  }
};

TEST(Live, StepsAreReleasedByTheClock) {
  const Paced p({.end = 0.1}, 1e-2, [](long) { return 2 * kMillisecond; });
  EXPECT_EQ(p.result.status, LiveResult::Status::Done);
  EXPECT_EQ(p.result.steps, 10);
  // The first is released at once; the k-th at k periods after it.
  ASSERT_EQ(p.clock.waits.size(), 9u);
  for (std::size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(p.clock.waits[k],
              1'000'000'000 + static_cast<std::int64_t>(k + 1) * 10 * kMillisecond);
  }
  ASSERT_EQ(p.times.size(), 11u);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_DOUBLE_EQ(p.begins[k], 1e-2 * static_cast<double>(k));
    EXPECT_DOUBLE_EQ(p.times[k + 1], 1e-2 * static_cast<double>(k + 1));
  }
  EXPECT_EQ(p.result.missed, 0);
  EXPECT_DOUBLE_EQ(p.result.step.max(), 2e-3);
  EXPECT_DOUBLE_EQ(p.result.wall_seconds, 0.092);  // nine periods and the last step
}

TEST(Live, SpeedDividesThePeriod) {
  const Paced p({.end = 0.1, .speed = 2.5}, 1e-2, [](long) { return 0; });
  EXPECT_EQ(p.clock.waits.back(), 1'000'000'000 + 9 * 4 * kMillisecond);
  EXPECT_DOUBLE_EQ(p.result.period, 4e-3);
  const Paced free({.end = 0.1, .speed = 0}, 1e-2, [](long) { return 20 * kMillisecond; });
  EXPECT_TRUE(free.clock.waits.empty());
  EXPECT_EQ(free.result.missed, 0);
}

// Steps 3 and 4 take 25 and 12 ms of 10: 3 ends 15 ms behind its deadline, 4 17 ms, 5 (with 2 ms)
// 9 ms, 6 1 ms; 7 is in time again.
std::int64_t stumble(long k) { return (k == 3 ? 25 : k == 4 ? 12 : 2) * kMillisecond; }

TEST(Live, LateStepsAreCaughtUp) {
  const Paced p({.end = 0.2}, 1e-2, stumble);
  EXPECT_EQ(p.result.steps, 20);
  EXPECT_EQ(p.result.missed, 4);
  EXPECT_DOUBLE_EQ(p.result.latest, 0.017);
  EXPECT_DOUBLE_EQ(p.result.slipped, 0);
  EXPECT_DOUBLE_EQ(p.result.wall_seconds, 0.192);
  EXPECT_DOUBLE_EQ(p.result.wake.max(), 0.017);
}

TEST(Live, OrTheClockSlips) {
  const Paced p({.end = 0.2, .late = Late::Slip}, 1e-2, stumble);
  // 3 ends 15 ms behind, 4 starts at its moved release and ends 2 ms behind.
  EXPECT_EQ(p.result.missed, 2);
  EXPECT_DOUBLE_EQ(p.result.slipped, 0.017);
  EXPECT_DOUBLE_EQ(p.result.wall_seconds, 0.209);
  EXPECT_DOUBLE_EQ(p.result.wake.max(), 0);
}

TEST(Live, OrTheLoopEnds) {
  const Paced p({.end = 0.2, .late = Late::Stop}, 1e-2, stumble);
  EXPECT_EQ(p.result.status, LiveResult::Status::Late);
  EXPECT_EQ(p.result.steps, 4);
  EXPECT_EQ(p.result.text, "a step ended 0.015 s after its deadline");
  EXPECT_EQ(p.result.rows, 5);
}

TEST(Live, QuantilesAreThoseOfTheSteps) {
  // 1 of 1000 takes 900 µs, 2 take 700, the others 100 + k mod 100.
  const Paced p({.end = 1}, 1e-3, [](long k) {
    return 1000 * std::int64_t{k == 500 ? 900 : k % 400 == 7 ? 700 : 100 + k % 100};
  });
  EXPECT_EQ(p.result.step.count(), 1000);
  const double part = 1 / 64.0;  // of a class
  EXPECT_TRUE(
      testing::near(p.result.step.median(), 150e-6, {.relative = part, .because = "classes"}));
  EXPECT_TRUE(testing::near(p.result.step.quantile(0.999), 700e-6,
                            {.relative = part, .because = "classes"}));
  EXPECT_DOUBLE_EQ(p.result.step.max(), 900e-6);
}

TEST(Live, InputsActFromTheStartOfTheirStep) {
  HandClock clock;
  const Model model = cart();
  constexpr double h = 0.25;  // exact in binary, so are the sums
  std::vector<double> velocities;
  CallbackChannel channel([](double t, std::span<double> u) { u[0] = 1 + 4 * t; },  // 1, 2, 3, 4
                          [&](double, std::span<const double> y) { velocities.push_back(y[1]); });
  Channel* channels[] = {&channel};
  run_live(model, with_step(model, h), {.end = 1, .clock = &clock}, channels);
  // v after k steps: h/m (1 + … + k).
  EXPECT_EQ(velocities, (std::vector<double>{0, 0.125, 0.375, 0.75, 1.25}));
}

TEST(Live, LaterChannelsGoBeforeEarlierOnes) {
  HandClock clock;
  const Model model = cart();
  double last = 0;
  CallbackChannel both([](double, std::span<double> u) { u[0] = u[1] = 1; }, {});
  CallbackChannel one([](double, std::span<double> u) { u[1] = 7; },
                      [&](double, std::span<const double> y) { last = y[1]; });
  Channel* channels[] = {&both, &one};
  run_live(model, with_step(model, 0.25), {.end = 0.25, .clock = &clock}, channels);
  EXPECT_EQ(last, 1);  // h/m (1 + 7)
}

TEST(Live, RowsHaveAllColumnsAndInputs) {
  HandClock clock;
  const Model model = cart();
  CallbackChannel channel([](double, std::span<double> u) { u[1] = 8; }, {});
  Channel* channels[] = {&channel};
  std::vector<std::vector<double>> rows;
  std::vector<std::string> names;
  LiveCallbacks callbacks;
  callbacks.begin = [&](const LiveInfo& info) {
    for (const Column& column : info.columns) names.push_back(column.name);
    EXPECT_EQ(info.ports.inputs, (std::vector<std::string>{"F", "D"}));
    EXPECT_EQ(info.ports.outputs, (std::vector<std::string>{"s", "s'"}));
  };
  callbacks.row = [&](std::span<const double> row) { rows.emplace_back(row.begin(), row.end()); };
  const LiveResult r = run_live(model, with_step(model, 0.25),
                                {.end = 1, .every = 2, .clock = &clock}, channels, callbacks);
  EXPECT_EQ(r.rows, 3);
  ASSERT_EQ(rows.size(), 3u);
  const auto at = [&](const char* name) {
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
  };
  EXPECT_EQ(rows[1][0], 0.5);
  EXPECT_EQ(rows[1][at("s'")], 2);
  EXPECT_EQ(rows[2][at("D")], 8);
  EXPECT_EQ(rows[2][at("kinetic_energy")], 16);
}

TEST(Live, EndsWhenAskedTo) {
  HandClock clock;
  const Model model = cart();
  LiveCallbacks callbacks;
  int asked = 0;
  callbacks.is_stopped = [&] { return ++asked > 10; };
  const LiveResult r = run_live(model, with_step(model, 0.25), {.clock = &clock}, {}, callbacks);
  EXPECT_EQ(r.status, LiveResult::Status::Stopped);
  EXPECT_EQ(r.rows, r.steps + 1);
  EXPECT_DOUBLE_EQ(r.reached, 0.25 * static_cast<double>(r.steps));
  EXPECT_GT(r.steps, 3);
}

// q″ = 1000 q − …: explicit steps of 1 s grow until they overflow.
TEST(Live, SaysWhereTheNumbersEnd) {
  const Model model = read_model_text(
      "name: wild\ncoordinates: {q: {start: 1}}\nkinetic: q'^2/2\n"
      "generalized_forces: {q: -exp(q^2)*q}\noutputs: {q: q}\n",
      "wild.yaml");
  HandClock clock;
  SimulateOptions options = with_step(model, 1);
  options.integrator = "explicit-euler";
  options.health.is_watched = false;
  const LiveResult r = run_live(model, options, {.clock = &clock});
  EXPECT_EQ(r.status, LiveResult::Status::Failed);
  EXPECT_EQ(r.text,
            "the step gave a value that is not finite: the motion is unstable at this step, or a "
            "matrix is singular; a smaller step may help");
  EXPECT_EQ(r.rows, r.steps + 1);
  EXPECT_TRUE(std::isfinite(r.final[0].second));
}

// A pendulum that nothing keeps on the constraint drifts away from it; its numbers stay finite.
TEST(Live, SaysWhereTheMotionLeavesItsConstraints) {
  const Model model = read_model_text(
      "name: drifting\ndimension: 2\ngravity: [0, -9.81]\n"
      "bodies: {bob: {point_mass: 1, position: [-1, 0]}}\n"
      "joints: {bar: {type: distance, between: [ground, bob], length: 1}}\n"
      "outputs: {x: bob.x, y: bob.y}\n",
      "drifting.yaml");
  HandClock clock;
  SimulateOptions options = with_step(model, 0.02);
  options.integrator = "linear-implicit";
  options.formulation = "index1";
  options.coordinates = "absolute";
  options.projection = Projection::None;
  const LiveResult r = run_live(model, options, {.end = 10, .clock = &clock});
  EXPECT_TRUE(r.status == LiveResult::Status::Failed || r.status == LiveResult::Status::Doubtful);
  EXPECT_TRUE(r.health.state == Health::State::Failed || r.health.state == Health::State::Doubtful);
  EXPECT_NE(r.text.find("bar"), std::string::npos) << r.text;
}

// The explicit Euler step multiplies the amplitude of x'' = −ω²x by √(1 + (ωh)²); the implicit one
// divides by it. Energy that comes from nowhere is a wrong motion, energy that is lost is damping.
TEST(Live, EnergyFromNowhereIsDoubtfulAndLostEnergyIsNoted) {
  const Model model = read_model_text(
      "name: oscillator\ncoordinates: {x: 1}\nkinetic: x'^2/2\npotential: 2*x^2\noutputs: {x: x}\n",
      "oscillator.yaml");
  HandClock clock;
  SimulateOptions options = with_step(model, 0.02);
  const auto run_with = [&](const char* integrator) {
    options.integrator = integrator;
    return run_live(model, options, {.end = 1, .clock = &clock});
  };
  const LiveResult gains = run_with("explicit-euler");
  EXPECT_EQ(gains.status, LiveResult::Status::Doubtful);
  EXPECT_NE(gains.text.find("the motion has energy"), std::string::npos) << gains.text;
  const LiveResult loses = run_with("linear-implicit");
  EXPECT_EQ(loses.status, LiveResult::Status::Done);
  ASSERT_EQ(loses.notes.size(), 1U);
  EXPECT_NE(loses.notes[0].find("the motion lacks energy"), std::string::npos) << loses.notes[0];
}

// Where the rate of a drive jumps, an impulse gives or takes energy.
TEST(Live, ImpulsesOfDrivesAreInTheBalance) {
  for (const char* drive : {"abs(t - 0.5) - 0.5", "0.5 - abs(t - 0.5)", "max(0, t - 0.5)"}) {
    const Model model = read_model_text(std::string(R"(
name: two rods
dimension: 2
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, com: [0.5, 0], inertia: 0.1}
  lower: {mass: 1, com: [0.5, 0], inertia: 0.1, position: [1, 0]}
joints:
  A: {type: revolute, between: [ground, upper], at: [0, 0], drive: ")") +
                                            drive + R"("}
  B: {type: revolute, between: [upper, lower], at: [1, 0]}
)",
                                        "rods.yaml");
    HandClock clock;
    SimulateOptions options = with_step(model, 1e-3);
    options.integrator = "rattle";
    const LiveResult r = run_live(model, options, {.end = 1, .clock = &clock});
    EXPECT_EQ(r.status, LiveResult::Status::Done) << drive << ": " << r.text;
    EXPECT_TRUE(r.notes.empty()) << drive << ": " << r.notes[0];
  }
}

TEST(Live, AllocatesNothingInTheLoop) {
  HandClock clock;
  const Model model = cart();
  // Between the second step and the last; the recording thread has nothing to do in between.
  long before = -1, after = -1, step = 0;
  CallbackChannel channel([](double t, std::span<double> u) { u[0] = std::sin(t); },
                          [&](double, std::span<const double>) {
                            if (++step == 3) before = allocations;
                            after = allocations;
                          });
  Channel* channels[] = {&channel};
  const LiveResult r =
      run_live(model, with_step(model, 1e-3), {.end = 2, .clock = &clock}, channels);
  EXPECT_EQ(r.steps, 2000);
  EXPECT_EQ(after - before, 0);
}

TEST(Live, PacesByTheClockOfTheMachine) {
  const Model model = cart();
  const LiveResult r = run_live(model, with_step(model, 5e-3), {.end = 0.25});
  EXPECT_EQ(r.steps, 50);
  // Never early: 49 periods after the start. How late is up to the machine.
  EXPECT_GE(r.wall_seconds, 49 * 5e-3);
}

TEST(Live, JsonHasTheStatistics) {
  const Paced p({.end = 0.2}, 1e-2, stumble);
  const auto json = nlohmann::json::parse(to_json(p.result, "cart"));
  EXPECT_EQ(json["model"], "cart");
  EXPECT_EQ(json["status"], "done");
  EXPECT_EQ(json["missed"], 4);
  EXPECT_EQ(json["inputs"], (nlohmann::json{"F", "D"}));
  EXPECT_DOUBLE_EQ(json["step_seconds"]["max"].get<double>(), 0.025);
  EXPECT_DOUBLE_EQ(json["latest"].get<double>(), 0.017);
}

using testing::error_of;

TEST(Live, RefusesWhatItCannotDo) {
  const Model model = cart();
  EXPECT_EQ(error_of([&] { run_live(model, options_of(model), {}); }),
            "error[live.needs-step]: a live loop needs a step, and none is given.\n"
            "  Give one, such as `step = 1e-3`.");
  SimulateOptions options = with_step(model, 1e-3);
  options.integrator = "dop853";
  EXPECT_EQ(error_of([&] { run_live(model, options, {}); }),
            "error[live.wrong-integrator]: integrator 'dop853' has no fixed-cost steps.\n"
            "  Those that have: " +
                names_of_fixed_cost() + ".");
  EXPECT_EQ(error_of([&] { run_live(model, with_step(model, 1e-3), {.speed = -1}); }),
            "error[live.bad-option]: the speed is -1; it must be positive, or 0 for as fast as "
            "possible.");
  EXPECT_EQ(error_of([&] { run_live(model, with_step(model, 1e-3), {.speed = 1e-300}); }),
            "error[live.bad-option]: at the speed 1e-300 a step of 0.001 s lasts 1e+297 s of the "
            "clock; it may last an hour.\n  Give a higher `speed`, or a shorter `step`.");
  EXPECT_EQ(error_of([&] { run_live(model, with_step(model, 1e-30), {}); }),
            "error[live.bad-option]: the step is 1e-30 s; a live loop takes steps of 1e-09 s and "
            "longer.");
  const Model bouncing = read_model_text(
      "name: ball\ncoordinates: {y: {start: 1}}\nkinetic: y'^2/2\npotential: 9.81*y\n"
      "events: {floor: {when: y, bounce: 0.5}}\noutputs: {y: y}\n",
      "ball.yaml");
  EXPECT_EQ(error_of([&] { run_live(bouncing, with_step(bouncing, 1e-3), {}); }),
            "error[live.has-events]: the model has events ('floor'), which a fixed-cost step "
            "cannot handle.\n  Take them out, or use `simulate`.");
}

TEST(Recorder, LeavesOutWhatItCannotTake) {
  std::atomic<bool> may_go{false};
  std::vector<double> taken;
  Recorder recorder(1, 4, [&](std::span<const double> row) {
    while (!may_go) std::this_thread::yield();
    taken.push_back(row[0]);
  });
  for (int k = 0; k < 100; ++k) {
    const std::span<double> row = recorder.next();
    if (row.empty()) continue;
    row[0] = k;
    recorder.put();
  }
  may_go = true;
  recorder.finish();
  EXPECT_EQ(taken, (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(recorder.num_left_out(), 96);
}

TEST(Recorder, PassesOnWhatGoesWrong) {
  Recorder recorder(1, 4, [&](std::span<const double>) { throw Error("test", "full"); });
  recorder.next()[0] = 1;
  recorder.put();
  EXPECT_THROW(recorder.finish(), Error);
}

}  // namespace
}  // namespace koppel

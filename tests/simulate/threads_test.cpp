// Threads: different models side by side, and one problem for all. Run with ThreadSanitizer by
// tools/sanitize thread, or the preset `tsan`.
#include <gtest/gtest.h>

#include <functional>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include <koppel/integrate/integrator.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

constexpr std::size_t kThreads = 8;

// Calls work(0) … work(7), each in a thread of its own, all at once.
void at_once(const std::function<void(std::size_t)>& work) {
  std::latch start(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

Model read(const std::string& name) { return read_model(KOPPEL_MODELS + name + ".yaml"); }

struct Task {
  std::string model, integrator;
  double step;  // 0: adaptive
};

// All forms of a problem and all ways of evaluation.
const std::vector<Task> kTasks = {
    {"slider_crank", "taylor", 0},
    {"double_pendulum", "dop853", 0},
    {"four_bar", "radau5", 0},
    {"car_axle", "linear-implicit", 1e-3},
    {"pendulum", "energy-momentum", 1e-2},
    {"flyball_governor", "taylor", 0},
    {"rolling_disc", "ida", 0},
    {"overhead_crane", "generalized-alpha", 1e-2},
};

std::vector<double> last_row(const Task& task) {
  SimulateOptions options;
  options.end = 0.05;
  options.tolerance = 1e-6;
  options.integrator = task.integrator;
  if (task.step > 0) options.step = task.step;
  options.sampling.count = 2;
  const Simulation s = simulate(read(task.model), options);
  EXPECT_NE(s.status, Outcome::Status::Failed) << task.model << ": " << s.text;
  std::vector<double> out;
  for (std::size_t i = 0; i < s.trajectory.columns().size(); ++i) {
    out.push_back(s.trajectory.column(i).back());
  }
  return out;
}

// Values are compared bit by bit: rows have no undefined values here.
TEST(Threads, DeriveAndSimulateDifferentModelsSideBySide) {
  ASSERT_EQ(kTasks.size(), kThreads);
  std::vector<std::vector<double>> alone, together(kThreads);
  for (const Task& task : kTasks) alone.push_back(last_row(task));
  at_once([&](std::size_t i) { together[i] = last_row(kTasks[i]); });
  for (std::size_t i = 0; i < kThreads; ++i) EXPECT_EQ(together[i], alone[i]) << kTasks[i].model;
}

struct Way {
  std::string integrator;
  std::optional<double> step;
};

Outcome follow(const Prepared& prepared, const Way& way) {
  IntegrateOptions options;
  options.tolerance = 1e-6;
  options.step = way.step;
  return integrate(prepared.problem, way.integrator, prepared.start, prepared.start.t + 0.05,
                   options);
}

// A fresh problem, none of whose parts is made yet, is integrated by all threads at once: each
// part is made by whichever asks first. Beside it, the same of another fresh problem by one thread.
void compare_ways(const std::string& formulation, const std::vector<Way>& ways) {
  ASSERT_EQ(ways.size(), kThreads);
  SimulateOptions options;
  options.end = 1;
  options.formulation = formulation;
  options.integrator = ways[0].integrator;
  options.step = ways[0].step;
  const Model model = read("slider_crank");
  const Prepared alone = prepare(model, options);
  std::vector<Outcome> expected, found(kThreads);
  for (const Way& way : ways) expected.push_back(follow(alone, way));
  const Prepared shared = prepare(model, options);
  at_once([&](std::size_t i) { found[i] = follow(shared, ways[i]); });
  for (std::size_t i = 0; i < kThreads; ++i) {
    SCOPED_TRACE(ways[i].integrator);
    EXPECT_EQ(found[i].status, Outcome::Status::Done) << found[i].text;
    EXPECT_EQ(found[i].y, expected[i].y);
    EXPECT_EQ(found[i].statistics.steps, expected[i].statistics.steps);
  }
}

TEST(Threads, IntegrateOneProblemOfIndex3) {
  compare_ways("index3", {{"taylor", {}},
                          {"taylor", {}},
                          {"radau5", {}},
                          {"radau5", {}},
                          {"implicit-euler", 1e-3},
                          {"midpoint", 1e-3},
                          {"bdf2", 1e-3},
                          {"bdf5", 1e-3}});
}

TEST(Threads, IntegrateOneProblemOfIndex1) {
  compare_ways("index1", {{"dop853", {}},
                          {"dop853", {}},
                          {"rk4", 1e-3},
                          {"ida", {}},
                          {"radau5", {}},
                          {"explicit-euler", 1e-3},
                          {"linear-implicit", 1e-3},
                          {"rosenbrock", 1e-3}});
}

TEST(Threads, IntegrateOneProblemByFixedCostSteps) {
  compare_ways("ggl", {{"linear-implicit", 1e-3},
                       {"linear-implicit", 1e-3},
                       {"rattle", 1e-3},
                       {"rattle", 1e-3},
                       {"explicit-euler", 1e-3},
                       {"ida", {}},
                       {"radau5", {}},
                       {"bdf3", 1e-3}});
}

}  // namespace
}  // namespace koppel

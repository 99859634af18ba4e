// Steps of fixed cost: how long they take, as native code and as exported C, and beside a step
// written by hand.
//
//   realtime > FILE
//
// Batches of steps are timed; of their times per step the median, the 99.9th percentile and the
// largest are told. On a machine that does other things too, only the median means much.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include <benchmarks/machine.hpp>
#include <benchmarks/realtime/hand_axle.hpp>
#include <benchmarks/realtime/others.hpp>
#include <koppel/export/c.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/version.hpp>

namespace koppel::benchmarks {
namespace {

using Clock = std::chrono::steady_clock;

struct Times {
  double median, high, largest;  // seconds
};

// `step` takes k, the number of the step; `restart` goes back to the start, so that motions stay in
// the range they are meant for.
template <typename Step, typename Restart>
Times measure(Step&& step, Restart&& restart) {
  constexpr int kBatches = 2000, kBatch = 50, kRestart = 20;
  std::vector<double> times;
  for (int batch = 0; batch < kBatches; ++batch) {
    if (batch % kRestart == 0) restart();
    const int first = batch % kRestart * kBatch;
    const Clock::time_point before = Clock::now();
    for (int k = 0; k < kBatch; ++k) step(first + k);
    times.push_back(std::chrono::duration<double>(Clock::now() - before).count() / kBatch);
  }
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times[times.size() * 999 / 1000], times.back()};
}

struct Case {
  const char *model, *coordinates, *formulation, *integrator;
  double step;
};

struct Ready {
  Model model;
  SimulateOptions options;
  Prepared prepared;
  std::shared_ptr<const FixedCostStep> step;
};

Ready make(const Case& c) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + c.model + ".yaml");
  SimulateOptions options = options_of(model);
  options.coordinates = c.coordinates;
  options.formulation = c.formulation;
  options.integrator = c.integrator;
  options.step = c.step;
  options.native = Native::Cc;
  Ready out{model, options, prepare(model, options), nullptr};
  out.step = out.prepared.problem.fixed_cost.step(
      out.prepared.choice.integrator.fixed_cost(options.projection));
  return out;
}

Times measure(const Ready& ready, double h) {
  FixedCostStep::Workspace work = ready.step->make_workspace();
  std::vector<double> y;
  return measure([&](int k) { ready.step->advance(k * h, h, y, work); },
                 [&] { y = ready.prepared.start.y; });
}

void print(const std::string& name, const std::string& method, std::size_t operations,
           const Times& t) {
  std::printf("| %s | %s | %zu | %.3f | %.3f | %.3f |\n", name.c_str(), method.c_str(), operations,
              1e6 * t.median, 1e6 * t.high, 1e6 * t.largest);
}

// Steps of 1 ms beside those of other programs, each after 0.4 s of the motion: where the tip is
// then is known to some ten steps' errors only, but it is the same mechanism.
void compare_with_others() {
  std::vector<Other> others;
  constexpr double h = 1e-3;
#ifdef KOPPEL_HAS_SIMBODY
  for (const Other& other : simbody_steps(h)) others.push_back(other);
#endif
#ifdef KOPPEL_HAS_DART
  for (const Other& other : dart_steps(h)) others.push_back(other);
#endif
  if (others.empty()) return;
  std::printf("\n| mechanism | program | method | median, us | ratio | tip after 0.4 s |\n");
  std::printf("| --- | --- | --- | ---: | ---: | --- |\n");
  for (const Case& c : {Case{"four_bar", "natural", "ggl", "linear-implicit:exact", h},
                        Case{"double_pendulum", "joint", "minimal", "linear-implicit:exact", h}}) {
    const Ready ready = make(c);
    const Times ours = measure(ready, h);
    FixedCostStep::Workspace work = ready.step->make_workspace();
    std::vector<double> y = ready.prepared.start.y;
    for (int k = 0; k < 400; ++k) ready.step->advance(k * h, h, y, work);
    const VectorFunction outputs(ready.prepared.equations,
                                 std::vector<Expr>{ready.prepared.equations->outputs[0].value,
                                                   ready.prepared.equations->outputs[1].value});
    State state = ready.prepared.state;
    const auto num_q = static_cast<std::ptrdiff_t>(state.q.size());
    state.q.assign(y.begin(), y.begin() + num_q);
    const std::vector<double> tip = outputs(state);
    std::printf("| %s | koppel | %s, %s | %.3f | | %.4f, %.4f |\n", c.model, c.formulation,
                c.integrator, 1e6 * ours.median, tip[0], tip[1]);
    for (const Other& other : others) {
      if (other.mechanism != c.model) continue;
      const Times theirs = measure([&](int) { other.step(); }, other.restart);
      other.restart();
      for (int k = 0; k < 400; ++k) other.step();
      const auto at = other.tip();
      std::printf("| %s | %s | %s | %.3f | %.0f | %.4f, %.4f |\n", c.model, other.program.c_str(),
                  other.method.c_str(), 1e6 * theirs.median, theirs.median / ours.median, at[0],
                  at[1]);
    }
  }
}

// The step as `koppel export --to c` writes it, compiled and loaded.
class Exported {
 public:
  Exported(const Model& model, const SimulateOptions& options,
           const std::filesystem::path& folder) {
    const StepModel step = make_step_model(model, options, "model");
    const CFiles files = write_c(step);
    std::string source = files.source;
    const std::string include = "#include \"model.h\"\n";
    source.replace(source.find(include), include.size(), files.header);
    std::ofstream(folder / "model.c") << source;
    const std::string command = "cd '" + folder.string() +
                                "' && cc -std=c99 -O2 -ffp-contract=off -fPIC -shared -o model.so "
                                "model.c -lm";
    if (std::system(command.c_str()) != 0) throw std::runtime_error("no compiler");
    library_ = dlopen((folder / "model.so").c_str(), RTLD_NOW);
    step_ = reinterpret_cast<StepFunction*>(dlsym(library_, "model_step"));
    init_ = reinterpret_cast<InitFunction*>(dlsym(library_, "model_init"));
    state_.resize(step.state_size() + 3);  // t, start_time, count
    parameters_.resize(step.parameters.size() + 1);
    inputs_.resize(step.inputs.size() + 1);
  }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;
  ~Exported() { dlclose(library_); }

  void start() { init_(state_.data(), parameters_.data()); }
  void step() { step_(state_.data(), inputs_.data(), parameters_.data()); }
  double operator[](std::size_t i) const { return state_[i + 3]; }

 private:
  using InitFunction = void(double* state, double* parameters);
  using StepFunction = int(double* state, const double* inputs, const double* parameters);
  void* library_ = nullptr;
  StepFunction* step_ = nullptr;
  InitFunction* init_ = nullptr;
  std::vector<double> state_, parameters_, inputs_;
};

// Batches of the step by hand, of the exported and of the library's alternate, because processors
// change their pace: what is told are ratios of neighbours.
void compare_with_hand(const Case& c, const std::filesystem::path& folder) {
  const Ready ready = make(c);
  Exported exported(ready.model, ready.options, folder);
  FixedCostStep::Workspace work = ready.step->make_workspace();
  std::vector<double> y;
  HandAxle hand;
  constexpr int kBatches = 2000, kBatch = 50, kRestart = 20;
  std::vector<double> by_hand, ratio_exported, ratio_native;
  const auto time = [&](auto&& step) {
    const Clock::time_point before = Clock::now();
    for (int k = 0; k < kBatch; ++k) step(k);
    return std::chrono::duration<double>(Clock::now() - before).count() / kBatch;
  };
  double difference = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    if (batch % kRestart == 0) {
      hand = {};
      exported.start();
      y = ready.prepared.start.y;
    }
    const int first = batch % kRestart * kBatch;
    by_hand.push_back(time([&](int k) { hand.step((first + k) * c.step, c.step); }));
    ratio_exported.push_back(time([&](int) { exported.step(); }) / by_hand.back());
    ratio_native.push_back(
        time([&](int k) { ready.step->advance((first + k) * c.step, c.step, y, work); }) /
        by_hand.back());
    for (std::size_t i = 0; i < 4; ++i) {
      difference =
          std::max({difference, std::abs(exported[i] - hand.q[i]), std::abs(y[i] - hand.q[i])});
    }
  }
  const auto median = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  };
  std::printf(
      "\nCar axle, linear-implicit:J1, ggl: hand-written %.3f us; exported C %.2f, in the library "
      "%.2f "
      "times that. They differ by %.0e in 1000 steps.\n",
      1e6 * median(by_hand), median(ratio_exported), median(ratio_native), difference);
}

void run(const std::filesystem::path& folder) {
  std::printf("koppel %s, commit %s, gcc %s, %s\n\n", version(), commit(), __VERSION__,
              processor().c_str());
  std::printf("| model | method | operations | median, us | 99.9 %% | largest |\n");
  std::printf("| --- | --- | ---: | ---: | ---: | ---: |\n");
  const Case cases[] = {{"circular_track", "", "ggl", "linear-implicit:exact", 1e-3},
                        {"car_axle", "", "ggl", "linear-implicit:J1", 1e-3},
                        {"car_axle", "", "ggl", "linear-implicit:exact", 1e-3},
                        {"slider_crank", "natural", "ggl", "linear-implicit:exact", 1e-4},
                        {"andrews", "", "ggl", "linear-implicit:exact", 1e-5},
                        {"vehicle_trailer", "joint", "baumgarte", "linear-implicit:J1", 1e-3},
                        {"vehicle_trailer", "joint", "ggl", "linear-implicit:J1", 1e-3},
                        {"vehicle_trailer", "joint", "ggl", "linear-implicit:J1:stiff=auto", 1e-3},
                        {"car_axle", "", "index1", "rosenbrock", 1e-3},
                        {"vehicle_trailer", "joint", "index1", "rosenbrock", 1e-3}};
  for (const Case& c : cases) {
    const Ready ready = make(c);
    const Times times = measure(ready, c.step);
    print(c.model, fmt::format("{}, {}", c.formulation, c.integrator),
          ready.step->function().num_instructions(), times);
  }

  compare_with_hand(cases[1], folder);
  compare_with_others();
}

}  // namespace
}  // namespace koppel::benchmarks

int main() {
  const koppel::benchmarks::EmptyCache cache;
  koppel::benchmarks::run(cache.path());
}

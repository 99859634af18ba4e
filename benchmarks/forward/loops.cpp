// Closed loops.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <problems/andrews.hpp>
#include <problems/bricard.hpp>
#include <problems/four_bar.hpp>
#include <problems/rods.hpp>
#include <problems/slider_crank.hpp>

#include "benchmarks/expr/measure.hpp"
#include "sections.hpp"
#include "sides.hpp"
#include "simbody_side.hpp"

namespace koppel::benchmarks {
namespace {

using problems::SliderCrank;

const Way kTaylorTape{"natural", "index3", "taylor"};
const Way kTaylorNative{"natural", "index3", "taylor", Native::Cc};

// The slider is a point mass at the end of the rod, which is the same motion.
const char* const kHeavySliderCrankModel = R"(
name: heavy slider crank
dimension: 2
gravity: [0, -9.81]
bodies:
  crank:
    mass: 1
    shape: {rod: {from: [0, 0], to: [1, 0]}}
    points: {A: [1, 0]}
    angle: pi/4
  rod:
    mass: 3
    com: [4/3, 0]
    inertia: 4/3
    points: {B: [2, 0]}
    position: [cos(pi/4), sin(pi/4)]
    angle: -asin(sin(pi/4)/2)
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  B: {type: point-on-line, between: [ground, rod.B], axis: [1, 0]}
outputs: {Ax: crank.A.x, Ay: crank.A.y, Bx: rod.B.x}
)";

template <std::size_t count, typename State = std::vector<double>>
std::vector<double> first(const State& y) {
  return {y.begin(), y.begin() + count};
}

void add_loop_targets(const std::string& name, const Contest& contest) {
  add_speedup(name + ": IDA / koppel at 1e-6", contest.seconds("hand-written IDA", 1e-6),
              contest.seconds("koppel", 1e-6), 10);
  add_speedup(name + ": IDA / koppel at 1e-9", contest.seconds("hand-written IDA", 1e-9),
              contest.seconds("koppel", 1e-9), 30);
  if (contest.has("Simbody")) {
    add_speedup(name + ": Simbody / koppel at 1e-6", contest.seconds("Simbody", 1e-6),
                contest.seconds("koppel", 1e-6), 10);
  }
  for (const double accuracy : {1e-8, 1e-10}) {
    add_speedup(name + ": index 1 / koppel at " + scientific(accuracy),
                contest.seconds("hand-written index 1", accuracy),
                contest.seconds("koppel", accuracy), 5);
  }
}

void compare_slider_crank(const std::string& name, const SliderCrank& data, const Model& model,
                          const std::vector<double>& reference) {
  Contest contest(name, reference);
  if (contest.is_skipped()) return;
  const std::vector<std::string> outputs = {"Ax", "Ay", "Bx"};
  const std::vector<double> settings = tolerances(1e-3, 1e-15);
  enter_taylor(contest, "koppel, compiled", model, kTaylorNative, 10, outputs, settings);
  enter_taylor(contest, "koppel, generated", model, kTaylorTape, 10, outputs, settings);
  contest.enter(
      koppel_side("own order: koppel, generated", model, kTaylorTape, 10, outputs, settings));
  for (const int order : {12, 16, 20, 24}) {
    auto y = std::make_shared<SliderCrank::Vector>();
    auto count = std::make_shared<long>(0);
    contest.enter({"hand-written Taylor", tolerances(1e-2, 1e-15),
                   [=, &data](double tolerance) {
                     *y = data.start();
                     *count = integrate_taylor(data, *y, 10, tolerance, order);
                     return true;
                   },
                   [=] { return first<3, SliderCrank::Vector>(*y); }, [=] { return *count; }});
  }
  const auto rates = std::make_shared<problems::SliderCrankRates>(data);
  contest.enter(rk4_side("hand-written index 1, RK4", rates, data.start(), 10,
                         step_sizes(10, 1000, 1 << 22), first<3, SliderCrank::Vector>));
  contest.enter(adaptive_side("hand-written index 1, DOPRI5", rates, problems::dopri5(),
                              data.start(), 10, tolerances(1e-4, 1e-15),
                              first<3, SliderCrank::Vector>));
  contest.enter(
      ida_side(std::make_shared<problems::Rods>(problems::make_rods(data)), 10, first<3>));
#ifdef KOPPEL_HAS_SIMBODY
  contest.enter(simbody_slider_crank(data, 10));
#endif
  contest.print();
  add_loop_targets(name, contest);
  for (const double accuracy : {1e-6, 1e-9, 1e-11}) {
    const double by_hand = contest.seconds("hand-written Taylor", accuracy);
    add_slowdown(name + ": compiled / hand-written Taylor at " + scientific(accuracy),
                 contest.seconds("koppel, compiled", accuracy), by_hand, 2);
    add_slowdown(name + ": generated / hand-written Taylor at " + scientific(accuracy),
                 contest.seconds("koppel, generated", accuracy), by_hand, 10);
  }
  for (const double accuracy : {1e-6, 1e-9, 1e-12}) {
    add_slowdown(name + ": generated, own order / hand-written Taylor at " + scientific(accuracy),
                 contest.seconds("own order", accuracy),
                 contest.seconds("hand-written Taylor", accuracy), 1.3);
  }
}

void compare_slider_cranks() {
  compare_slider_crank("slider crank", problems::kThinSliderCrank, built_in("slider_crank"),
                       reference_end("slider_crank", {"Ax", "Ay", "Bx"}));
  SliderCrank::Vector y = problems::kHeavySliderCrank.start();
  integrate_taylor(problems::kHeavySliderCrank, y, 10, 1e-16, 28);
  compare_slider_crank("heavy slider crank", problems::kHeavySliderCrank,
                       read_model_text(kHeavySliderCrankModel, "heavy slider crank"),
                       {y[0], y[1], y[2]});
}

void compare_four_bar(std::size_t N, const std::vector<double>& reference) {
  const std::string name = "four-bar, N = " + std::to_string(N);
  Contest contest(name, reference);
  if (contest.is_skipped()) return;
  const Model model = built_in("four_bar", {{"N", std::to_string(N)}});
  const std::vector<std::string> outputs = {"xB0", "yB0"};
  const std::vector<double> settings = tolerances(1e-3, 1e-12);
  if (N < 10)
    enter_taylor(contest, "koppel, compiled", model, kTaylorNative, 10, outputs, settings);
  enter_taylor(contest, "koppel, generated", model, kTaylorTape, 10, outputs, settings);
  const auto rates = std::make_shared<problems::FourBar>(N);
  contest.enter(rk4_side("hand-written index 1, RK4", rates, rates->start(), 10,
                         step_sizes(10, 250, 1 << 20), first<2>));
  contest.enter(adaptive_side("hand-written index 1, DOPRI5", rates, problems::dopri5(),
                              rates->start(), 10, tolerances(1e-3, 1e-13), first<2>));
  contest.enter(
      ida_side(std::make_shared<problems::Rods>(problems::make_four_bar_rods(static_cast<int>(N))),
               10, first<2>));
#ifdef KOPPEL_HAS_SIMBODY
  if (N < 10) contest.enter(simbody_four_bar(N, 10));
#endif
  contest.print();
  add_loop_targets(name, contest);
  if (N == 40) {
    add_slowdown(name + ": koppel at 1e-9 / IDA at 1e-4", contest.seconds("koppel", 1e-9),
                 contest.seconds("hand-written IDA", 1e-4), 1);
  }
}

// Mechanisms whose equations Koppel also gives to the methods of the others, in native code.
// Index1, Ggl: the code by hand. `take`: the compared values from its state.
template <typename Index1, typename Ggl, typename Take>
void compare_by_hand(const std::string& name, const std::string& file,
                     const std::string& coordinates, double end,
                     const std::vector<std::string>& outputs, const Take& take) {
  Contest contest(name, reference_end(file, outputs));
  if (contest.is_skipped()) return;
  const Model model = built_in(file);
  const std::vector<double> settings = tolerances(1e-3, 1e-13);
  enter_taylor(contest, "koppel, compiled", model, {coordinates, "index3", "taylor", Native::Cc},
               end, outputs, settings);
  enter_taylor(contest, "koppel, generated", model, {coordinates, "index3", "taylor"}, end, outputs,
               settings);
  contest.enter(koppel_side("index 1 of koppel, DOP853", model,
                            {coordinates, "index1", "dop853", Native::Cc}, end, outputs, settings));
  contest.enter(koppel_side("IDA on ggl of koppel", model, {coordinates, "ggl", "ida", Native::Cc},
                            end, outputs, settings));
  const auto index1 = std::make_shared<Index1>();
  contest.enter(rk4_side("hand-written index 1, RK4", index1, Index1::start(), end,
                         step_sizes(end, 125, 1 << 20), take));
  contest.enter(adaptive_side("hand-written index 1, DOPRI5", index1, problems::dopri5(),
                              Index1::start(), end, settings, take, 1e-4 * end));
  contest.enter(ida_side(std::make_shared<Ggl>(), end, [take](const std::vector<double>& y) {
    typename Index1::State state;
    std::copy_n(y.begin(), state.size(), state.begin());
    return take(state);
  }));
  contest.print();
  add_loop_targets(name, contest);
}

void compare_bricard() {
  compare_by_hand<problems::Bricard, problems::BricardGgl>(
      "Bricard", "bricard", "natural", 10, {"xP3", "yP3", "zP3"},
      [](const problems::Bricard::State& y) {
        const auto P3 = problems::Bricard::P3(y);
        return std::vector<double>(P3.begin(), P3.end());
      });
}

void compare_andrews() {
  compare_by_hand<problems::Andrews, problems::AndrewsGgl>(
      "Andrews' squeezer", "andrews", "lagrange", 0.03,
      {"beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"},
      [](const problems::Andrews::State& y) {
        const auto angles = problems::Andrews::relative(y);
        return std::vector<double>(angles.begin(), angles.begin() + 7);
      });
}

}  // namespace

Model built_in(const std::string& name,
               const std::vector<std::pair<std::string, std::string>>& set) {
  return read_model(KOPPEL_MODELS + name + ".yaml", {.set = set});
}

std::vector<double> reference_end(const std::string& name,
                                  const std::vector<std::string>& columns) {
  std::ifstream file(KOPPEL_REFERENCE + name + ".csv");
  std::string line, last;
  std::getline(file, line);
  const auto split = [](const std::string& text) {
    std::vector<std::string> cells;
    std::istringstream stream(text);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    return cells;
  };
  const std::vector<std::string> names = split(line);
  while (std::getline(file, line)) last = line;
  const std::vector<std::string> values = split(last);
  std::vector<double> end;
  for (const std::string& column : columns) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == column) end.push_back(std::stod(values.at(i)));
    }
  }
  if (end.size() != columns.size()) throw Error("benchmark.no-column", "no such column in " + name);
  return end;
}

void report_loops() {
  if (selection().mechanism.empty()) print_heading("Closed loops");
  compare_slider_cranks();
  compare_four_bar(2, reference_end("four_bar", {"xB0", "yB0"}));
  compare_four_bar(40, {0.1805122266867283901, 0.9835727405823115749});
  compare_bricard();
  compare_andrews();
}

}  // namespace koppel::benchmarks

#include "benchmarks/validation/servo_navy.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "benchmarks/validation/servo_runs.hpp"
#include "benchmarks/validation/snapshots.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::print_head;
using benchmarks::print_row;
using benchmarks::write_figure;

// One motion of the thesis by `minimal-extension`, with the steps of its figures.
struct Motion {
  Crane crane;
  const char *name, *figures;  // those of the thesis
  std::vector<std::string> inputs, coordinates, multipliers;
  std::vector<double> steps;  // the first is shown with coordinates, all with inputs
  // Largest errors of the inputs by an independent program, for each step.
  const char* other;
};

const std::vector<std::string> kPlatform = {"pg0", "pg1", "pg2", "pg3", "pc1", "pc2", "pc3"},
                               kCables = {"lambda.cable1", "lambda.cable2", "lambda.cable3"},
                               kDrives = {"ug0", "ug1", "ug2", "ug3", "uc1", "uc2", "uc3"};

const std::vector<Motion>& motions() {
  static const std::vector<Motion> all = {
      {{"navy_crane_2d_massless"},
       "navy_2d_massless",
       "6.2 to 6.5",
       {"u1", "u2"},
       {"L1", "L2", "L0", "x0", "z0"},
       {"lambda.cable1", "lambda.cable0", "lambda.cable2"},
       {0.1, 0.01},
       "17.196, 17.414; 2.8778, 1.9083"},
      {{"navy_crane_2d"},
       "navy_2d",
       "6.7 to 6.10",
       {"u1", "u2", "u3"},
       {"L1", "L2", "L3", "L0", "x0"},
       {"lambda.cable1", "lambda.cable0", "lambda.cable3", "lambda.cable2"},
       {0.1, 0.01},
       "560.83, 53.07, 279.60; 61.740, 6.0988, 31.831"},
      {{"navy_crane_3d_massless"},
       "navy_3d_massless",
       "6.13, 6.14",
       {"u1", "u3", "u4"},
       {"L1", "L3", "L0", "x0", "y0", "z0", "x3", "y3"},
       {"lambda.cable1", "lambda.cable0", "lambda.pole", "lambda.cable3"},
       {0.1, 0.01},
       "0.1240, 0.0603, 9.216; 0.01647, 0.00790, 1.2575"},
      {{"navy_crane_3d", "", {{"n", "4"}}},
       "navy_3d",
       "6.16, 6.17",
       {"u1", "u2", "u3", "u4"},
       {"L1", "L2", "L3", "L0", "x0", "y0", "x3", "y3"},
       {"lambda.pole", "lambda.cable1", "lambda.cable2", "lambda.cable0", "lambda.cable3"},
       {0.1},
       ""},
      {{"cable_manipulator", "", {{"dx", "0"}, {"dy", "0"}, {"dz", "0"}, {"turn", "pi/3"}}},
       "manipulator_turn",
       "6.21 to 6.24",
       kDrives,
       kPlatform,
       kCables,
       {0.1, 0.01},
       ""},
      {{"cable_manipulator"},
       "manipulator_move",
       "6.25, 6.26",
       kDrives,
       kPlatform,
       kCables,
       {0.1, 0.01},
       "ug0 3.111"},
      {{"cable_manipulator",
        "",
        {{"turn", "1.5244035316"}, {"ex", "0.5675524"}, {"ey", "0.2904527"}, {"ez", "0.7704035"}}},
       "manipulator_both",
       "6.27 to 6.30",
       kDrives,
       kPlatform,
       kCables,
       {0.1, 0.01},
       ""},
  };
  return all;
}

// The errors of all columns together.
double worst_error(const Trajectory& exact, const Trajectory& stepped,
                   const std::vector<std::string>& columns) {
  double worst = 0;
  for (const std::string& name : columns) {
    worst = std::max(worst, largest_error(exact, stepped, name));
  }
  return worst;
}

void report_motion(const Motion& motion, std::vector<std::pair<std::string, Figure>>& plots) {
  const std::string name = std::string("inverse_") + motion.name;
  const Inverse smooth = solve(motion.crane, "flat", 0);
  Figure coordinates{std::string(motion.name) + ": coordinates", "t, s", "m", {}},
      inputs{std::string(motion.name) + ": inputs", "t, s", "N m", {}},
      multipliers{std::string(motion.name) + ": multipliers", "t, s", "N/m", {}};
  if (motion.crane.model == std::string("cable_manipulator")) inputs.y_label = "N, N m";
  add_exact(coordinates, smooth.trajectory, motion.coordinates);
  add_exact(inputs, smooth.trajectory, motion.inputs);
  add_exact(multipliers, smooth.trajectory, motion.multipliers);
  std::string steps, input_errors, coordinate_errors, multiplier_errors;
  for (std::size_t i = 0; i < motion.steps.size(); ++i) {
    const double step = motion.steps[i];
    const Trajectory exact = solve(motion.crane, "flat", step).trajectory;
    const Inverse stepped = solve(motion.crane, "minimal-extension", step);
    const std::string separator = i == 0 ? "" : "; ", label = fmt::format("step {:g} s", step);
    steps += separator + fmt::format("{:g}", step);
    input_errors += separator + errors_text(exact, stepped.trajectory, motion.inputs);
    if (stepped.status != Outcome::Status::Done) input_errors += ", ends early";
    coordinate_errors += separator + fmt::format("{:.0e}", worst_error(exact, stepped.trajectory,
                                                                       motion.coordinates));
    multiplier_errors += separator + fmt::format("{:.0e}", worst_error(exact, stepped.trajectory,
                                                                       motion.multipliers));
    if (i == 0) add_stepped(coordinates, stepped.trajectory, motion.coordinates, label, false);
    add_stepped(inputs, stepped.trajectory, motion.inputs, label, i > 0);
    if (i + 1 == motion.steps.size()) {
      add_stepped(multipliers, stepped.trajectory, motion.multipliers, label, false);
    }
  }
  std::string names;
  for (const std::string& u : motion.inputs) names += (names.empty() ? "" : ", ") + u;
  print_row({motion.figures, motion.crane.command("minimal-extension"), names, steps, input_errors,
             motion.other, coordinate_errors, multiplier_errors});
  std::fflush(stdout);
  plots.emplace_back(name + "_coordinates", std::move(coordinates));
  plots.emplace_back(name + "_inputs", std::move(inputs));
  plots.emplace_back(name + "_multipliers", std::move(multipliers));
  plots.emplace_back(name + "_snapshots",
                     make_snapshots(motion.crane.model, std::string(motion.name) + ": snapshots",
                                    smooth.trajectory));
}

double value_of(const Equations& e, const std::vector<Expr>& symbols,
                const std::vector<double>& values, const std::string& name) {
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].name() == name) return values[i];
  }
  throw std::runtime_error(e.model + " has no " + name);
}

// The error of u1 = J/r L̈₁ − … that backward Euler makes with exact lengths L₁ at the nodes,
//   J/r |(Lₙ − 2 Lₙ₋₁ + Lₙ₋₂)/h² − L̈ₙ|,     J/r² L̈ = u1/r + λ₁ L₁,                        (1)
// from rest at t = 0, where the length is that of the model's start: L₋₁ = L₀. `at` is when.
struct FromRest {
  double error = 0, at = 0;
};

FromRest error_from_rest(const Crane& crane, double step) {
  const Inverse exact = solve(crane, "flat", step);
  const Equations& e = exact.equations;
  const double J = value_of(e, e.p, e.p_value, "J"), r = value_of(e, e.p, e.p_value, "r");
  const Trajectory& y = exact.trajectory;
  double before = value_of(e, e.q, e.q_guess, "L1"), now = before;
  FromRest out;
  double last = 0;
  for (std::size_t i = 0; i < y.num_rows(); ++i) {
    if (y.time()[i] < last + step / 2) continue;  // the start, and rows that repeat it
    last = y.time()[i];
    const double next = y["L1"][i];
    const double exact_rate = r * r / J * (y["u1"][i] / r + y["lambda.cable1"][i] * next);
    const double error = J / r * std::abs((next - 2 * now + before) / (step * step) - exact_rate);
    if (error > out.error) out = {error, last};
    before = now;
    now = next;
  }
  return out;
}

void report_start() {
  std::puts(R"(
#### Why u1 of the massless cranes differs

At t = 0 cable 1 carries no load, so the height of the pulley is not determined and the equations are
singular. Koppel starts at the first node that can be solved, with the exact positions and velocities there.
The other program starts at rest at t = 0, at the limit of the position for t → 0. Its first velocities are
differences from that position, and the length of cable 1 changes fast there (its third derivative does not
vanish). Lengths are exact at all nodes, so u1 by backward Euler follows from the exact lengths. With the
start of the other program, by `validation FOLDER servo`:)");
  print_head({"crane", "step, s", "error of u1 from rest at t = 0", "at t, s", "another program"},
             5);
  const std::pair<const char*, std::vector<std::pair<double, const char*>>> cases[] = {
      {"navy_crane_2d_massless", {{0.1, "17.196"}, {0.01, "2.8778"}}},
      {"navy_crane_3d_massless", {{0.1, "0.1240"}, {0.01, "0.01647"}}}};
  for (const auto& [model, known] : cases) {
    for (const auto& [step, other] : known) {
      const FromRest found = error_from_rest({model}, step);
      print_row({fmt::format("`{}`", model), fmt::format("{:g}", step),
                 fmt::format("{:.5g}", found.error), fmt::format("{:.3g}", found.at), other});
    }
  }
  std::puts("\nFrom the third node on, both have the same velocities and the same errors.");
}

// Index 7: which methods solve it, with a motion that is smooth enough (n = 6).
void report_index_seven() {
  const Crane crane{"navy_crane_3d"};
  const std::vector<std::string> inputs = {"u1", "u2", "u3", "u4"};
  std::puts(R"(
#### Index 7

The crane in space with a heavy pulley has index 7. The motion of the thesis (n = 4) has jumps in its fifth
derivatives, so the torque u4 would need impulses at 0, 5, 15 and 20 s; figure 6.16 of the thesis uses a step of
0.1 s and does not show them. With a smoother motion (n = 6, the default of the model) `minimal-extension:twice`
agrees with `flat` at the nodes, while with `minimal-extension` the slewing coordinates x3 and y3 are only accurate
to first order. Errors at the nodes:)");
  print_head({"command", "u1, u2, u3, u4", "x3, y3"}, 3);
  for (const char* method : {"minimal-extension:twice", "minimal-extension"}) {
    for (const double step : {0.1, 0.05}) {
      const Trajectory exact = solve(crane, "flat", step).trajectory,
                       stepped = solve(crane, method, step).trajectory;
      print_row({crane.command(method, step), errors_text(exact, stepped, inputs),
                 errors_text(exact, stepped, {"x3", "y3"})});
    }
  }
}

}  // namespace

void report_navy(const std::string& figures) {
  std::puts(R"(
### US Navy cranes and the cable manipulator

Chapter 6: coordinates, inputs, multipliers and snapshots. *Coordinates* and *multipliers* are the largest
errors of each kind. Multipliers that balance the accelerations of masses (heavy pulleys, the pole) are
computed by differences like the inputs, and have errors of first order.)");
  print_head({"figures", "command", "inputs", "steps, s", "error", "another program", "coordinates",
              "multipliers"},
             8);
  std::vector<std::pair<std::string, Figure>> plots;
  for (const Motion& motion : motions()) report_motion(motion, plots);
  report_start();
  report_index_seven();
  std::puts("\n#### Figures of chapter 6");
  for (const auto& [name, figure] : plots) write_figure(figures, name, figure);
}

}  // namespace koppel::problems

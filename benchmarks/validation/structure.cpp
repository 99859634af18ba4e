#include "benchmarks/validation/structure.hpp"

#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <koppel/model/yaml/read_model.hpp>
#include <problems/structure.hpp>
#include <problems/validation.hpp>

#include "benchmarks/validation/figure.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::Line;
using benchmarks::print_head;
using benchmarks::print_row;
using benchmarks::write_figure;

std::string size_text(double x) { return fmt::format("{:.1e}", x); }

std::vector<double> vector_of(std::span<const double> x) { return {x.begin(), x.end()}; }

std::vector<double> changes(std::span<const double> x) {
  std::vector<double> out;
  for (const double value : x) out.push_back(value - x[0]);
  return out;
}

void report_orders() {
  std::puts(R"(
### Orders

The error of all outputs at the end is measured with a step and with half of it; the order is log₂ of the
ratio. The double pendulum is in joint coordinates (no constraints), the slider crank and the heavy top are
in natural coordinates, with the formulation of the table. The reference is a Taylor series at tolerance 1e-13.)");
  print_head({"integrator", "formulation", "order", "double pendulum", "slider crank", "heavy top"},
             6);
  std::vector<Model> models;
  std::vector<std::vector<double>> exact;
  for (const Mechanism& mechanism : mechanisms()) {
    models.push_back(read_mechanism(mechanism.model));
    exact.push_back(exact_end(models.back(), mechanism.end));
  }
  for (const Method& method : methods()) {
    std::vector<std::string> cells = {"`" + method.integrator + "`", "`" + method.formulation + "`",
                                      std::to_string(method.order)};
    for (std::size_t i = 0; i < models.size(); ++i) {
      const Mechanism& m = mechanisms()[i];
      const std::string formulation = m.coordinates == "joint" ? "minimal" : method.formulation;
      const MeasuredOrder found = measure_order(
          models[i], {m.coordinates, formulation, method.integrator, m.step(method.order)}, m.end,
          exact[i]);
      cells.push_back(fmt::format("{:.2f} ({:.1e})", found.order(), found.fine));
    }
    print_row(cells);
  }
}

void report_crane(const std::string& figures) {
  std::puts(R"(
### Rotary crane

Section 2.4 of [Yang 2017]: the crane turns at 1 rad/s and moves freely for 1 s, while the load unwinds the
cable. Figures 2.7 (midpoint rule in five coordinates, step 1e-4 s) and 2.10 (energy-momentum in directors,
step 0.01 s) show constant energy and vertical angular momentum. The thesis prints no numbers; those under
*another program* come from an independent one.)");
  print_head({"coordinates", "integrator", "step", "energy, J", "its change", "momentum's change",
              "cable at 1 s, m", "another program"},
             8);
  const Model minimal = read_model(KOPPEL_SOURCE "/tests/simulate/rotary_crane_5.yaml");
  const Model bodies = read_mechanism("rotary_crane_released", {.set = {{"J_p", "16.66"}}});
  struct Run {
    const Model& model;
    const char *coordinates, *integrator;
    double step;
    const char* other;
  };
  Figure energy{"Energy of the rotary crane, change in J", "t, s", "J", {}, true};
  for (const Run& run :
       {Run{minimal, "", "midpoint", 1e-2, "9.08758, change 2.6e-4 J"},
        {minimal, "", "midpoint", 1e-3, "9.08757826, change 2.6e-6 J"},
        {minimal, "", "midpoint", 1e-4, ""},
        {bodies, "directors", "energy-momentum", 1e-2, "9.06146, change 3.5e-11 J"},
        {bodies, "directors", "energy-momentum", 5e-3, "9.08120, change 6e-11 J"},
        {bodies, "directors", "energy-momentum", 1e-3, "9.08733, change 8e-10 J"},
        {bodies, "directors", "variational", 1e-2, ""},
        {bodies, "directors", "generalized-alpha", 1e-2, ""}}) {
    const std::string formulation = *run.coordinates == '\0' ? "minimal" : "index3";
    const Simulation s =
        simulate_steps(run.model, {run.coordinates, formulation, run.integrator, run.step}, 1);
    const Change change = change_of(s.trajectory["energy"]);
    const bool has_vectors = formulation == "index3";
    print_row({has_vectors ? "directors" : "five", std::string("`") + run.integrator + "`",
               fmt::format("{:g}", run.step), fmt::format("{:.3f}", change.start),
               size_text(change.largest),
               has_vectors ? size_text(change_of(vertical_momentum(s)).largest) : "",
               fmt::format("{:.7f}", s.trajectory["l"].back()), run.other});
    if (run.step == 1e-2) {
      energy.lines.push_back(
          {run.integrator, vector_of(s.trajectory.time()), changes(s.trajectory["energy"])});
    }
  }
  write_figure(figures, "rotary_crane_energy", energy);
}

constexpr double kTorque = 0.033;

// T + V − torque · (β − β₀), less what it is at the start.
std::vector<double> balance(const Simulation& s) {
  std::vector<double> out = changes(s.trajectory["energy"]);
  const auto beta = s.trajectory["beta"];
  for (std::size_t i = 0; i < out.size(); ++i) out[i] -= kTorque * (beta[i] - beta[0]);
  return out;
}

void report_squeezer(const std::string& figures) {
  std::puts(R"(
### Andrews' squeezer

Section 3.5 of [Yang 2017], with its rounded data (`models/squeezer.yaml`), in directors. Figures 3.2
and 3.3 show the motion, figures 3.4 to 3.7 the energy balance, kinetic + spring − torque × angle, for two
steps. Energy-momentum satisfies it to round-off; the error of the others falls with the square of the step.
With the midpoint rule and implicit Euler the other program determines the crank angle by a constraint, Koppel
by integrating its rate, so the angles differ by the errors of the methods.)");
  print_head({"integrator", "formulation", "step", "β(0.03)", "balance, J", "another program"}, 6);
  const Model model = read_mechanism("squeezer");
  struct Run {
    const char *integrator, *formulation, *coarse, *fine;
  };
  Figure coarse{"Balance of energy at a step of 3e-4 s, J", "t, s", "J", {}, true};
  Figure fine = coarse, motion{"Displacement of P, mm", "t, s", "mm", {}};
  fine.title = "Balance of energy at a step of 3e-5 s, J";
  for (const Run& run : {Run{"energy-momentum", "index3", "15.74833, 3.4e-14", "15.83113, 2.3e-13"},
                         {"generalized-alpha", "index3", "", ""},
                         {"generalized-alpha", "ggl", "", ""},
                         {"variational", "index3", "", ""},
                         {"midpoint", "index3", "15.71119, 4.0e-3", ""},
                         {"implicit-euler", "index3", "3.74085, 1.0", "11.93900, 0.35"}}) {
    for (const double step : {3e-4, 3e-5}) {
      const Simulation s =
          simulate_steps(model, {"directors", run.formulation, run.integrator, step}, 0.03);
      const std::vector<double> error = balance(s);
      print_row({std::string("`") + run.integrator + "`", std::string("`") + run.formulation + "`",
                 fmt::format("{:g}", step), fmt::format("{:.5f}", s.trajectory["beta"].back()),
                 size_text(change_of(error).largest), step == 3e-4 ? run.coarse : run.fine});
      const std::vector<double> time = vector_of(s.trajectory.time());
      const bool is_shown = std::string_view(run.formulation) == "index3" &&
                            std::string_view(run.integrator) != "midpoint" &&
                            std::string_view(run.integrator) != "implicit-euler";
      if (is_shown) (step == 3e-4 ? coarse : fine).lines.push_back({run.integrator, time, error});
      if (step == 3e-5 && motion.lines.empty()) {
        for (const char* name : {"dPx", "dPy"}) {
          Line line{name, time, vector_of(s.trajectory[name])};
          for (double& y : line.y) y *= 1e3;
          motion.lines.push_back(line);
        }
      }
    }
  }
  std::puts(R"(
The angle β in rad by energy-momentum with a step of 3e-5 s, and by another program:)");
  print_head({"t, ms", "β", "another program"}, 3);
  const Simulation s =
      simulate_steps(model, {"directors", "index3", "energy-momentum", 3e-5}, 0.03);
  const double known[] = {.0145173, .4023421, 1.5458617, 3.9348590, 5.6633164};
  for (int i = 0; i < 5; ++i) {
    const auto at = static_cast<std::size_t>(100 * (i + 1));
    print_row({std::to_string(3 * (i + 1)), fmt::format("{:.7f}", s.trajectory["beta"][at]),
               fmt::format("{:.7f}", known[i])});
  }
  write_figure(figures, "squeezer_motion", motion);
  write_figure(figures, "squeezer_balance_coarse", coarse);
  write_figure(figures, "squeezer_balance_fine", fine);
}

}  // namespace

void report_structure(const std::string& figures) {
  std::puts(R"(
## Integrators that preserve structure

Comparison with chapters 2 and 3 of [Yang 2017], with fixed steps. `tests/simulate/structure_test.cpp` and
`rotationless_test.cpp` check these results, and also symplecticity and momenta. Made by
`validation FOLDER structure`; a run is `koppel run MODEL --coordinates … --formulation … --integrator …
--step …`.)");
  report_orders();
  report_crane(figures);
  report_squeezer(figures);
}

}  // namespace koppel::problems

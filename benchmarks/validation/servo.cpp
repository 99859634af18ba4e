#include "benchmarks/validation/servo.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include <koppel/control/inverse.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "benchmarks/validation/figure.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::Line;
using benchmarks::print_head;
using benchmarks::print_row;
using benchmarks::write_figure;
using Settings = std::vector<std::pair<std::string, std::string>>;

// One motion of the thesis, with its two steps.
struct Motion {
  const char *model, *name, *figures;  // those of the thesis
  Settings set;
  std::vector<std::string> inputs;
  double coarse, fine;
  // Largest errors of the inputs by an independent program: with the coarse and the fine step.
  const char* other;
};

const std::vector<Motion>& motions() {
  static const std::vector<Motion> all = {
      {"overhead_crane",
       "overhead_crane",
       "4.3, 4.4, 5.3, 5.4",
       {},
       {"F_t", "M_w"},
       0.1,
       0.01,
       "70.0430, 3.84385; 11.5154, 0.437574"},
      {"rotary_crane",
       "rotary_crane",
       "4.8, 4.9, 5.7, 5.8, 5.12, 5.13",
       {},
       {"M_b", "F_t", "M_w"},
       1,
       0.1,
       "38.6055, 0.98753, 0.053085; 4.30878, 0.247651, 0.0061996"},
      {"navy_crane_2d_massless",
       "navy_crane_2d_massless",
       "6.2 to 6.4",
       {},
       {"u1", "u2"},
       0.1,
       0.01,
       "17.196, 17.414; 2.8778, 1.9083"},
      {"navy_crane_2d",
       "navy_crane_2d",
       "6.7 to 6.9",
       {},
       {"u1", "u2", "u3"},
       0.1,
       0.01,
       "560.83, 53.07, 279.60; 61.740, 6.0988, 31.831"},
      {"navy_crane_3d_massless",
       "navy_crane_3d_massless",
       "6.13",
       {},
       {"u1", "u3", "u4"},
       0.1,
       0.01,
       "0.1240, 0.0603, 9.216; 0.01647, 0.00790, 1.2575"},
      {"navy_crane_3d", "navy_crane_3d", "6.16", {}, {"u1", "u2", "u3", "u4"}, 0, 0, ""},
      {"cable_manipulator",
       "cable_manipulator_turn",
       "6.21 to 6.24",
       {{"dx", "0"}, {"dy", "0"}, {"dz", "0"}, {"turn", "pi/3"}},
       {"ug0", "ug1", "ug2", "ug3", "uc1", "uc2", "uc3"},
       0.1,
       0.05,
       ""},
      {"cable_manipulator",
       "cable_manipulator_move",
       "6.25, 6.26",
       {},
       {"ug0", "ug1", "uc1"},
       0.1,
       0.05,
       "ug0 3.111; 1.671"},
      {"cable_manipulator",
       "cable_manipulator_both",
       "6.27 to 6.30",
       {{"turn", "1.5244035316"}, {"ex", "0.5675524"}, {"ey", "0.2904527"}, {"ez", "0.7704035"}},
       {"ug0", "ug1", "ug2", "ug3", "uc1", "uc2", "uc3"},
       0.1,
       0.05,
       ""},
  };
  return all;
}

Inverse solve(const Model& model, const std::string& method, double step) {
  InverseOptions options = inverse_options_of(model);
  options.method = method;
  if (step > 0) {
    options.step = step;
    options.sampling.count = static_cast<int>(std::lround(options.end / step)) + 1;
  }
  return inverse(model, options);
}

// The largest |a − b| of a column at the times that both have.
double error(const Trajectory& a, const Trajectory& b, const std::string& name) {
  const std::size_t count = std::min(a.num_rows(), b.num_rows());
  double largest = 0;
  for (std::size_t i = 1; i <= count; ++i) {
    if (std::abs(a.time()[a.num_rows() - i] - b.time()[b.num_rows() - i]) > 1e-9) continue;
    largest = std::max(largest, std::abs(a[name][a.num_rows() - i] - b[name][b.num_rows() - i]));
  }
  return largest;
}

Line line(const std::string& name, const Trajectory& trajectory, const std::string& column,
          bool is_dashed) {
  const auto t = trajectory.time(), y = trajectory[column];
  return {name, {t.begin(), t.end()}, {y.begin(), y.end()}, is_dashed};
}

std::string join(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) out += (out.empty() ? "" : ", ") + fmt::format("{:.6g}", value);
  return out;
}

}  // namespace

void report_servo(const std::string& figures) {
  std::puts(R"(
## Inverse dynamics

The cranes and the cable manipulator of [Yang 2017, chapters 4 to 6]: the inputs for prescribed motions
of the load, by `flat` (exact) and by `minimal-extension` with implicit Euler at two steps, as in the
figures of the thesis, which prints no numbers. *Error* is the largest difference of each input from
`flat` at the nodes, with the coarse and the fine step; *another program* has the same numbers from an
independent one. Coordinates are those of the model files; those that the prescribed motion determines
are exact for any step (*coordinates*). The heavy pulley in space is of index 7, which only `flat` solves.)");
  print_head({"motion", "figures", "inputs", "steps, s", "error", "another program", "coordinates"},
             7);
  std::vector<std::pair<std::string, Figure>> plots;
  for (const Motion& motion : motions()) {
    const Model model = read_model(fmt::format("{}/models/{}.yaml", KOPPEL_SOURCE, motion.model),
                                   {.set = motion.set});
    Figure figure{fmt::format("Inputs of {}", motion.name), "t, s", "N, N m", {}};
    const Inverse exact = solve(model, "flat", 0);
    for (const std::string& u : motion.inputs) {
      figure.lines.push_back(line(u, exact.trajectory, u, false));
    }
    std::string errors, coordinates;
    double worst = 0;
    for (const double step : {motion.coarse, motion.fine}) {
      if (step == 0) continue;
      const Inverse at_nodes = solve(model, "flat", step),
                    stepped = solve(model, "minimal-extension", step);
      std::vector<double> found;
      for (const std::string& u : motion.inputs) {
        found.push_back(error(at_nodes.trajectory, stepped.trajectory, u));
        if (step == motion.coarse) {
          figure.lines.push_back(
              line(fmt::format("{}, step {:g} s", u, step), stepped.trajectory, u, true));
        }
      }
      errors += (errors.empty() ? "" : "; ") + join(found);
      if (stepped.status != Outcome::Status::Done) errors += ", ends early";
      for (const NamedExpr& output : stepped.equations.outputs) {
        worst = std::max(worst, error(at_nodes.trajectory, stepped.trajectory, output.name));
      }
      coordinates = fmt::format("{:.0e}", worst);
    }
    std::string names;
    for (const std::string& u : motion.inputs) names += (names.empty() ? "" : ", ") + u;
    print_row({fmt::format("`{}`", motion.name), motion.figures, names,
               motion.coarse > 0 ? fmt::format("{:g}; {:g}", motion.coarse, motion.fine) : "",
               errors, motion.other, coordinates});
    plots.emplace_back("inverse_" + std::string(motion.name), std::move(figure));
  }
  for (const auto& [name, figure] : plots) write_figure(figures, name, figure);
}

}  // namespace koppel::problems

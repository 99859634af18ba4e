#include "benchmarks/validation/servo.hpp"

#include <cstdio>

#include <fmt/format.h>

#include "benchmarks/validation/servo_navy.hpp"
#include "benchmarks/validation/servo_runs.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::print_head;
using benchmarks::print_row;
using benchmarks::write_figure;

// A form of the equations of a crane, as the thesis calls it.
struct Form {
  const char* name;
  Crane crane;
  const char* method;
  // Largest errors of the inputs by an independent program, for the coarse and the fine step.
  const char *coarse, *fine;
};

// A crane by several forms with two steps, and the figures of the thesis that show them.
struct Study {
  const char *title, *file;
  const char *coarse_figure, *fine_figure;  // of the thesis
  double coarse, fine;
  std::vector<std::string> inputs, coordinates;
  std::vector<Form> forms;
};

// The data of chapter 4: those of tables 2.1 and 2.2.
const std::vector<std::pair<std::string, std::string>> kLight = {
    {"J_b", "19.01"}, {"m_t", "53"}, {"J_w", "0.02"}, {"m", "10"}};

const std::vector<Study>& projected() {
  static const std::vector<Study> all = {
      {"Overhead crane, projected",
       "overhead_projected",
       "4.3",
       "4.4",
       0.1,
       0.001,
       {"F_t", "M_w"},
       {"s", "l"},
       {{"GEN", {"overhead_crane_minimal"}, "projection", "70.0424, 2.80690", "1.25660, 0.0294307"},
        {"RED", {"overhead_crane"}, "projection", "70.0430, 3.84385", "1.25660, 0.0438035"},
        {"ALT",
         {"overhead_crane"},
         "projection:null-space",
         "70.0424, 2.49623",
         "1.25660, 0.0272272"}}},
      {"Rotary crane, projected",
       "rotary_projected",
       "4.8",
       "4.9",
       0.1,
       0.005,
       {"M_b", "F_t", "M_w"},
       {"phi", "s", "l"},
       {{"GEN", {"rotary_crane_minimal", "", kLight}, "projection", "1.79224, 1.31255, 2.0e-5", ""},
        {"RED",
         {"rotary_crane_bodies", "directors"},
         "projection",
         "1.955, 1.304, 0.0166",
         "0.12068, 0.08328, 0.00084"},
        {"ALT",
         {"rotary_crane",
          "",
          kLight,
          {"cable", "sqrt((x - s*cos(phi))^2 + (y - s*sin(phi))^2 + z^2) - l"}},
         "projection:null-space",
         "1.79224, 1.31255, 6.8e-5",
         ""},
        {"ALT, model file", {"rotary_crane", "", kLight}, "projection:null-space", "", ""}}}};
  return all;
}

const std::vector<Study>& extended() {
  static const std::vector<Study> all = {
      {"Overhead crane, extended",
       "overhead_extended",
       "5.3",
       "5.4",
       0.1,
       0.01,
       {"F_t", "M_w"},
       {"s", "l"},
       {{"NUM", {"overhead_crane"}, "minimal-extension", "70.0430, 3.84385", "11.5154, 0.437574"}}},
      {"Rotary crane, extended",
       "rotary_extended",
       "5.7",
       "5.8",
       1,
       0.1,
       {"M_b", "F_t", "M_w"},
       {"phi", "s", "l"},
       {{"NUM",
         {"rotary_crane"},
         "minimal-extension",
         "38.6055, 0.98753, 0.053085",
         "4.30878, 0.247651, 0.0061996"}}},
      {"Rotary crane in ten coordinates",
       "rotary_winches",
       "5.12",
       "5.13, 5.14",
       1,
       0.1,
       {"M_b", "F_t", "M_w"},
       {"phi", "s", "l"},
       {{"NUM",
         {"rotary_crane_winches"},
         "minimal-extension",
         "54.380, 0.960375, 0.0530848",
         "6.33945, 0.245959, 0.00619962"}}},
  };
  return all;
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// Rows of the table, and the figures; each form is compared with its own exact solution.
void report_study(const Study& study, std::vector<std::pair<std::string, Figure>>& plots) {
  for (const double step : {study.coarse, study.fine}) {
    const bool is_coarse = step == study.coarse;
    const std::string suffix = is_coarse ? "_coarse" : "_fine",
                      at = fmt::format(", step {:g} s", step);
    Figure inputs{study.title + at + ": inputs", "t, s", "N, N m", {}};
    Figure coordinates{study.title + at + ": coordinates", "t, s", "m, rad", {}};
    for (std::size_t i = 0; i < study.forms.size(); ++i) {
      const Form& form = study.forms[i];
      const Inverse exact = solve(form.crane, "flat", step),
                    stepped = solve(form.crane, form.method, step);
      double worst = 0;
      for (const std::string& name : study.coordinates) {
        worst = std::max(worst, largest_error(exact.trajectory, stepped.trajectory, name));
      }
      const bool is_done = stepped.status == Outcome::Status::Done;
      print_row({is_coarse ? study.coarse_figure : study.fine_figure, form.name,
                 form.crane.command(form.method, step), joined(study.inputs),
                 errors_text(exact.trajectory, stepped.trajectory, study.inputs) +
                     (is_done ? "" : ", ends early"),
                 is_coarse ? form.coarse : form.fine, fmt::format("{:.0e}", worst)});
      if (i == 0) {
        const Inverse smooth = solve(form.crane, "flat", 0);
        add_exact(inputs, smooth.trajectory, study.inputs);
        add_exact(coordinates, smooth.trajectory, study.coordinates);
      }
      add_stepped(inputs, stepped.trajectory, study.inputs, form.name, i % 2 == 1);
      add_stepped(coordinates, stepped.trajectory, study.coordinates, form.name, i % 2 == 1);
    }
    plots.emplace_back("inverse_" + std::string(study.file) + suffix, std::move(inputs));
    if (is_coarse) {
      plots.emplace_back("inverse_" + std::string(study.file) + "_coordinates",
                         std::move(coordinates));
    }
  }
}

// Figure 5.14: the ten coordinates.
Figure extended_coordinates() {
  const Crane crane{"rotary_crane_winches"};
  const std::vector<std::string> columns = {"x2", "y2", "x0", "y0", "L1", "L2", "L0"};
  Figure figure{"Rotary crane in ten coordinates, step 0.1 s", "t, s", "m", {}};
  add_exact(figure, solve(crane, "flat", 0).trajectory, columns);
  add_stepped(figure, solve(crane, "minimal-extension", 0.1).trajectory, columns, "NUM", false);
  return figure;
}

void report_studies(const std::vector<Study>& studies, const std::string& figures,
                    const char* more) {
  print_head({"figure", "form", "command", "inputs", "error", "another program", "coordinates"}, 7);
  std::vector<std::pair<std::string, Figure>> plots;
  for (const Study& study : studies) report_study(study, plots);
  for (const auto& [name, figure] : plots) write_figure(figures, name, figure);
  if (more != nullptr) write_figure(figures, more, extended_coordinates());
}

}  // namespace

void report_servo(const std::string& figures) {
  std::puts(R"(
## Inverse dynamics

This section computes the inputs for prescribed motions of the load, for the cranes and the cable manipulator of
[Yang 2017, chapters 4 to 6]. The thesis shows curves and prints no numbers. The runs are those of its figures: the
same form of the equations, and implicit Euler with the same step. The figures show the exact solution by `flat`
(REF in the thesis) as solid lines. *Error* is the largest difference of each input from it at the nodes. *Another
program* gives the same numbers from an independent program. *Coordinates* is the largest error of the coordinates
shown: the prescribed motion determines them, so they are exact for any step. Made by `validation FOLDER servo`,
which runs the commands in the tables.

### Projected formulations

Chapter 4: GEN uses minimal coordinates, RED redundant and ALT dependent ones. The rotary crane has the data of
tables 2.1 and 2.2. The thesis reports an unexplained difference of about 0.1 in ALT that does not vanish; in Koppel
ALT converges like the others. The thesis states the cable constraint of ALT as a difference of lengths, the model
file as a difference of squares, for which the small error of M_w is different. RED of the other program stops
before 20 s, where the pillar angle that it adds becomes singular; Koppel does not stop.)");
  report_studies(projected(), figures, nullptr);
  std::puts(R"(
### Minimal extension

Chapter 5, with four, six and ten coordinates.)");
  report_studies(extended(), figures, "inverse_rotary_winches_ten");
  report_navy(figures);
}

}  // namespace koppel::problems

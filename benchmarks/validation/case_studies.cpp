#include "benchmarks/validation/case_studies.hpp"

#include <cstdio>
#include <vector>

#include <fmt/format.h>

#include <koppel/simulate/simulate.hpp>

#include "benchmarks/validation/figure.hpp"
#include "benchmarks/validation/measure.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::Line;
using benchmarks::print_head;
using benchmarks::print_row;
using benchmarks::write_figure;

// What else there is to know about the numbers of a study.
std::string remark(const CaseStudy& study, const Agreement& known) {
  if (study.kind == CaseStudy::Kind::Another) {
    return fmt::format(
        "[models/{0}.yaml](../models/{0}.yaml). The known motion is the one on which natural and "
        "absolute coordinates,\n`taylor` on `index3` and `dop853` on `index1` agree at 1e-12: they "
        "differ from their mean by at most {1:.1e} m\nat any time. The suspension comes to rest "
        "before the end, where the digits are limited by round-off.",
        study.model, known.difference);
  }
  if (study.kind == CaseStudy::Kind::OwnData) {
    return fmt::format(
        "The thesis does not print all data. [models/{0}.yaml](../models/{0}.yaml) has the printed "
        "values and marks those\nthat we chose. The digits and seconds of the thesis belong to "
        "other data and are not shown. The known motion comes\nfrom an independent program "
        "([tests/reference/{0}.py](../tests/reference/{0}.py)).",
        study.model);
  }
  if (study.model == "bricard") {
    return fmt::format(
        "At the end the mechanism is nearly back where it started, and zP3 is only {:.1e} m. "
        "Counted by column, as the\nthesis defines its digits, Koppel has far fewer than "
        "published; counted as a vector, as many or more. Other\ncoordinates are zero there, and "
        "the thesis does not say how it treated them.",
        known.motion["zP3"].back());
  }
  if (study.model == "flyball_governor") {
    return "This model is stiff. The Taylor series is explicit, so the fastest motion limits its "
           "steps at every\ntolerance, and at loose tolerances it is more accurate than requested. "
           "The digits are those of the slider E\nand the tip B of a rod.";
  }
  return "";
}

struct Timing {
  std::string title;
  double published[2], ours[2];
};

struct Found {
  std::vector<Timing> timings;
  std::vector<std::string> shortfalls;
  int num_compared = 0;
};

std::string command_of(const CaseStudy& study, double tolerance) {
  return fmt::format(
      "`koppel run {} --coordinates natural --formulation index3 --integrator taylor --tol {}`",
      study.model, power(tolerance));
}

// The four tolerances in both sets of coordinates. Errors over time go to the figure.
void print_table(const CaseStudy& study, const Trajectory& known, Figure& errors, Found& found) {
  const Model model = read_mechanism(study.model);
  std::vector<std::string> head = {"tolerance"};
  if (study.is_published()) head.emplace_back("published");
  for (const char* set : {"natural", "absolute"}) {
    head.insert(head.end(), {set, "vector", "over time", "steps", "ms"});
  }
  print_head(head, 0);
  Timing timing{study.title, {study.seconds[0], study.seconds[1]}, {0, 0}};
  for (int i = 0; i < 4; ++i) {
    const double tolerance = study.tolerances[i];
    std::vector<std::string> row = {power(tolerance)};
    if (study.is_published()) row.push_back(fmt::format("{:.2f}", study.digits[i]));
    for (const std::string coordinates : {"natural", "absolute"}) {
      const Comparison c =
          measure(model, {coordinates, "index3", "taylor", tolerance}, known, study.positions);
      if (!c.is_done) {
        row.insert(row.end(), {fmt::format("stops at {:.3g} s", c.reached), "", "", "", ""});
        continue;
      }
      const double ours = study.digits_of(c);
      row.insert(row.end(),
                 {fmt::format("{:.2f}", ours), fmt::format("{:.2f}", digits(c.end_as_vector)),
                  error_text(c.over_time), std::to_string(c.steps), milliseconds(c.seconds)});
      if (study.is_published()) {
        ++found.num_compared;
        if (ours < study.digits[i] - 0.005) {  // published in hundredths
          found.shortfalls.push_back(fmt::format("{}, {} coordinates, {}: {:.2f} of {:.2f}",
                                                 study.title, coordinates, power(tolerance), ours,
                                                 study.digits[i]));
        }
      }
      if (coordinates == "natural") {
        Line line{power(tolerance), {known.time().begin(), known.time().end()}, c.vector_errors};
        for (double& error : line.y) {
          if (error < 1e-17) error = 0;  // the start: left out
        }
        errors.lines.push_back(std::move(line));
        if (power(tolerance) == "1e-6") timing.ours[0] = c.seconds;
        if (power(tolerance) == "1e-10") timing.ours[1] = c.seconds;
      }
    }
    print_row(row);
  }
  if (study.is_published()) found.timings.push_back(timing);
}

// The motion over time, by `taylor` at 1e-10. Suspensions move little: changes since the start, in
// mm.
std::vector<Figure> histories_of(const CaseStudy& study) {
  const Model model = read_mechanism(study.model);
  SimulateOptions options = options_of(model);
  options.end = study.shown_until;
  options.tolerance = 1e-10;
  options.sampling.count = 1001;
  const Trajectory motion = simulate(model, options).trajectory;
  const bool shows_changes = study.kind == CaseStudy::Kind::OwnData;
  Figure figure{study.title + (shows_changes ? ": positions since the start" : ": positions"),
                "t, s",
                shows_changes ? "mm" : "m",
                {}},
      angle{study.title + ": camber", "t, s", "°", {}};
  for (const std::string& name : study.shown) {
    const auto y = motion[name], t = motion.time();
    Line line{name, {t.begin(), t.end()}, {y.begin(), y.end()}};
    if (name == "camber") {
      angle.lines.push_back(line);
      continue;
    }
    for (double& value : line.y) value = shows_changes ? 1e3 * (value - y[0]) : value;
    figure.lines.push_back(line);
  }
  std::vector<Figure> out = {figure};
  if (!angle.lines.empty()) out.push_back(angle);
  return out;
}

void report_one(const CaseStudy& study, const std::string& figures, Found& found) {
  const Agreement known = motion_of(study);
  fmt::print("\n{} {}\n", study.kind == CaseStudy::Kind::Another ? "####" : "###", study.title);
  if (const std::string text = remark(study, known); !text.empty()) {
    fmt::print("\n{}\n", text);
  }
  Figure errors{study.title + ": global error of natural coordinates", "t, s", "", {}, true};
  print_table(study, known.motion, errors, found);
  if (study.shown.empty()) return;
  fmt::print(
      "\nFigures {} of the thesis: motion and global error (4.3.2). {} and the other "
      "tolerances.\n",
      study.figures, command_of(study, study.tolerances[0]));
  const std::vector<Figure> histories = histories_of(study);
  for (std::size_t i = 0; i < histories.size(); ++i) {
    write_figure(figures, "history_" + study.model + (i == 0 ? "" : "_camber"), histories[i]);
  }
  write_figure(figures, "error_" + study.model, errors);
}

void print_summary(const Found& found) {
  if (found.shortfalls.empty()) {
    std::puts("\nAll published digits are reached.");
  } else {
    fmt::print(
        "\n### Fewer digits than published\n\n{} of {} comparisons, by column as the thesis "
        "defines its digits:\n\n",
        found.shortfalls.size(), found.num_compared);
    for (const std::string& text : found.shortfalls) fmt::print("- {}\n", text);
  }
  std::puts(
      "\n### Seconds\n\nSeconds for the five mechanisms with complete data. The published times are "
      "of whole executions on a 3.2 GHz\nprocessor; ours are of the integration with its output "
      "rows, in natural coordinates.");
  print_head({"mechanism", "published, 1e-6", "ours", "published, 1e-10", "ours"}, 1);
  for (const Timing& t : found.timings) {
    print_row({t.title, fmt::format("{:.2f}", t.published[0]), fmt::format("{:.4f}", t.ours[0]),
               fmt::format("{:.2f}", t.published[1]), fmt::format("{:.4f}", t.ours[1])});
  }
}

}  // namespace

void report_case_studies(const std::string& figures) {
  std::puts(R"(
## Seven case studies

[Derakhshan 2022] simulates seven mechanisms in natural coordinates by Taylor series on the DAE and
prints, for four tolerances, the number of correct digits at the end (SCD). The tables compare them with
`taylor` on `index3` in natural and in absolute coordinates, by column as in the thesis. *Vector* gives the
digits of the error as a vector. *Over time* is the error over time; it shows how the error follows the
tolerance. The thesis does not print all data of two mechanisms, so there is nothing to compare for these.
Made by `validation FOLDER case-studies`; each row is a run of the command below its table, in the
coordinates of the column.)");
  Found found;
  for (const CaseStudy& study : case_studies()) report_one(study, figures, found);
  print_summary(found);
  std::puts(R"(
### Two other suspensions

Two spatial suspensions with public hard points and our own masses. They are examples, not mechanisms of the thesis.)");
  for (const CaseStudy& study : other_suspensions()) report_one(study, figures, found);
}

}  // namespace koppel::problems

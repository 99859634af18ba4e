// validation: simulations beside what is known about the motion of mechanisms. Prints
// docs/validation.md but for its last part (tools/validation prints all), and writes its figures to
// the folder that is given; takes about two minutes. With a second argument, fixed-cost, only that
// section.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <koppel/version.hpp>
#include <problems/validation.hpp>

#include "benchmarks/machine.hpp"
#include "benchmarks/validation/drift.hpp"
#include "benchmarks/validation/fixed_cost.hpp"
#include "benchmarks/validation/servo.hpp"
#include "benchmarks/validation/structure.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::print_head;
using benchmarks::print_row;

const char* const kIntroduction = R"(# Validation

Do simulations come out right? Here they stand beside motions that are known: from programs of
another kind ([tests/reference](../tests/reference/README.md)), from closed forms, and from the
literature. This page is written by

```sh
tools/validation > docs/validation.md
```

and `tests/validation` holds the program to it. Seconds are of the integration alone, on the tape,
one run or the best of three where they are short, on a machine that does other things too;
[performance](performance.md) measures properly. How methods compare is a command of its own
([comparison](comparison.md)).

With $y$ the simulated and $r$ the known values, three errors are used:

| | |
| --- | --- |
| at the end, by column | $\max_i \lvert y_i - r_i\rvert / \lvert r_i\rvert$ over position coordinates; its $-\log_{10}$ is the *SCD* of [Derakhshan 2022, 4.3] |
| at the end, as a vector | $\lVert y - r\rVert / \lVert r\rVert$ |
| over time | $\max_i\, (\max_t \lvert y_i - r_i\rvert / \max_t \lvert r_i\rvert)$ over position and velocity columns, at all times that are known |
)";

const char* const kCaseStudies = R"(
## Seven case studies

[Derakhshan 2022] simulates seven mechanisms in natural coordinates by Taylor series on the DAE and
prints, for four tolerances, the correct digits at the end: the SCD. Beside them: ours with `taylor`
on `index3`, in natural and in absolute coordinates. *Vector* are the digits of the error as a vector
and *over time* is the error over time, which shows how it follows the tolerance.
)";

std::string power(double tolerance) { return fmt::format("1e{:.0f}", std::log10(tolerance)); }
std::string error_text(double error) { return fmt::format("{:.1e}", error); }
std::string milliseconds(double seconds) { return fmt::format("{:.3g}", 1e3 * seconds); }

// Quick ones again, for their time.
Comparison measure(const Model& model, const Setting& setting, const Trajectory& known,
                   const std::vector<std::string>& positions) {
  Comparison result = compare(model, setting, known, positions);
  for (int i = 0; i < 2 && result.seconds < 0.1; ++i) {
    result.seconds = std::min(result.seconds, compare(model, setting, known, positions).seconds);
  }
  std::fflush(stdout);
  return result;
}

// What is said about a case study, and what else there is to know about its numbers.
std::string remark(const CaseStudy& study, double difference) {
  if (study.is_another_mechanism()) {
    return fmt::format(
        "The thesis does not give all data, so this is another mechanism of the same kind with "
        "data "
        "of its own\n([models/{0}.yaml](../models/{0}.yaml)), and the published digits are of "
        "the same sort only. Its motion is\nwhat natural and absolute coordinates, `taylor` on "
        "`index3` and `dop853` on `index1` agree upon at\n1e-12: they differ from their mean by "
        "{1:.1e} m at most, over all time. It comes to rest before the\nend, where digits are a "
        "matter of round-off at every tolerance and end with that difference.",
        study.model, difference);
  }
  if (study.kind == CaseStudy::Kind::ByVector) {
    return "At the end the mechanism is back where it started, and several of the coordinates of "
           "the "
           "thesis are zero\nor nearly so (zP3 = −2.7e-4), so that an error relative to each of "
           "them is not defined or says little. We\ntake the published digits for those of the "
           "vector, though the thesis defines them by column, and compare\nthem with ours of the "
           "vector; by column ours are far fewer.";
  }
  if (study.model == "flyball_governor") {
    return "Stiff: series of the explicit kind take the steps that its fastest motion allows, "
           "whatever the\ntolerance, and are more accurate than asked for at loose ones. The "
           "digits "
           "are those of the slider E and\nthe tip B of a rod, which has turned through 56 rad at "
           "the end.";
  }
  return "";
}

struct Timing {
  std::string title;
  double published[2], ours[2];
};

void report_case_studies() {
  std::fputs(kCaseStudies, stdout);
  std::vector<Timing> timings;
  std::vector<std::string> shortfalls;
  for (const CaseStudy& study : case_studies()) {
    const Agreement known = motion_of(study);
    const Model model = read_mechanism(study.model);
    fmt::print("\n### {}\n", study.title);
    if (const std::string text = remark(study, known.difference); !text.empty()) {
      fmt::print("\n{}\n", text);
    }
    print_head({"tolerance", "published", "natural", "vector", "over time", "steps", "ms",
                "absolute", "vector", "over time", "steps", "ms"},
               0);
    Timing timing{study.title, {study.seconds[0], study.seconds[1]}, {0, 0}};
    for (int i = 0; i < 4; ++i) {
      const double tolerance = study.tolerances[i];
      std::vector<std::string> row = {power(tolerance), fmt::format("{:.2f}", study.digits[i])};
      for (const char* coordinates : {"natural", "absolute"}) {
        const Comparison c = measure(model, {coordinates, "index3", "taylor", tolerance},
                                     known.motion, study.positions);
        const double by_column = digits(c.end_by_column), as_vector = digits(c.end_as_vector);
        if (!c.is_done) {
          row.insert(row.end(), {fmt::format("stops at {:.3g} s", c.reached), "", "", "", ""});
          continue;
        }
        row.insert(row.end(),
                   {fmt::format("{:.2f}", by_column), fmt::format("{:.2f}", as_vector),
                    error_text(c.over_time), std::to_string(c.steps), milliseconds(c.seconds)});
        // Published in hundredths.
        if (const double ours = study.digits_of(c); ours < study.digits[i] - 0.005) {
          shortfalls.push_back(fmt::format("{}, {} coordinates, {}: {:.2f} of {:.2f}", study.title,
                                           coordinates, power(tolerance), ours, study.digits[i]));
        }
        if (std::string(coordinates) == "natural" && power(tolerance) == "1e-6") {
          timing.ours[0] = c.seconds;
        }
        if (std::string(coordinates) == "natural" && power(tolerance) == "1e-10") {
          timing.ours[1] = c.seconds;
        }
      }
      print_row(row);
    }
    timings.push_back(timing);
  }
  if (shortfalls.empty()) {
    std::puts("\nAll published digits are reached.");
  } else {
    std::puts(
        "\n### Fewer digits than published\n\nThe McPherson strut is another one than published, "
        "and at rest in the end, where digits are a\nmatter of round-off.\n");
    for (const std::string& text : shortfalls) fmt::print("- {}\n", text);
  }
  std::puts(
      "\n### Seconds\n\nPublished are whole executions on a processor of 3.2 GHz; ours are the "
      "integrations alone, in natural coordinates.");
  print_head({"mechanism", "published, 1e-6", "ours", "published, 1e-10", "ours"}, 1);
  for (const Timing& t : timings) {
    print_row({t.title, fmt::format("{:.2f}", t.published[0]), fmt::format("{:.4f}", t.ours[0]),
               fmt::format("{:.2f}", t.published[1]), fmt::format("{:.4f}", t.ours[1])});
  }
}

void print_comparison(std::vector<std::string> cells, const Comparison& c, bool with_energy) {
  if (c.is_done) {
    cells.push_back(error_text(c.over_time));
    if (with_energy) cells.push_back(std::isnan(c.energy) ? "" : error_text(c.energy));
  } else {
    cells.push_back(fmt::format("stops at {:.3g} s", c.reached));
    if (with_energy) cells.emplace_back("");
  }
  cells.push_back(std::to_string(c.steps));
  cells.push_back(milliseconds(c.seconds));
  print_row(cells);
}

void report_benchmarks() {
  std::puts(R"(
## The IFToMM library and the test set for initial value problems

The mechanical problems A01 to A05 of the IFToMM library of computational benchmarks, and Andrews'
squeezer and the car axle of the test set [Mazzia & Magherini 2008], from plain initial values, with
no hint of an index or of a first step. Both integrators solve the index-3 equations. For `radau5`
velocities count with h and multipliers with h² in the error of a step, so that the errors shown,
which are mostly those of velocities, fall more slowly than the tolerance. The known motions are
those of [tests/reference](../tests/reference/README.md), which confirm the published ones and have
more digits; for A03 they are the point F at 0.03 s and 0.05 s. *Energy* is the largest change of it
where it is conserved; the library asks for 5e-5 J (A01), 0.1 J (A02) and 1e-3 J (A04). `radau5`
stops at the first singular configuration of A02, where the equations have no unique solution.)");
  struct Case {
    std::string title, coordinates;
    Model model;
    Trajectory known;
  };
  const Case cases[] = {
      {"A01 pendulum", "natural", read_mechanism("pendulum"), known_motion("pendulum")},
      {"A02 four-bar, N = 2", "natural", read_mechanism("four_bar"), known_motion("four_bar")},
      {"A03 Andrews' squeezer", "lagrange", read_mechanism("andrews", kA03), a03_motion()},
      {"A04 Bricard", "natural", read_mechanism("bricard"), known_motion("bricard")},
      {"A05 flyball governor", "natural", read_mechanism("flyball_governor"), governor_motion()},
      {"Andrews' squeezer", "lagrange", read_mechanism("andrews"), known_motion("andrews")},
      {"car axle", "lagrange", read_mechanism("car_axle"), known_motion("car_axle")},
  };
  print_head({"problem", "integrator", "tolerance", "over time", "energy, J", "steps", "ms"}, 2);
  for (const Case& one : cases) {
    for (const char* integrator : {"taylor", "radau5"}) {
      for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
        print_comparison(
            {one.title, integrator, power(tolerance)},
            measure(one.model, {one.coordinates, "index3", integrator, tolerance}, one.known, {}),
            true);
      }
    }
  }
}

void report_singular() {
  std::puts(R"(
## Through singular configurations

The N four-bar windows turn around five times in 10 s, and ten times all rods are in line: there the
freedoms jump from 1 to N + 1, and the mechanism could go on along other branches. The known motion
is the branch on which all uprights stay parallel, by the elliptic integral. `taylor` on `index3`.
Natural coordinates, which are taken unless others are asked for, pass at every tolerance. In
absolute coordinates N = 40 does not: round-off of 80 loops of sines and cosines stops it at a
singular configuration or leads it to another branch (an error of the size of the motion), below
1e-7 nearly always.)");
  print_head({"N", "coordinates", "tolerance", "over time", "energy, J", "steps", "ms"}, 2);
  for (const int N : {2, 40}) {
    const Model model = read_mechanism("four_bar", {.set = {{"N", std::to_string(N)}}});
    const Trajectory known = four_bar_motion(N, 10, 1001);
    for (const char* coordinates : {"natural", "absolute"}) {
      for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
        if (N > 2 && coordinates == std::string("absolute") && tolerance < 9e-8) continue;
        print_comparison({std::to_string(N), coordinates, power(tolerance)},
                         measure(model, {coordinates, "index3", "taylor", tolerance}, known, {}),
                         true);
      }
    }
  }
}

void report_governor() {
  std::puts(R"(
## The stiff governor

10 s of the flyball governor with k = 8e5 N/m and c = 4e4 N s/m, from bodies and joints (four
freedoms) and by points and vectors with both arms alike (three).)");
  print_head({"model", "formulation", "integrator", "tolerance", "over time", "steps", "ms"}, 3);
  const Trajectory known = governor_motion();
  for (const char* name : {"flyball_governor", "flyball_governor_symmetric"}) {
    const Model model = read_mechanism(name);
    for (const auto& [formulation, integrator] :
         {std::pair{"index3", "taylor"}, {"index3", "radau5"}, {"ggl", "radau5"}}) {
      for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) {
        print_comparison({name, formulation, integrator, power(tolerance)},
                         measure(model, {"natural", formulation, integrator, tolerance}, known, {}),
                         false);
      }
    }
  }
}

}  // namespace
}  // namespace koppel::problems

int main(int argc, char** argv) {
  using namespace koppel::problems;
  const std::string figures = argc > 1 ? argv[1] : "", only = argc > 2 ? argv[2] : "";
  if (only == "fixed-cost") {
    report_fixed_cost(figures);
    return 0;
  }
  std::fputs(kIntroduction, stdout);
  fmt::print("\n```text\nkoppel {}, commit {}\ncompiler: {}\nprocessor: {}\n```\n",
             koppel::version(), koppel::commit(), __VERSION__, koppel::benchmarks::processor());
  report_case_studies();
  report_benchmarks();
  report_singular();
  report_governor();
  report_drift(figures);
  report_structure(figures);
  report_fixed_cost(figures);
  report_servo(figures);
}

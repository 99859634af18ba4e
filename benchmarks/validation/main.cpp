// validation [FOLDER [PART]]: simulations beside what is known about the motion of mechanisms.
// Prints docs/validation.md but for its last part (tools/validation prints all), and writes its
// figures to the folder that is given; takes some minutes. With the name of a part only that one.
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <koppel/version.hpp>
#include <problems/validation.hpp>

#include "benchmarks/machine.hpp"
#include "benchmarks/validation/case_studies.hpp"
#include "benchmarks/validation/drift.hpp"
#include "benchmarks/validation/fixed_cost.hpp"
#include "benchmarks/validation/measure.hpp"
#include "benchmarks/validation/servo.hpp"
#include "benchmarks/validation/structure.hpp"
#include "benchmarks/validation/tracking.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::print_head;

const char* const kIntroduction = R"(# Validation

Do simulations come out right? Here they stand beside motions that are known: from programs of
another kind ([tests/reference](../tests/reference/README.md)), from closed forms, and from the
literature. This page is written by

```sh
tools/validation > docs/validation.md
```

and `tests/validation` holds the program to it: no number on it is written by hand, and each part names
what made it. `validation FOLDER PART` stands for

```sh
build/release/benchmarks/validation/validation docs/figures PART
```

after `cmake --build --preset release --target validation`. Seconds are of the integration, in machine code,
one run or the best of three where they are short: time of the processor from the first to the last row, rows
included, for the machine does other things too;
[performance](performance.md) measures properly. How methods compare is a command of its own
([comparison](comparison.md)).

![Correct digits of Koppel over those published, of five case studies](figures/validation_glance.svg)

Five of the [seven case studies](#seven-case-studies) have published digits. Above the line Koppel has more of them, below it
fewer: [why](#fewer-digits-than-published).

With $y$ the simulated and $r$ the known values, three errors are used:

| | |
| --- | --- |
| at the end, by column | $\max_i \lvert y_i - r_i\rvert / \lvert r_i\rvert$ over position coordinates; its $-\log_{10}$ is the *SCD* of [Derakhshan 2022, 4.3] |
| at the end, as a vector | $\lVert y - r\rVert / \lVert r\rVert$ |
| over time | $\max_i\, (\max_t \lvert y_i - r_i\rvert / \max_t \lvert r_i\rvert)$ over position and velocity columns, at all times that are known |
)";

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
where it is conserved; the library asks for 5e-5 J (A01), 0.1 J (A02) and 1e-3 J (A04). In the singular
configurations of A02 the equations have no unique solution; `taylor` passes them, other integrators stop.
Made by `validation FOLDER benchmarks`; a row is `koppel run MODEL --coordinates … --formulation index3
--integrator … --tol …`, of A03 with `--set theta0=2.14586853799515e-4`.)");
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
is the branch on which all uprights stay parallel, by the elliptic integral. `taylor` on `index3`, by
`validation FOLDER singular`; a row is `koppel run four_bar --set N=… --coordinates … --tol …`.)");
  print_head({"N", "coordinates", "tolerance", "over time", "energy, J", "steps", "ms"}, 2);
  constexpr double kAnotherBranch = 1e-2;  // there the error is of the size of the motion
  std::vector<std::string> missed;
  int num_runs = 0;
  for (const int N : {2, 40}) {
    const Model model = read_mechanism("four_bar", {.set = {{"N", std::to_string(N)}}});
    const Trajectory known = four_bar_motion(N, 10, 1001);
    for (const char* coordinates : {"natural", "absolute"}) {
      for (const double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
        const Comparison c =
            measure(model, {coordinates, "index3", "taylor", tolerance}, known, {});
        print_comparison({std::to_string(N), coordinates, power(tolerance)}, c, true);
        ++num_runs;
        if (c.is_done && c.over_time < kAnotherBranch) continue;
        missed.push_back(fmt::format("N = {}, {} coordinates, {}: {}", N, coordinates,
                                     power(tolerance), c.is_done ? "another branch" : c.text));
      }
    }
  }
  fmt::print("\n{} of {} runs pass all configurations on the known branch.\n",
             num_runs - static_cast<int>(missed.size()), num_runs);
  if (!missed.empty()) std::puts("");
  for (const std::string& text : missed) fmt::print("- {}\n", text);
}

void report_governor() {
  std::puts(R"(
## The stiff governor

10 s of the flyball governor with k = 8e5 N/m and c = 4e4 N s/m, from bodies and joints (four
freedoms) and by points and vectors with both arms alike (three), in natural coordinates. Made by
`validation FOLDER governor`.)");
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

void print_introduction() {
  std::fputs(kIntroduction, stdout);
  fmt::print("\n```text\nkoppel {}, commit {}\ncompiler: {}\nprocessor: {}\n```\n",
             koppel::version(), koppel::commit(), __VERSION__, koppel::benchmarks::processor());
}

}  // namespace
}  // namespace koppel::problems

int main(int argc, char** argv) {
  using namespace koppel::problems;
  const std::string figures = argc > 1 ? argv[1] : "", only = argc > 2 ? argv[2] : "";
  const std::pair<const char*, std::function<void()>> parts[] = {
      {"introduction", [] { print_introduction(); }},
      {"case-studies", [&] { report_case_studies(figures); }},
      {"benchmarks", [] { report_benchmarks(); }},
      {"singular", [] { report_singular(); }},
      {"governor", [] { report_governor(); }},
      {"drift", [&] { report_drift(figures); }},
      {"structure", [&] { report_structure(figures); }},
      {"fixed-cost", [&] { report_fixed_cost(figures); }},
      {"tracking", [&] { report_tracking(figures); }},
      {"servo", [&] { report_servo(figures); }},
  };
  bool is_known = only.empty();
  for (const auto& [name, report] : parts) {
    if (!only.empty() && only != name) continue;
    is_known = true;
    report();
  }
  if (is_known) return 0;
  std::fputs("validation: the parts are", stderr);
  for (const auto& [name, report] : parts) std::fprintf(stderr, " %s", name);
  std::fputs(".\n", stderr);
  return 1;
}

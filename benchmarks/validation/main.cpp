// validation [FOLDER [PART]]: simulations beside what the literature and independent programs say of
// structure-preserving integrators, fixed-cost steps, tracking and inverse dynamics. Prints tables,
// which tools/validation keeps in docs/data/validation.json, and draws the figures of the sources to
// the folder that is given. Takes some minutes. With the name of a part only that one.
#include <cstdio>
#include <functional>
#include <string>
#include <utility>

#include "benchmarks/validation/fixed_cost.hpp"
#include "benchmarks/validation/servo.hpp"
#include "benchmarks/validation/structure.hpp"
#include "benchmarks/validation/tracking.hpp"

int main(int argc, char** argv) {
  using namespace koppel::problems;
  const std::string figures = argc > 1 ? argv[1] : "", only = argc > 2 ? argv[2] : "";
  const std::pair<const char*, std::function<void()>> parts[] = {
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

#include "benchmarks/validation/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "benchmarks/validation/table.hpp"

namespace koppel::problems {

std::string power(double tolerance) { return fmt::format("1e{:.0f}", std::log10(tolerance)); }
std::string error_text(double error) { return fmt::format("{:.1e}", error); }
std::string milliseconds(double seconds) { return fmt::format("{:.3g}", 1e3 * seconds); }

Comparison measure(const Model& model, const Setting& setting, const Trajectory& known,
                   const std::vector<std::string>& positions) {
  Comparison result = compare(model, setting, known, positions);
  for (int i = 0; i < 2 && result.seconds < 0.1; ++i) {
    result.seconds = std::min(result.seconds, compare(model, setting, known, positions).seconds);
  }
  std::fflush(stdout);
  return result;
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
  benchmarks::print_row(cells);
}

}  // namespace koppel::problems

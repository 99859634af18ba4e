#include <koppel/study/column_unit.hpp>

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/text.hpp>

namespace koppel {
namespace {

struct Unit {
  std::string_view name, si;
  double factor;
};

constexpr double kDegree = M_PI / 180;
constexpr Unit kUnits[] = {{"m", "m", 1},
                           {"km", "m", 1e3},
                           {"cm", "m", 1e-2},
                           {"mm", "m", 1e-3},
                           {"um", "m", 1e-6},
                           {"µm", "m", 1e-6},
                           {"s", "s", 1},
                           {"ms", "s", 1e-3},
                           {"us", "s", 1e-6},
                           {"µs", "s", 1e-6},
                           {"min", "s", 60},
                           {"rad", "rad", 1},
                           {"mrad", "rad", 1e-3},
                           {"deg", "rad", kDegree},
                           {"°", "rad", kDegree},
                           {"m/s", "m/s", 1},
                           {"mm/s", "m/s", 1e-3},
                           {"km/h", "m/s", 1 / 3.6},
                           {"rad/s", "rad/s", 1},
                           {"deg/s", "rad/s", kDegree},
                           {"°/s", "rad/s", kDegree},
                           {"rpm", "rad/s", M_PI / 30},
                           {"1/min", "rad/s", M_PI / 30},
                           {"m/s^2", "m/s^2", 1},
                           {"m/s²", "m/s^2", 1},
                           {"mm/s^2", "m/s^2", 1e-3},
                           {"rad/s^2", "rad/s^2", 1},
                           {"deg/s^2", "rad/s^2", kDegree},
                           {"N", "N", 1},
                           {"kN", "N", 1e3},
                           {"mN", "N", 1e-3},
                           {"N m", "N m", 1},
                           {"Nm", "N m", 1},
                           {"N*m", "N m", 1},
                           {"kN m", "N m", 1e3},
                           {"kNm", "N m", 1e3},
                           {"N mm", "N m", 1e-3},
                           {"Nmm", "N m", 1e-3},
                           {"kg", "kg", 1},
                           {"g", "kg", 1e-3},
                           {"J", "J", 1},
                           {"kJ", "J", 1e3},
                           {"W", "W", 1},
                           {"kW", "W", 1e3},
                           {"1", "", 1},
                           {"-", "", 1},
                           {"", "", 1},
                           {"%", "", 1e-2}};

}  // namespace

// "link[2]" is a name: a unit stands behind a blank.
ColumnUnit split_unit(const std::string& header) {
  const std::string_view text = trimmed(header);
  const char end = text.empty() ? '\0' : text.back();
  const std::size_t open = end == ']'   ? text.rfind(" [")
                           : end == ')' ? text.rfind(" (")
                                        : text.npos;
  if (open == text.npos) return {std::string(text), {}, {}, 1};
  const std::string_view name = trimmed(text.substr(0, open));
  const std::string_view inside = trimmed(text.substr(open + 2, text.size() - open - 3));
  for (const Unit& unit : kUnits) {
    if (unit.name != inside) continue;
    return {std::string(name), std::string(inside), std::string(unit.si), unit.factor};
  }
  std::string known;
  for (const Unit& unit : kUnits) {
    if (!unit.name.empty()) known += (known.empty() ? "" : ", ") + std::string(unit.name);
  }
  throw Error(
      "study.bad-data",
      fmt::format("column '{}' of the data has the unit '{}', which is not known.", header, inside),
      "Known are: " + known + ". Values without a unit are in SI units and radians.");
}

}  // namespace koppel

#include <koppel/simulate/start_remarks.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/simulate/length.hpp>

namespace koppel {
namespace {

int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// What the assembly of a start may leave of a function that is meant to be zero.
constexpr double kZero = 1e-10;

// All that the motion follows from.
std::vector<Expr> laws_of(const Equations& e) {
  std::vector<Expr> all = e.f;
  for (const auto* part : {&e.g, &e.b, &e.r}) all.insert(all.end(), part->begin(), part->end());
  return all;
}

bool vanish(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::abs(x) < kZero; });
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == names.size() ? " and " : ", ", names[i]);
  }
  return out;
}

}  // namespace

std::vector<double> event_values(const Evaluator& evaluator, const State& state) {
  std::vector<Expr> values;
  for (const Equations::Event& event : evaluator.equations->events) values.push_back(event.when);
  return VectorFunction(evaluator.equations, values)(state);
}

EventSides find_sides(const Evaluator& evaluator, const State& start) {
  EventSides out;
  const std::vector<Equations::Event>& events = evaluator.equations->events;
  const std::vector<double> values = event_values(evaluator, start);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Equations::Event& event = events[i];
    const bool is_zero = std::abs(values[i]) < kZero;
    // The side from which it counts; 0: from both.
    const int from = event.direction == EventDirection::Falling  ? 1
                     : event.direction == EventDirection::Rising ? -1
                                                                 : 0;
    out.sides.push_back(is_zero && event.restitution && from != 0 ? from : sign(values[i]));
    const char* way = from > 0 ? "falling" : "rising";
    if (is_zero && event.restitution && from != 0) {
      out.remarks.push_back(
          fmt::format("event '{}' is zero at the start: it happens at once unless the motion leads "
                      "away from it.",
                      event.name));
    } else if (is_zero) {
      out.remarks.push_back(fmt::format(
          "event '{}' is zero at the start; it counts when it passes zero again.", event.name));
    } else if (from * values[i] < 0 && event.restitution) {
      out.remarks.push_back(
          fmt::format("event '{}' is {:.6g} at the start, beyond its impact: it counts when {} "
                      "through zero, and the motion may never come back to it.",
                      event.name, values[i], way));
    } else if (from * values[i] < 0) {
      out.remarks.push_back(fmt::format(
          "event '{}' is {:.6g} at the start and counts when {}: it has to pass zero the other way "
          "first.",
          event.name, values[i], way));
    }
  }
  return out;
}

std::vector<std::string> remarks_on_start(const Model& model, const Evaluator& evaluator,
                                          const State& start, const RankReport& rank) {
  const Equations& e = evaluator.equations;
  const std::vector<Expr> laws = laws_of(e);
  std::vector<std::string> out, idle;
  for (const Expr& u : e.u) {
    if (depends_on(laws, std::vector<Expr>{u})) idle.emplace_back(u.name());
  }
  if (!idle.empty()) {
    out.push_back(
        fmt::format("{} {} zero: nothing sets {} in a run. `inverse` computes inputs, "
                    "`live` takes them from outside.",
                    (idle.size() == 1 ? "input " : "inputs ") + joined(idle),
                    idle.size() == 1 ? "is" : "are", idle.size() == 1 ? "it" : "them"));
  }
  const std::vector<Expr> time = {e.t};
  const bool is_driven = depends_on(laws, time) || !e.x.empty();
  if (rank.degrees_of_freedom == 0 && e.num_v() > 0 && !is_driven) {
    out.emplace_back(
        "nothing can move: the constraints leave no freedom. If the mechanism should move, look "
        "for joints that are meant to be in line or parallel and are not quite so in the file.");
    return out;
  }
  const bool has_gravity =
      std::any_of(&model.gravity.x, &model.gravity.x + 3, [](Expr g) { return !g.is_constant(0); });
  const bool has_mass = std::any_of(model.bodies.begin(), model.bodies.end(),
                                    [](const Body& b) { return !b.mass.is_constant(0); });
  if (has_gravity || !has_mass || is_driven) return out;
  if (vanish(start.v) && vanish(solve_accelerations(evaluator, start).v_rate)) {
    out.emplace_back(
        "nothing moves: there is no gravity, no force acts at the start, and all velocities are "
        "zero there. Is `gravity: [0, 0, -9.81]` missing (in the plane [0, -9.81]), or `initial`?");
  }
  return out;
}

void check_coordinates(const Model& model, const Evaluator& evaluator, const State& start) {
  constexpr double kMost = 1e4;  // of rates of coordinates by velocities; 1/cos of an angle
  const Equations& e = evaluator.equations;
  const Matrix K = evaluator.K(start);
  // In small mechanisms metres a second are fast.
  const double length = std::min(1.0, length_of(e, start));
  for (int i = 0; i < K.rows; ++i) {
    double here = 0;
    for (int j = 0; j < K.columns; ++j) {
      const bool turns = e.about.q[static_cast<std::size_t>(i)].unit == "rad" &&
                         e.about.v[static_cast<std::size_t>(j)].unit == "m/s";
      const double size = std::abs(K(i, j)) * (turns ? length : 1);
      here = std::isfinite(size) ? std::max(here, size) : HUGE_VAL;
    }
    if (here <= kMost) continue;
    std::string others;
    for (const std::string& set : coordinate_sets(model)) {
      if (set != e.coordinates) others += (others.empty() ? "" : ", ") + set;
    }
    throw Error("simulate.singular-coordinates",
                fmt::format("the {} coordinates are singular at the start: the rate of '{}' is {} "
                            "times as large as velocities are.",
                            e.coordinates, e.q[static_cast<std::size_t>(i)].name(),
                            std::isfinite(here) ? fmt::format("{:.1g}", here) : "infinitely many"),
                fmt::format("Use other coordinates ({}), or start elsewhere.", others))
        .about(e.q[static_cast<std::size_t>(i)].name());
  }
}

std::vector<std::string> remarks_on_end(const Evaluator& evaluator, const State& end,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> out;
  const std::vector<Equations::Event>& events = evaluator.equations->events;
  if (events.empty()) return out;
  const std::vector<double> values = event_values(evaluator, end);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (std::find(names.begin(), names.end(), events[i].name) != names.end()) continue;
    out.push_back(fmt::format("event '{}' did not happen; it is {:.6g} at the end.", events[i].name,
                              values[i]));
  }
  return out;
}

}  // namespace koppel

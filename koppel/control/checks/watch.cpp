#include <koppel/control/checks/watch.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace koppel {

std::vector<Excess> find_excesses(const Trajectory& trajectory, std::size_t column, double bound,
                                  int sign) {
  std::vector<Excess> found;
  const auto t = trajectory.time(), x = trajectory.column(column);
  double largest = 0;
  for (const double value : x) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const double least = 1e-9 * std::max(largest, std::abs(bound));
  const auto beyond = [&](std::size_t i) { return sign * (x[i] - bound); };
  const auto crossing = [&](std::size_t a, std::size_t b) {
    const double part = beyond(a) / (beyond(a) - beyond(b));
    return t[a] + std::clamp(part, 0.0, 1.0) * (t[b] - t[a]);
  };
  bool is_inside = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool is_beyond = beyond(i) > least;
    if (is_beyond && !is_inside) {
      const double from = i == 0 ? t[0] : crossing(i - 1, i);
      found.push_back({trajectory.columns()[column].name, from, t.back(), bound, x[i], t[i]});
    }
    if (is_beyond && beyond(i) > sign * (found.back().worst - bound)) {
      found.back().worst = x[i];
      found.back().at = t[i];
    }
    if (!is_beyond && is_inside) found.back().to = crossing(i - 1, i);
    is_inside = is_beyond;
  }
  return found;
}

namespace {

void append(std::vector<Excess>& to, std::vector<Excess> more, const std::string& name) {
  for (Excess& excess : more) {
    excess.name = name;
    to.push_back(std::move(excess));
  }
}

}  // namespace

std::vector<Excess> find_limit_violations(const Equations& e, const Trajectory& trajectory) {
  std::vector<Excess> all;
  std::size_t next = 0;
  for (std::size_t column = 0; column < trajectory.num_columns(); ++column) {
    if (trajectory.columns()[column].group != Group::Inputs) continue;
    const std::size_t i = next++;
    if (i >= e.u_max.size()) break;
    const std::string name(e.u[i].name());
    if (std::isfinite(e.u_max[i])) {
      append(all, find_excesses(trajectory, column, e.u_max[i], 1), name);
    }
    if (std::isfinite(e.u_min[i])) {
      append(all, find_excesses(trajectory, column, e.u_min[i], -1), name);
    }
  }
  return all;
}

std::vector<Excess> find_pushing_cables(const Equations& e, const Trajectory& trajectory) {
  std::vector<Excess> all;
  for (const int row : e.pulling_rows) {
    const std::string& name = e.lambda[static_cast<std::size_t>(row)];
    const int column = trajectory.find("lambda." + name);
    if (column < 0) continue;
    append(all, find_excesses(trajectory, static_cast<std::size_t>(column), 0, -1), name);
  }
  return all;
}

std::string describe_limit_violation(const Excess& e) {
  return fmt::format(
      "the input '{}' is beyond its limit {:g} from t = {:.6g} s to {:.6g} s: {:.6g} "
      "at t = {:.6g} s.",
      e.name, e.bound, e.from, e.to, e.worst, e.at);
}

std::string describe_pushing_cable(const Excess& e) {
  return fmt::format(
      "'{}' would have to push from t = {:.6g} s to {:.6g} s: its multiplier is "
      "{:.6g} at t = {:.6g} s. No cable does that.",
      e.name, e.from, e.to, e.worst, e.at);
}

}  // namespace koppel

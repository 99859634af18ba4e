#include <koppel/results/excess.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/quoted.hpp>

namespace koppel {

std::vector<Excess> find_excesses(const Trajectory& trajectory, std::size_t column, double bound,
                                  int sign) {
  std::vector<Excess> found;
  const auto t = trajectory.time(), x = trajectory.column(column);
  double largest = 0;
  for (const double value : x) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  const double least = 1e-6 * std::max(largest, std::abs(bound));
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
    if (i >= e.u.size()) break;
    const std::string name(e.u[i].name());
    const auto& [owner, unit, min, max] = e.about.u[i];
    if (std::isfinite(max)) append(all, find_excesses(trajectory, column, max, 1), name);
    if (std::isfinite(min)) append(all, find_excesses(trajectory, column, min, -1), name);
  }
  return all;
}

std::vector<Excess> find_pushing_cables(const Equations& e, const Trajectory& trajectory) {
  std::vector<Excess> all;
  std::size_t next = 0;
  for (std::size_t column = 0; column < trajectory.num_columns(); ++column) {
    if (trajectory.columns()[column].group != Group::Multipliers) continue;
    const Equations::Row& row = e.rows[next++];
    if (row.pulls) append(all, find_excesses(trajectory, column, 0, -1), row.name);
  }
  return all;
}

namespace {

// The first of them, and the names of all.
struct Excesses {
  const Excess* first;
  std::vector<std::string> names;
};

Excesses sum_up(const std::vector<Excess>& all) {
  Excesses out{&all[0], {}};
  for (const Excess& e : all) {
    if (e.from < out.first->from) out.first = &e;
    if (std::find(out.names.begin(), out.names.end(), e.name) == out.names.end()) {
      out.names.push_back(e.name);
    }
  }
  return out;
}

}  // namespace

std::optional<Health::Reason> reason_of_wrong_way(const std::vector<Excess>& pushing) {
  if (pushing.empty()) return {};
  const auto [first, names] = sum_up(pushing);
  return Health::Reason{
      Health::What::WrongWay, first->from, first->worst, 0,
      fmt::format("from t = {:.6g} s on the motion is that of another mechanism: {} would have to "
                  "act the wrong way (a cable push, an open contact pull).",
                  first->from, quoted(names))};
}

std::optional<Health::Reason> reason_of_limits(const std::vector<Excess>& beyond) {
  if (beyond.empty()) return {};
  const auto [first, names] = sum_up(beyond);
  return Health::Reason{
      Health::What::Limits, first->from, first->worst, first->bound,
      fmt::format("from t = {:.6g} s on the motion needs more than the inputs may give: {} "
                  "beyond the limits.",
                  first->from, quoted(names))};
}

std::string describe_limit_violation(const Excess& e) {
  return fmt::format(
      "the input '{}' is beyond its limit {:g} from t = {:.6g} s to {:.6g} s: {:.6g} "
      "at t = {:.6g} s.",
      e.name, e.bound, e.from, e.to, e.worst, e.at);
}

std::string describe_pushing_cable(const Excess& e) {
  return fmt::format(
      "'{}' would have to act the wrong way from t = {:.6g} s to {:.6g} s: its multiplier is "
      "{:.6g} "
      "at t = {:.6g} s. A cable goes slack there, a contact opens.",
      e.name, e.from, e.to, e.worst, e.at);
}

}  // namespace koppel

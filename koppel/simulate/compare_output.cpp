// A comparison as text, JSON and columns for plots.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include <koppel/simulate/compare.hpp>

namespace koppel {
namespace {

constexpr std::size_t kLongName = 27;  // what fits into 80 columns with all numbers
constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

std::string compact_time(double seconds) {
  if (seconds < 0.9995e-3) return fmt::format("{:.0f}us", 1e6 * seconds);
  if (seconds < 0.9995) return fmt::format("{:.3g}ms", 1e3 * seconds);
  return fmt::format("{:.3g}s", seconds);
}

std::string short_count(long count) {
  if (count < 100'000) return fmt::format("{}", count);
  const double thousands = static_cast<double>(count) / 1e3;
  return count < 1'000'000 ? fmt::format("{:.0f}k", thousands)
                           : fmt::format("{:.1f}M", thousands / 1e3);
}

std::string power(std::optional<double> value, int digits) {
  if (!value) return "-";
  return *value == 0 ? "0" : fmt::format("{:.{}e}", *value, digits);
}

// Between words, at 80 columns; further lines are indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t kWidth = 78;
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + end > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + "\n";
}

std::string settings_of(const Compared& run) {
  if (run.step > 0) return fmt::format("step {:g} s", run.step);
  return fmt::format("tolerance {:g}", run.tolerance);
}

// A reason each where they are few, else the pairs.
std::string text_of_skipped(const Comparison& c) {
  constexpr std::size_t kFew = 6;
  std::string out;
  if (c.skipped.size() <= kFew) {
    for (const Skipped& s : c.skipped) {
      out += wrapped(fmt::format("Skipped {}/{}: {}", s.formulation, s.integrator, s.why), 2);
    }
    return out;
  }
  std::vector<std::pair<std::string, std::string>> groups;  // integrator, formulations
  for (const Skipped& s : c.skipped) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const auto& g) { return g.first == s.integrator; });
    if (group == groups.end()) group = groups.insert(group, {s.integrator, ""});
    const std::string name = (group->second.empty() ? "" : ", ") + s.formulation;
    if ((group->second + ",").find(s.formulation + ",") == std::string::npos) {
      group->second += name;
    }
  }
  out = "Skipped combinations that do not fit (`json` says why)";
  for (const auto& [integrator, names] : groups) out += "; " + integrator + " with " + names;
  return wrapped(out + ".", 2);
}

// Whether all runs of a comparison of ways to follow are by one set of coordinates and integrator.
bool is_one_method(const Comparison& c) {
  return std::ranges::all_of(c.runs, [&](const Compared& run) {
    return run.coordinates == c.runs[0].coordinates && run.integrator == c.runs[0].integrator;
  });
}

// How each run follows the tracking `k`.
std::string text_of_following(const Comparison& c, std::size_t k, std::size_t width) {
  const Following& of = c.runs[0].following[k];
  const auto number = [](std::optional<double> x) { return x ? fmt::format("{:.3g}", *x) : "-"; };
  std::string out = fmt::format(
      "\nFollowing '{}'{}: overshoot in % of the jump, distance left at the end of\nholds, mean "
      "distance, largest force, rate, and change of the rate in a step\n{:<{}} {:>7} {:>8} {:>8} "
      "{:>8} {:>8} {:>8}\n",
      of.name, of.unit.empty() ? "" : " (" + of.unit + ")", "", width, "over, %", "left", "off",
      "force", "rate", "change");
  for (const Compared& run : c.runs) {
    const Following& f = run.following[k];
    const std::optional<double> percent =
        f.overshoot ? std::optional(100 * *f.overshoot) : std::nullopt;
    out += fmt::format("{:<{}} {:>7} {:>8} {:>8} {:>8} {:>8} {:>8}\n", label_of(run, c), width,
                       number(percent), number(f.left), number(f.off), number(f.force),
                       number(f.fastest), number(f.roughest));
  }
  return out;
}

}  // namespace

std::string label_of(const Compared& run, const Comparison& in) {
  const auto differ = [&](std::string Compared::*what) {
    return std::any_of(in.runs.begin(), in.runs.end(), [&](const Compared& other) {
      return other.model == run.model && other.*what != run.*what;
    });
  };
  // Ways to follow a signal say enough by their names.
  if (!run.following.empty() && is_one_method(in)) {
    return run.model.empty() ? "tracking" : run.model;
  }
  std::string label = run.formulation + "/" + run.integrator;
  if (differ(&Compared::coordinates)) label = run.coordinates + "/" + label;
  return run.model.empty() ? label : run.model + ": " + label;
}

std::string full_label_of(const Compared& run, const Comparison& in) {
  const std::string label = label_of(run, in);
  const auto is_same = [&](const Compared& other) { return label_of(other, in) == label; };
  return std::count_if(in.runs.begin(), in.runs.end(), is_same) > 1
             ? label + ", " + settings_of(run)
             : label;
}

std::string to_text(const Comparison& c) {
  std::size_t width = 16;
  for (const Compared& run : c.runs) width = std::max(width, label_of(run, c).size());
  std::string out = fmt::format("{}, {:g} s, projection {}\n", c.model, c.end, c.projection);
  if (!c.reference.empty()) {
    out += wrapped(fmt::format("Errors against {}, which is good to {:.0e}.{}", c.reference,
                               std::max(c.reference_error, 1e-16),
                               c.reference_error < 1e-3 ? "" : " They mean little."),
                   0);
  }
  const bool has_momentum = std::any_of(c.runs.begin(), c.runs.end(), [](const Compared& run) {
    return run.momentum_error.has_value();
  });
  // Long names and many columns leave room for one digit.
  const int digits = width > kLongName || has_momentum ? 0 : 1;
  const std::size_t number = digits == 0 ? 5 : 7;
  const auto line = [&](const std::string& name, const std::array<std::string, 8>& cells) {
    out += fmt::format("{:<{}} {:>6} {:>5} {:>5}", name, width, cells[0], cells[1], cells[2]);
    for (std::size_t k = 3; k < cells.size(); ++k) {
      if (k == 6 && !has_momentum) continue;
      out += fmt::format(" {:>{}}", cells[k], number);
    }
    out += '\n';
  };
  std::string settings;
  for (const Compared& run : c.runs) {
    if (const std::string now = settings_of(run); now != settings) {
      settings = now;
      out += '\n';
      line(settings,
           {"time", "steps", "evals", "|g|", "|g'|", digits == 0 ? "E" : "energy", "p", "error"});
    }
    line(label_of(run, c), {compact_time(run.seconds), short_count(run.steps),
                            short_count(run.evaluations), power(run.position_drift, digits),
                            power(run.velocity_drift, digits), power(run.energy_error, digits),
                            power(run.momentum_error, digits), power(run.error, digits)});
    if (run.status != Outcome::Status::Done) {
      const std::string where = run.status == Outcome::Status::Doubtful
                                    ? ""
                                    : fmt::format(" at t = {:.4g} s", run.reached);
      out += "  " + wrapped(name_of(run.status) + where + ": " + run.text, 4);
    }
  }
  if (c.runs.empty()) out += "Nothing came of it.\n";
  for (std::size_t k = 0; !c.runs.empty() && k < c.runs[0].following.size(); ++k) {
    out += text_of_following(c, k, width);
  }
  if (!c.skipped.empty()) out += "\n" + text_of_skipped(c);
  if (!c.reason.empty()) {
    out +=
        "\n" +
        wrapped((c.recommended >= 0 ? "Recommended: " : "Nothing is recommended: ") + c.reason, 0);
  }
  return out;
}

Trajectory drift_of(const Comparison& c) {
  std::vector<Column> columns = {{"t", "s", Group::Time}};
  std::vector<const Compared*> shown;
  std::vector<double> times;  // the longest run's
  for (const Compared& run : c.runs) {
    if (run.position_drift == 0) continue;
    shown.push_back(&run);
    columns.push_back({full_label_of(run, c), "", Group::Constraints});
    if (run.times.size() > times.size()) times = run.times;
  }
  Trajectory out(columns);
  for (std::size_t row = 0; row < times.size(); ++row) {
    std::vector<double> values = {times[row]};
    for (const Compared* run : shown) {
      const bool is_there = row < run->times.size() && run->times[row] == times[row];
      values.push_back(is_there ? run->violations[row] : kNothing);
    }
    out.append(values);
  }
  return out;
}

Trajectory work_of(const Comparison& c) {
  std::map<std::string, std::size_t> column_of;
  std::vector<Column> columns = {{"digits", "", Group::Time}};
  std::vector<std::pair<double, const Compared*>> points;
  for (const Compared& run : c.runs) {
    if (run.status != Outcome::Status::Done || !run.error || *run.error <= 0) continue;
    points.emplace_back(-std::log10(*run.error), &run);
    const std::string name = label_of(run, c);
    if (column_of.emplace(name, columns.size()).second) {
      columns.push_back({name, "s", Group::Work});
    }
  }
  Trajectory out(columns);
  if (points.size() < columns.size()) return out;  // no method has two points
  std::sort(points.begin(), points.end());
  for (const auto& [digits, run] : points) {
    std::vector<double> values(columns.size(), kNothing);
    values[0] = digits;
    values[column_of[label_of(*run, c)]] = run->seconds;
    out.append(values);
  }
  return out;
}

}  // namespace koppel

#include <koppel/study/criteria.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/suggest.hpp>
#include <koppel/base/text.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/model/yaml/names.hpp>
#include <koppel/study/switch_rows.hpp>

namespace koppel {
namespace {

struct Named {
  std::string_view name;
  Reduce reduction;
};
constexpr std::array<Named, 6> kReductions = {{{"final", Reduce::Final},
                                               {"min", Reduce::Min},
                                               {"max", Reduce::Max},
                                               {"mean", Reduce::Mean},
                                               {"integral", Reduce::Integral},
                                               {"time", Reduce::Time}}};

Error refusal(std::string_view text, const std::string& why, const std::string& hint = {}) {
  return {"study.bad-criterion", fmt::format("'{}' is no criterion: {}", text, why),
          hint.empty() ? "Write QUANTITY:final, or :min, :max, :mean, :integral, or EVENT:time; a "
                         "name may stand before it: NAME=QUANTITY:max."
                       : hint};
}

// The place of an equals sign by itself: not that of ==, <=, >= or !=.
std::size_t find_equals(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '=') continue;
    const bool is_comparison = (i > 0 && std::string_view("<>!=").find(text[i - 1]) != text.npos) ||
                               (i + 1 < text.size() && text[i + 1] == '=');
    if (!is_comparison) return i;
  }
  return text.npos;
}

// Through (0, y0), (h, y1) and (s, y2): the integral of the parabola from 0 to h.
double under_parabola(double h, double s, double y0, double y1, double y2) {
  const double slope = (y1 - y0) / h;
  const double curve = ((y2 - y0) / s - slope) / (s - h);  // y = y0 + slope x + curve x (x − h)
  return h * (y0 + y1) / 2 - curve * h * h * h / 6;
}

// A polynomial of the fourth degree through five points, by divided differences: at t.
struct Quartic {
  std::array<double, 5> t, c;

  Quartic(std::span<const double> times, std::span<const double> values) {
    std::copy_n(times.begin(), 5, t.begin());
    std::copy_n(values.begin(), 5, c.begin());
    for (std::size_t order = 1; order < 5; ++order) {
      for (std::size_t i = 4; i >= order; --i) c[i] = (c[i] - c[i - 1]) / (t[i] - t[i - order]);
    }
  }
  double operator()(double x) const {
    double y = c[4];
    for (std::size_t i = 4; i-- > 0;) y = y * (x - t[i]) + c[i];
    return y;
  }
};

// Second divided differences around the row do not change much: a smooth extremum, no corner.
bool is_smooth(std::span<const double> t, std::span<const double> y) {
  std::array<double, 3> second{};
  for (std::size_t i = 0; i < 3; ++i) {
    second[i] =
        ((y[i + 2] - y[i + 1]) / (t[i + 2] - t[i + 1]) - (y[i + 1] - y[i]) / (t[i + 1] - t[i])) /
        (t[i + 2] - t[i]);
  }
  const auto near = [&](double d) { return std::abs(d - second[1]) < 0.5 * std::abs(second[1]); };
  return near(second[0]) && near(second[2]);
}

// The largest value of the quartic through the five rows around one that is above its neighbours,
// where that is a smooth maximum; or between the first or last two rows. By golden section, to
// round-off.
double largest_near(std::size_t at, std::span<const double> t, std::span<const double> y) {
  const std::size_t first = std::min(at < 2 ? 0 : at - 2, y.size() - 5);
  const std::span<const double> times = t.subspan(first, 5), values = y.subspan(first, 5);
  for (std::size_t i = 0; i < 4; ++i) {
    if (!(times[i + 1] > times[i])) return y[at];
  }
  if (!is_smooth(times, values)) return y[at];
  const Quartic quartic(times, values);
  constexpr double kGolden = 0.6180339887498949;
  double low = t[at > 0 ? at - 1 : 0], high = t[std::min(at + 1, t.size() - 1)];
  for (int i = 0; i < 60; ++i) {
    const double left = high - kGolden * (high - low), right = low + kGolden * (high - low);
    (quartic(left) > quartic(right) ? high : low) = quartic(left) > quartic(right) ? right : left;
  }
  return std::max(y[at], quartic((low + high) / 2));
}

// The largest value of the rows, and between them: of all rows that are above their neighbours, and
// of which the parabola through the three may reach higher than the best so far. Another peak than
// that of the largest row may be the highest.
double largest(std::span<const double> t, std::span<const double> y) {
  double best = *std::max_element(y.begin(), y.end());
  if (y.size() < 5) return best;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if ((i > 0 && y[i - 1] > y[i]) || (i + 1 < y.size() && y[i + 1] > y[i])) continue;
    const std::size_t middle = std::clamp<std::size_t>(i, 1, y.size() - 2);
    const double bend = std::abs(y[middle - 1] - 2 * y[middle] + y[middle + 1]);
    if (y[i] + bend > best) best = std::max(best, largest_near(i, t, y));
  }
  return best;
}

// What may be meant by a misspelt name.
std::vector<std::string> quantities_of(const Model& model, std::span<const std::string> columns) {
  std::vector<std::string> out(columns.begin(), columns.end());
  for (const Output& output : model.outputs) out.push_back(output.name);
  for (const Parameter& parameter : model.parameters) out.emplace_back(parameter.symbol.name());
  for (const auto& [owner, member] : model.measures()) out.push_back(owner + '.' + member);
  for (const Body& body : model.bodies) {
    for (const char* member : {".x", ".y", ".z", ".angle"}) {
      out.push_back(body.name + member);
      for (const NamedVector& point : body.points)
        out.push_back(body.name + '.' + point.name + member);
    }
  }
  return out;
}

void check_event(const Criterion& criterion, const Model& model) {
  std::vector<std::string> known;
  std::string all;
  for (const Event& event : model.events) {
    if (event.name == criterion.quantity) return;
    known.push_back(event.name);
    all += (all.empty() ? "" : ", ") + event.name;
  }
  const std::string meant = suggest(criterion.quantity, known);
  throw Error("study.unknown-event",
              fmt::format("criterion '{}': the model has no event '{}'.", criterion.label,
                          criterion.quantity),
              known.empty() ? "It has none at all."
                            : fmt::format("events: {}.{}", all,
                                          meant.empty() ? "" : " Did you mean '" + meant + "'?"));
}

}  // namespace

const char* name_of(Reduce reduction) {
  const auto it = std::find_if(kReductions.begin(), kReductions.end(),
                               [&](const Named& named) { return named.reduction == reduction; });
  return it->name.data();
}

std::string to_string(const Criterion& criterion) {
  return fmt::format("{}:{}", criterion.quantity, name_of(criterion.reduction));
}

Criterion parse_criterion(std::string_view text) {
  Criterion out;
  std::string_view rest = trimmed(text);
  if (const std::size_t equals = find_equals(rest); equals != rest.npos) {
    out.label = trimmed(rest.substr(0, equals));
    if (!is_valid_name(out.label)) {
      throw refusal(text, fmt::format("'{}' cannot be a name.", out.label));
    }
    rest = trimmed(rest.substr(equals + 1));
  }
  if (const std::size_t colon = rest.rfind(':'); colon != rest.npos) {
    const std::string_view word = trimmed(rest.substr(colon + 1));
    const auto* found = std::find_if(kReductions.begin(), kReductions.end(),
                                     [&](const Named& named) { return named.name == word; });
    if (found == kReductions.end()) {
      std::vector<std::string> words;
      for (const Named& named : kReductions) words.emplace_back(named.name);
      const std::string meant = suggest(word, words);
      throw refusal(text, fmt::format("there is no '{}'.", word),
                    meant.empty() ? "" : "Did you mean '" + meant + "'?");
    }
    out.reduction = found->reduction;
    rest = trimmed(rest.substr(0, colon));
  }
  if (rest.empty()) throw refusal(text, "it names no quantity.");
  out.quantity = rest;
  if (out.label.empty()) out.label = to_string(out);
  return out;
}

void check_labels(std::span<const Criterion> criteria) {
  for (std::size_t i = 0; i < criteria.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (criteria[i].label != criteria[j].label) continue;
      throw Error("study.bad-criterion",
                  fmt::format("criterion '{}' is given twice.", criteria[i].label));
    }
  }
}

std::vector<Criterion> criteria_of(const Model& model) {
  std::vector<Criterion> out;
  for (const Output& output : model.outputs) {
    out.push_back({output.name + ":final", output.name, Reduce::Final});
  }
  return out;
}

void add_quantities(std::span<const Criterion> criteria, std::span<const std::string> columns,
                    Model& model) {
  const auto has_column = [&](const std::string& name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end() ||
           std::any_of(model.outputs.begin(), model.outputs.end(),
                       [&](const Output& output) { return output.name == name; });
  };
  for (const Criterion& criterion : criteria) {
    const std::string& text = criterion.quantity;
    if (criterion.reduction == Reduce::Time) check_event(criterion, model);
    if (criterion.reduction == Reduce::Time || has_column(text)) continue;
    Scope scope;
    for (const yaml::Name& name : yaml::names_in(text)) {
      if (name.is_call || name.text == "pi") continue;
      const std::string as_text(name.text);
      std::optional<Expr> symbol = model.find_symbol(as_text);
      for (const Output& output : model.outputs) {
        if (!symbol && output.name == as_text) symbol = output.value;
      }
      if (!symbol) {
        const std::vector<std::string> known = quantities_of(model, columns);
        const std::string meant = suggest(as_text, known);
        throw Error("study.unknown-quantity",
                    fmt::format("criterion '{}': the model has no quantity '{}'.", criterion.label,
                                as_text),
                    !meant.empty()    ? "Did you mean '" + meant + "'?"
                    : columns.empty() ? "Outputs, quantities such as joint.angle or body.x, their "
                                        "rates and parameters are known here."
                                      : "Outputs, quantities such as joint.angle or body.x, their "
                                        "rates, parameters and columns of a trajectory are known.");
      }
      scope.names.emplace(as_text, *symbol);
    }
    model.outputs.push_back({text, parse(*model.graph, text, scope), {}});
  }
}

double integrate_samples(std::span<const double> t, std::span<const double> y) {
  const std::size_t n = t.size();
  if (n < 2) return 0;
  if (n == 2) return (t[1] - t[0]) * (y[0] + y[1]) / 2;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double h = t[i + 1] - t[i];
    if (!(h > 0)) continue;  // before and after a jump
    double area = 0;
    int count = 0;
    if (i + 2 < n && t[i + 2] > t[i + 1]) {
      area += under_parabola(h, t[i + 2] - t[i], y[i], y[i + 1], y[i + 2]);
      ++count;
    }
    if (i > 0 && t[i] > t[i - 1]) {
      area += under_parabola(h, t[i - 1] - t[i], y[i], y[i + 1], y[i - 1]);
      ++count;
    }
    sum += count > 0 ? area / count : h * (y[i] + y[i + 1]) / 2;
  }
  return sum;
}

double reduce(std::span<const double> t, std::span<const double> values, Reduce reduction) {
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (values.empty() || !std::all_of(values.begin(), values.end(), is_finite)) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  switch (reduction) {
    case Reduce::Final: return values.back();
    case Reduce::Max: return largest(t, values);
    case Reduce::Min: {
      std::vector<double> negative(values.begin(), values.end());
      for (double& value : negative) value = -value;
      return -largest(t, negative);
    }
    case Reduce::Integral: return integrate_samples(t, values);
    case Reduce::Mean:
      return t.back() > t.front() ? integrate_samples(t, values) / (t.back() - t.front())
                                  : values.front();
    case Reduce::Time: break;  // not of values
  }
  return std::numeric_limits<double>::quiet_NaN();
}

namespace {

// The value of a criterion over smooth rows, put right for switches and events.
double in_pieces(const Criterion& criterion, double smooth, const Trajectory& trajectory,
                 std::span<const Summary::Event> events) {
  const std::span<const double> t = trajectory.time(), values = trajectory[criterion.quantity];
  std::vector<double> breaks, zeros;
  for (const Summary::Event& event : events) breaks.push_back(event.t);
  for (const std::span<const double> argument : switch_columns(criterion.quantity, trajectory)) {
    const std::vector<double> more = find_zeros(t, argument, breaks);
    zeros.insert(zeros.end(), more.begin(), more.end());
  }
  breaks.insert(breaks.end(), zeros.begin(), zeros.end());
  if (breaks.empty()) return smooth;
  switch (criterion.reduction) {
    case Reduce::Integral: return integrate_pieces(t, values, breaks);
    case Reduce::Mean: return integrate_pieces(t, values, breaks) / (t.back() - t.front());
    case Reduce::Max:
      for (const double value : limits_at(t, values, zeros, breaks)) {
        smooth = std::max(smooth, value);
      }
      return smooth;
    case Reduce::Min:
      for (const double value : limits_at(t, values, zeros, breaks)) {
        smooth = std::min(smooth, value);
      }
      return smooth;
    default: return smooth;
  }
}

}  // namespace

std::vector<double> evaluate(std::span<const Criterion> criteria, const Trajectory& trajectory,
                             std::span<const Summary::Event> events) {
  std::vector<double> out;
  for (const Criterion& criterion : criteria) {
    if (criterion.reduction == Reduce::Time) {
      const auto first = std::find_if(events.begin(), events.end(), [&](const auto& event) {
        return event.name == criterion.quantity;
      });
      out.push_back(first == events.end() ? std::numeric_limits<double>::quiet_NaN() : first->t);
      continue;
    }
    const std::span<const double> t = trajectory.time(), values = trajectory[criterion.quantity];
    double value = reduce(t, values, criterion.reduction);
    if (criterion.reduction != Reduce::Final && std::isfinite(value) && t.back() > t.front()) {
      value = in_pieces(criterion, value, trajectory, events);
    }
    out.push_back(value);
  }
  return out;
}

}  // namespace koppel

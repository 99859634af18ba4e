// Signals with components: lines, arcs, curves through way-points and from files. A path `r` is
// known by `r.x`, `r.y` and `r.z`; a curve through plain numbers by its name.
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/csv.hpp>
#include <koppel/expr/algebra/piecewise.hpp>
#include <koppel/model/signal_faults.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::name_path(const Element& element, const Vec3e& path) {
  for (std::size_t i = 0; i < (model_.is_planar ? 2U : 3U); ++i) {
    names_.signals.emplace(element.full_name + '.' + "xyz"[i], path[i]);
  }
}

void Reader::read_line(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  if (!check_keys(node, what, {"type", "from", "to", "law"})) return;
  const Node *from = node.find("from"), *to = node.find("to"), *law = node.find("law");
  if (from == nullptr || to == nullptr || law == nullptr) {
    report(element.offset, "model.missing-key", what + " needs from, to and law.");
    return;
  }
  const Vec3e a = vector(*from, "from of " + what).e, b = vector(*to, "to of " + what).e;
  name_path(element, a + expression(*law, "law of " + what, Allow::Time) * (b - a));
}

void Reader::read_arc(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  if (!check_keys(node, what, {"type", "center", "from", "angle", "axis", "law"})) return;
  const Node *center = node.find("center"), *from = node.find("from"), *turn = node.find("angle"),
             *axis = node.find("axis"), *law = node.find("law");
  if (center == nullptr || from == nullptr || turn == nullptr || law == nullptr ||
      (axis == nullptr) != model_.is_planar) {
    report(element.offset, "model.missing-key",
           what + (model_.is_planar ? " needs center, from, angle and law, and no axis."
                                    : " needs center, from, axis, angle and law."));
    return;
  }
  const Vec3e c = vector(*center, "center of " + what).e;
  const Vec3e r = vector(*from, "from of " + what).e - c;
  const Vec3e about =
      axis == nullptr
          ? Vec3e{0, 0, 1}
          : normalized(nonzero(vector(*axis, "axis of " + what), *axis, "axis of " + what).e);
  const Expr angle_now =
      angle(*turn, "angle of " + what).e * expression(*law, "law of " + what, Allow::Time);
  name_path(element, c + rotation(about, angle_now) * r);
}

// The keys smoothness and ends.
Reader::CurveKind Reader::curve_kind(const Node& node, const std::string& what, CurveEnds usual) {
  CurveKind kind{smoothness(node, what, kMaxCurveSmoothness), usual};
  if (const Node* ends = node.find("ends")) {
    const int chosen = word(*ends, "ends of " + what, {"rest", "free"});
    if (chosen >= 0) kind.ends = chosen == 0 ? CurveEnds::Rest : CurveEnds::Free;
  }
  return kind;
}

void Reader::name_curve(const Element& element, const char* component, Expr x, const Curve& curve) {
  const std::string name = element.full_name + component;
  names_.signals.emplace(
      name, piecewise_polynomial(graph(), name + ".curve", x, curve.knots, curve.coefficients));
}

void Reader::read_spline(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  if (!check_keys(node, what, {"type", "at", "through", "of", "smoothness", "ends"})) return;
  const Node *at = node.find("at"), *through = node.find("through"), *of = node.find("of");
  const auto count = [](const Node* list) {
    return list != nullptr && list->is_sequence() ? list->items.size() : 0;
  };
  constexpr std::size_t kMost = 1000;
  if (count(at) < 2 || count(at) > kMost || count(at) != count(through)) {
    report(element.offset, "model.missing-key",
           what + " needs lists 'at' and 'through' of equal length, from 2 to 1000 points.");
    return;
  }
  // A path that a time law follows rests by itself.
  const CurveKind kind = curve_kind(node, what, of == nullptr ? CurveEnds::Rest : CurveEnds::Free);
  std::vector<double> x;
  for (const Node& item : at->items) {
    x.push_back(plain_number(item, "at of " + what));
    if (x.size() > 1 && !(x.back() > x[x.size() - 2])) {
      report(item.offset, "model.bad-value", "at of " + what + " must ascend.");
      return;
    }
  }
  const Expr argument =
      of == nullptr ? model_.time : expression(*of, "argument of " + what, Allow::Time);
  const bool is_path = through->items[0].is_sequence();
  std::vector<std::vector<double>> y(is_path ? (model_.is_planar ? 2 : 3) : 1);
  for (const Node& item : through->items) {
    if (is_path) {
      const Vector p = vector(item, "through of " + what);
      for (std::size_t i = 0; i < y.size(); ++i) y[i].push_back(p.value[i]);
    } else {
      y[0].push_back(plain_number(item, "through of " + what));
    }
  }
  constexpr const char* kComponents[] = {".x", ".y", ".z"};
  for (std::size_t i = 0; i < y.size(); ++i) {
    name_curve(element, is_path ? kComponents[i] : "", argument,
               curve_through(x, y[i], kind.smoothness, kind.ends));
  }
}

std::optional<Reader::Samples> Reader::read_samples(const Element& element,
                                                    const std::string& what) {
  const Node& node = *element.value;
  const Node *file = node.find("file"), *column = node.find("column"),
             *columns = node.find("columns");
  const std::size_t size = columns == nullptr ? 1 : model_.is_planar ? 2 : 3;
  if (columns != nullptr && (!columns->is_sequence() || columns->items.size() != size)) {
    report(columns->offset, "model.wrong-dimension",
           fmt::format("columns of {} must be a list of {} names.", what, size));
    return {};
  }
  const std::optional<Source> source = read_included(*file, what);
  if (!source || !count_values(*file, 0)) return {};
  CsvColumns csv;
  try {
    csv = parse_csv(source->text(), source->file());
  } catch (const Error& wrong) {
    for (const Diagnostic& d : wrong.diagnostics()) report(d.where, d.id, d.message, d.hint);
    return {};
  }
  Samples out{csv.values[0], {}, columns != nullptr};
  for (std::size_t i = 0; i < size; ++i) {
    const Node& name = columns == nullptr ? *column : columns->items[i];
    const std::string wanted = text(name, "column of " + what);
    const auto found = std::find(csv.names.begin(), csv.names.end(), wanted);
    if (found == csv.names.end()) {
      report(name.offset, "model.unknown-column",
             fmt::format("{}: {} has no column '{}'.", what, source->file(), wanted),
             one_of(wanted, "columns", csv.names));
      return {};
    }
    out.columns.push_back(csv.values[static_cast<std::size_t>(found - csv.names.begin())]);
  }
  bool is_good = out.t.size() >= 2;
  for (std::size_t i = 0; i < out.t.size(); ++i) {
    is_good = is_good && std::isfinite(out.t[i]) && (i == 0 || out.t[i] > out.t[i - 1]);
    for (const auto& values : out.columns) is_good = is_good && std::isfinite(values[i]);
  }
  if (is_good) return out;
  report(element.offset, "model.bad-table",
         what + " needs at least two samples, with times that ascend and no empty fields.");
  return {};
}

// Samples are never smooth: a curve near them takes their place, which the user is told.
void Reader::read_recorded(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  if (!check_keys(node, what,
                  {"type", "file", "column", "columns", "tolerance", "smoothness", "ends"})) {
    return;
  }
  const Node* limit = node.find("tolerance");
  if (node.find("file") == nullptr || limit == nullptr ||
      (node.find("column") == nullptr) == (node.find("columns") == nullptr)) {
    report(element.offset, "model.missing-key",
           what + " needs file, tolerance, and column or columns.",
           "The tolerance is how far the smoothed signal may be from a sample.");
    return;
  }
  const double tolerance = plain_number(*limit, "tolerance of " + what);
  const CurveKind kind = curve_kind(node, what, CurveEnds::Rest);
  const std::optional<Samples> samples = read_samples(element, what);
  for (std::size_t i = 0; samples && i < samples->columns.size(); ++i) {
    name_recorded(element, what, samples->component(i), samples->t, samples->columns[i], tolerance,
                  kind);
  }
}

// Samples as they arrive: each holds until the next one. Faults can be added for studies.
void Reader::read_held(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  if (!check_keys(node, what,
                  {"type", "file", "column", "columns", "noise", "jitter", "latency", "drop_every",
                   "drop_for", "seed"})) {
    return;
  }
  if (node.find("file") == nullptr ||
      (node.find("column") == nullptr) == (node.find("columns") == nullptr)) {
    report(element.offset, "model.missing-key", what + " needs file, and column or columns.");
    return;
  }
  SignalFaults faults;
  const auto read = [&](const char* key, double& into) {
    const Node* value = node.find(key);
    if (value == nullptr) return;
    into = plain_number(*value, std::string(key) + " of " + what);
    if (into >= 0) return;
    report(value->offset, "model.bad-value",
           std::string(key) + " of " + what + " must not be negative.");
  };
  read("noise", faults.noise);
  read("jitter", faults.jitter);
  read("latency", faults.latency);
  read("drop_every", faults.drop_every);
  read("drop_for", faults.drop_for);
  read("seed", faults.seed);
  std::optional<Samples> samples = read_samples(element, what);
  if (!samples) return;
  add_faults(faults, samples->t, samples->columns);
  for (std::size_t i = 0; i < samples->columns.size(); ++i) {
    const std::string name = element.full_name + samples->component(i);
    names_.signals.emplace(
        name, graph().add_table(name + ".samples",
                                TableData::held(samples->t, samples->columns[i]))(model_.time));
  }
}

void Reader::name_recorded(const Element& element, const std::string& what, const char* component,
                           const std::vector<double>& t, const std::vector<double>& y,
                           double tolerance, CurveKind kind) {
  const std::optional<NearCurve> near = curve_near(t, y, tolerance, kind.smoothness, kind.ends);
  if (!near) {
    report(
        element.offset, "model.bad-value",
        fmt::format("{}{}: no curve with {} continuous derivatives is within {:g} of all samples.",
                    what, component, kind.smoothness, tolerance),
        "Raise the tolerance, or write 'ends: free' if the record does not begin and end at "
        "rest.");
    return;
  }
  name_curve(element, component, model_.time, near->curve);
  model_.remarks.push_back(
      {"model.smoothed",
       fmt::format("{}{} is smoothed to {} continuous derivatives; it is up to {:.2g} away from "
                   "its samples.",
                   what, component, kind.smoothness, near->deviation),
       {},
       source_.at(element.offset),
       {}});
}

}  // namespace koppel::yaml

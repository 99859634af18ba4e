// Numbers, angles, vectors and expressions.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/names.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

std::optional<double> as_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return value;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
}

// The unit that follows a number, as in "30 mm"; empty: none.
std::string_view unit_of(std::string_view text) {
  constexpr std::string_view kUnits[] = {
      "m",    "mm",    "cm",    "km",    "um",     "in",     "ft",   "kg",   "g",   "mg",   "t",
      "lb",   "s",     "ms",    "us",    "min",    "h",      "N",    "kN",   "mN",  "Nm",   "kNm",
      "Pa",   "MPa",   "J",     "W",     "kW",     "Hz",     "rpm",  "%",    "m/s", "N/m",  "kN/m",
      "N/mm", "rad/s", "deg/s", "m/s^2", "kg/m^3", "kg*m^2", "km/h", "Ns/m", "N*m", "N*s/m"};
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return {};
  const std::string_view rest =
      trimmed({end, static_cast<std::size_t>(text.data() + text.size() - end)});
  return std::find(std::begin(kUnits), std::end(kUnits), rest) != std::end(kUnits)
             ? rest
             : std::string_view();
}

// Turns by right angles are meant exactly: cos(90 deg) is 0, which keeps the equations sparse.
double snapped(double x) {
  constexpr double kRounding = 1e-15;
  const double whole = std::round(x);
  return std::abs(x - whole) < kRounding ? whole : x;
}

Rotation snapped(Rotation R) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      R.value(i, j) = snapped(R.value(i, j));
      if (R.e(i, j).is_constant()) R.e(i, j) = snapped(R.e(i, j).value());
    }
  }
  return R;
}

// The parameters of an expression, and those that they follow from.
void build_in(Expr e, Names& names) {
  if (e.is_constant()) return;
  for (const Expr& symbol : symbols_of(e)) {
    const std::string name(symbol.name());
    if (!names.parameters.contains(name)) continue;
    ParameterOrigin& origin = names.origins[name];
    if (origin.is_built_in) continue;
    origin.is_built_in = true;
    if (origin.definition) build_in(*origin.definition, names);
  }
}

}  // namespace

Vector Placement::point(const Vector& p) const {
  return {r.e + R.e * p.e, r.value + R.value * p.value};
}
Vector Placement::direction(const Vector& d) const { return {R.e * d.e, R.value * d.value}; }
Placement Placement::then(const Placement& inner) const {
  return {point(inner.r), {R.e * inner.R.e, R.value * inner.R.value}};
}

std::string Reader::text(const Node& node, std::string_view what) {
  if (node.is_scalar()) return node.text;
  report(node.offset, "model.wrong-kind", std::string(what) + " must be a text.");
  return {};
}

bool Reader::boolean(const Node& node, std::string_view what) {
  if (node.is_scalar() && (node.text == "true" || node.text == "false")) return node.text == "true";
  report(node.offset, "model.wrong-kind", std::string(what) + " must be true or false.");
  return false;
}

std::optional<Reader::Text> Reader::expression_text(const Node& node, std::string_view what) {
  if (!node.is_scalar()) {
    report(node.offset, "model.wrong-kind",
           std::string(what) + " must be a number or an expression, found " +
               (node.is_null()  ? "nothing."
                : node.is_map() ? "a map."
                                : "a list."));
    return {};
  }
  constexpr std::size_t kLongest = 1 << 16;
  if (node.text.size() > kLongest) {
    report(node.offset, "model.too-large",
           std::string(what) + " is an expression of more than 65536 characters.");
    return {};
  }
  std::string_view text = trimmed(node.text);
  Text out;
  if (text.ends_with("°")) {
    out.factor = std::numbers::pi / 180;
    text.remove_suffix(std::string_view("°").size());
  } else if (const std::string_view unit = unit_of(text); !unit.empty()) {
    report(node.offset, "model.unit-mistake",
           std::string(what) + " has the unit '" + std::string(unit) + "'; units are not written.",
           "All numbers are in SI units: m, kg, s, N. Only angles may have one: 45 deg.");
    return {};
  }
  // Names with an index that is an expression: link[n].
  out.text = text.find('[') == text.npos ? std::string(text)
                                         : with_indices(node.offset, std::string(text));
  if (!prefix_.empty() && !graph().table_names().empty()) add_prefix_to_tables(out.text);
  return out;
}

// Tables are known to the parser by their full names only.
void Reader::add_prefix_to_tables(std::string& text) {
  std::vector<std::size_t> places;
  for (const Name& name : names_in(text)) {
    const std::string_view base = name.text.substr(0, name.text.find('\''));
    if (name.is_call && graph().find_table(full(base)) != nullptr) places.push_back(name.offset);
  }
  for (std::size_t i = places.size(); i-- > 0;) text.insert(places[i], prefix_);
}

Expr Reader::expression(const Node& node, std::string_view what, Allow allow) {
  const std::optional<Text> source = expression_text(node, what);
  if (!source) return 1;
  if (const auto value = as_number(source->text)) return *value * source->factor;
  Scope scope;
  for (const Name& name : names_in(source->text)) {
    if (name.is_call || name.text == "pi" || scope.names.contains(name.text)) continue;
    const std::optional<Expr> e = resolve(name.text, allow);
    if (!e) report_unknown(source_.at(node, name.offset), name.text, allow);
    scope.names.emplace(name.text, e.value_or(1));
  }
  try {
    const Expr e = parse(graph(), source->text, scope);
    return source->factor == 1 ? e : e * source->factor;
  } catch (const Error& error) {
    report(node, error);
    return 1;
  }
}

Number Reader::number(const Node& node, std::string_view what) {
  const std::size_t before = mistakes_.size();
  const Expr e = expression(node, what, Allow::Parameters);
  if (mistakes_.size() > before) return {1, 1};
  if (e.is_constant()) return {e, e.value()};
  // Once more, with the parameters' values.
  const Text source = *expression_text(node, what);
  Scope scope;
  for (const Name& name : names_in(source.text)) {
    const std::string base(name.text.substr(0, name.text.find('\'')));
    const Table* table = name.is_call ? graph().find_table(base) : nullptr;
    if (table != nullptr && scratch_.find_table(base) == nullptr)
      scratch_.add_table(base, table->data());
    const auto it = names_.parameters.find(full(name.text));
    if (it != names_.parameters.end()) scope.names.emplace(name.text, it->second.value);
  }
  try {
    const Expr value = parse(scratch_, source.text, scope);
    if (value.is_constant()) return {e, value.value() * source.factor};
    report(node.offset, "model.not-finite",
           std::string(what) + " is not a finite number with the parameters' values.");
  } catch (const Error& error) {
    report(node, error);
  }
  return {1, 1};
}

// Other values of the parameters would not change the number: they are built in.
double Reader::plain_number(const Node& node, std::string_view what) {
  const Number value = number(node, what);
  build_in(value.e, names_);
  return value.value;
}

Number Reader::angle(const Node& node, std::string_view what) {
  if (const auto value = node.is_scalar() ? as_number(trimmed(node.text)) : std::nullopt) {
    if (std::abs(*value) > 2 * std::numbers::pi) {
      report(node.offset, "model.unit-mistake",
             std::string(what) + " is " + node.text + " radians, more than a turn.",
             "Angles are in radians; write '" + node.text + " deg' for degrees.");
      return {};
    }
  }
  return number(node, what);
}

Vector Reader::vector(const Node& node, std::string_view what) {
  const std::size_t size = model_.is_planar ? 2 : 3;
  if (!node.is_sequence() || node.items.size() != size) {
    const std::string expected =
        model_.is_planar ? "two numbers, [x, y]" : "three numbers, [x, y, z]";
    const std::string found =
        node.is_sequence() ? "found " + std::to_string(node.items.size()) + "." : "found no list.";
    const bool is_other = node.is_sequence() && node.items.size() == 5 - size;
    report(node.offset, "model.wrong-dimension",
           std::string(what) + " must be " + expected + "; " + found,
           is_other
               ? "The model has dimension " + std::to_string(size) + "; see the key 'dimension'."
               : "");
    return {};
  }
  Vector v;
  for (std::size_t i = 0; i < size; ++i) {
    const Number x = number(node.items[i], what);
    v.e[i] = x.e;
    v.value[i] = x.value;
  }
  return v;
}

Vector Reader::nonzero(Vector v, const Node& node, std::string_view what) {
  if (norm(v.value) > 0) return v;
  report(node.offset, "model.zero-axis",
         std::string(what) + " has length zero; it gives no direction.");
  return {{0, 0, 1}, {0, 0, 1}};
}

std::vector<Expr> Reader::expressions(const Node& node, std::size_t size, std::string_view what,
                                      Allow allow) {
  std::vector<Expr> out(size, Expr(0));
  if (!node.is_sequence() || node.items.size() != size) {
    report(node.offset, "model.wrong-dimension",
           std::string(what) + " must be a list of " + std::to_string(size) + " numbers; found " +
               (node.is_sequence() ? std::to_string(node.items.size()) : "no list") + ".");
    return out;
  }
  for (std::size_t i = 0; i < size; ++i) out[i] = expression(node.items[i], what, allow);
  return out;
}

Placement Reader::placement(const Node& node, const std::string& what) {
  Placement p;
  if (const Node* position = node.find("position")) p.r = vector(*position, "position of " + what);
  const Node* const given[] = {node.find("angle"), node.find("rotation"), node.find("quaternion"),
                               node.find("cardan")};
  const auto count = std::count_if(std::begin(given), std::end(given), [](auto* n) { return n; });
  if (count > 1) {
    report(node.offset, "model.contradiction", what + " has more than one rotation.",
           "Give one of angle, rotation, quaternion, cardan.");
  }
  const auto turn = [](const Vector& axis, const Number& a) -> Rotation {
    return {rotation(normalized(axis.e), a.e), rotation(normalized(axis.value), a.value)};
  };
  if (given[0] != nullptr) {
    if (!model_.is_planar) {
      report(given[0]->offset, "model.wrong-dimension",
             what + " has an angle; that places bodies in planar models only.",
             "Write rotation: {axis: [x, y, z], angle: …}.");
      return p;
    }
    p.R = turn({{0, 0, 1}, {0, 0, 1}}, angle(*given[0], "angle of " + what));
  } else if (model_.is_planar && count > 0) {
    const Node& n = given[1] != nullptr ? *given[1] : given[2] != nullptr ? *given[2] : *given[3];
    report(n.offset, "model.wrong-dimension",
           what + " has a rotation in space; the model is planar.",
           "Write angle: … for a rotation in the plane.");
  } else if (given[1] != nullptr) {
    if (!check_keys(*given[1], "rotation of " + what, {"axis", "angle"})) return p;
    const Node* axis = given[1]->find("axis");
    const Node* value = given[1]->find("angle");
    if (axis == nullptr || value == nullptr) {
      report(given[1]->offset, "model.missing-key",
             "rotation of " + what + " needs axis and angle.");
      return p;
    }
    const Vector a = nonzero(vector(*axis, "axis of " + what), *axis, "axis of " + what);
    p.R = turn(a, angle(*value, "angle of " + what));
  } else if (given[2] != nullptr) {
    const std::vector<Expr> e =
        expressions(*given[2], 4, "quaternion of " + what, Allow::Parameters);
    std::array<double, 4> value{};
    for (std::size_t i = 0; i < 4 && given[2]->items.size() == 4; ++i) {
      value[i] = number(given[2]->items[i], "quaternion of " + what).value;
    }
    const double length =
        std::hypot(std::hypot(value[0], value[1]), std::hypot(value[2], value[3]));
    if (length == 0) {
      if (given[2]->items.size() == 4) {
        report(given[2]->offset, "model.zero-axis", "quaternion of " + what + " has length zero.");
      }
      return p;
    }
    for (double& x : value) x /= length;
    const Expr scale = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    p.R = {rotation(std::array<Expr, 4>{e[0] / scale, e[1] / scale, e[2] / scale, e[3] / scale}),
           rotation(value)};
  } else if (given[3] != nullptr) {
    if (!given[3]->is_sequence() || given[3]->items.size() != 3) {
      report(given[3]->offset, "model.wrong-dimension",
             "cardan of " + what + " must be three angles.");
      return p;
    }
    const Vector axes[] = {{{1, 0, 0}, {1, 0, 0}}, {{0, 1, 0}, {0, 1, 0}}, {{0, 0, 1}, {0, 0, 1}}};
    for (std::size_t i = 0; i < 3; ++i) {
      const Rotation next = turn(axes[i], angle(given[3]->items[i], "cardan of " + what));
      p.R = {p.R.e * next.e, p.R.value * next.value};
    }
  }
  p.R = snapped(p.R);
  return p;
}

}  // namespace koppel::yaml

// Numbers, angles, vectors and expressions.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <utility>

#include <koppel/base/text.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/text/parse.hpp>
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

}  // namespace

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
  if (!prefix.empty() && !model.graph->table_names().empty()) add_prefix_to_tables(out.text);
  return out;
}

// Tables are known to the parser by their full names only.
void Reader::add_prefix_to_tables(std::string& text) {
  std::vector<std::size_t> places;
  for (const Name& name : names_in(text)) {
    const std::string_view base = name.text.substr(0, name.text.find('\''));
    if (name.is_call && model.graph->find_table(full(base)) != nullptr)
      places.push_back(name.offset);
  }
  for (std::size_t i = places.size(); i-- > 0;) text.insert(places[i], prefix);
}

Expr Reader::expression(const Node& node, std::string_view what, Allow allow) {
  const std::optional<Text> written = expression_text(node, what);
  if (!written) return 1;
  if (const auto value = as_number(written->text)) return *value * written->factor;
  Scope scope;
  for (const Name& name : names_in(written->text)) {
    if (name.is_call || name.text == "pi" || scope.names.contains(name.text)) continue;
    const std::optional<Expr> e = resolve(name.text, allow);
    if (!e) report_unknown(source.at(node, name.offset), name.text, allow);
    scope.names.emplace(name.text, e.value_or(1));
  }
  try {
    const Expr e = parse(*model.graph, written->text, scope);
    return written->factor == 1 ? e : e * written->factor;
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
  const Text written = *expression_text(node, what);
  Scope scope;
  for (const Name& name : names_in(written.text)) {
    const std::string base(name.text.substr(0, name.text.find('\'')));
    const Table* table = name.is_call ? model.graph->find_table(base) : nullptr;
    if (table != nullptr && scratch_.find_table(base) == nullptr)
      scratch_.add_table(base, table->data());
    const auto it = names.parameters.find(full(name.text));
    if (it != names.parameters.end()) scope.names.emplace(name.text, it->second.value);
  }
  try {
    const Expr value = parse(scratch_, written.text, scope);
    if (value.is_constant()) return {e, value.value() * written.factor};
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
  build_in(value.e);
  return value.value;
}

void Reader::build_in(Expr e, std::string_view run_setting) {
  if (e.is_constant()) return;
  for (const Expr& symbol : symbols_of(e)) {
    const std::string name(symbol.name());
    const auto parameter = names.parameters.find(name);
    if (parameter == names.parameters.end()) continue;
    ParameterOrigin& origin = names.origins[name];
    const bool is_new = run_setting.empty() ? !std::exchange(parameter->second.is_built_in, true)
                                            : origin.run_settings.emplace(run_setting).second;
    if (is_new && origin.definition) build_in(*origin.definition, run_setting);
  }
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

Vec3e Reader::vector(const Node& node, std::string_view what) {
  const std::size_t size = model.is_planar ? 2 : 3;
  if (!node.is_sequence() || node.items.size() != size) {
    const std::string expected =
        model.is_planar ? "two numbers, [x, y]" : "three numbers, [x, y, z]";
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
  Vec3e v;
  for (std::size_t i = 0; i < size; ++i) v[i] = number(node.items[i], what).e;
  return v;
}

Vec3e Reader::direction(const Node& node, std::string_view what) {
  const Vec3e v = vector(node, what);
  if (norm((*values)(v)) > 0) return v;
  report(node.offset, "model.zero-axis",
         std::string(what) + " has length zero; it gives no direction.");
  return {0, 0, 1};
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

}  // namespace koppel::yaml

#include <koppel/model/elements/model_writer.hpp>

#include <algorithm>

#include <koppel/expr/algebra/structure.hpp>

namespace koppel {

ModelWriter::ModelWriter(Model& model_in, const ParameterValues& values, std::string name_in,
                         std::string what_in, Location where, Report report)
    : model(model_in),
      name(std::move(name_in)),
      what(std::move(what_in)),
      of(what),
      values_(values),
      where_(std::move(where)),
      report_(std::move(report)) {}

void ModelWriter::reject(std::string_view id, std::string message, std::string hint) {
  reject_at({}, id, std::move(message), std::move(hint));
}

void ModelWriter::reject_missing(std::string message, std::string hint, std::string_view id,
                                 std::string_view key) {
  is_rejected_ = true;
  report_(key, {std::string(id), what + message, std::move(hint), {}, {}, Cause::MissingPart});
}

std::string ModelWriter::whose(std::string_view key) const {
  return std::string(key) + (of.empty() ? "" : " of " + of);
}

void ModelWriter::reject_key(std::string_view key, std::string_view id, std::string message,
                             std::string hint) {
  is_rejected_ = true;
  report_(key, {std::string(id), whose(key) + message, std::move(hint), {}, {}});
}

void ModelWriter::reject_item(std::string_view key, std::size_t item, std::string_view id,
                              std::string message) {
  is_rejected_ = true;
  report_(std::string(key) + '[' + std::to_string(item) + ']',
          {std::string(id), std::string(key) + " of " + of + message, {}, {}, {}});
}

void ModelWriter::reject_at(std::string_view key, std::string_view id, std::string message,
                            std::string hint) {
  is_rejected_ = true;
  report_(key, {std::string(id), what + message, std::move(hint), {}, {}});
}

void ModelWriter::reject_with(std::string_view key, Diagnostic mistake) {
  is_rejected_ = true;
  report_(key, std::move(mistake));
}

void ModelWriter::check(std::string_view key, Expr e, Bound bound) {
  if (bound == Bound::None || bound == Bound::OneTurn || !is_constant(e)) return;
  const double x = value(e);
  const bool may_be_zero = bound == Bound::NotNegative;
  const std::string text = may_be_zero ? " must not be negative." : " must be positive.";
  if (!(x > 0 || (x == 0 && may_be_zero))) return reject_key(key, "model.bad-value", text);
  if (e.is_constant()) return;
  model.bounded.push_back({e, may_be_zero, whose(key) + text, where_});
}

void ModelWriter::keep_positive(Expr e, std::string text) {
  if (e.is_constant() || !is_constant(e)) return;
  model.bounded.push_back({e, false, std::move(text), where_});
}

bool ModelWriter::check_ends(const Ends& ends) {
  if (ends.is_given) return true;
  reject_missing(" needs between: [first, second].",
                 "Each a body, or a point of one such as rod.A; 'ground' is the world.");
  return false;
}

bool ModelWriter::check_size(std::string_view key, const Numbers& numbers, std::size_t size) {
  if (numbers.is_list && numbers.values.size() == size) return true;
  reject_key(key, "model.wrong-dimension",
             " must be a list of " + std::to_string(size) + " numbers; found " +
                 (numbers.values.empty() ? "0"
                  : numbers.is_list      ? std::to_string(numbers.values.size())
                                         : "no list") +
                 ".");
  return false;
}

double ModelWriter::built_in(Expr e) const {
  if (note_built_in) note_built_in(e);
  return value(e);
}

bool ModelWriter::is_constant(Expr e) const {
  if (e.is_constant()) return true;
  const std::vector<Expr> symbols = symbols_of(e);
  return std::all_of(symbols.begin(), symbols.end(),
                     [&](Expr symbol) { return values_.is_parameter(symbol); });
}

std::optional<Expr> ModelWriter::find_beyond_positions(Expr e) const {
  if (e.is_constant()) return {};
  for (const Expr& symbol : symbols_of(e)) {
    if (symbol == model.time || values_.is_parameter(symbol)) continue;
    const int found = model.find_quantity(symbol.name());
    if (found < 0 || quantity(found).value != symbol) return symbol;
  }
  return {};
}

Vec3e ModelWriter::in_world(int index, const Vec3e& point) const {
  return body(index).position + body(index).rotation * point;
}

Vec3e ModelWriter::from_world(int index, const Vec3e& point) const {
  return transpose(body(index).rotation) * (point - body(index).position);
}

ObservedVector ModelWriter::world_coordinates(const std::string& part, const Marker& point) {
  ObservedVector out;
  for (std::size_t i = 0; i < (model.is_planar ? 2U : 3U); ++i) {
    out.quantity[i] =
        model.coordinate_of(name + '.' + part + '.' + "xyz"[i], point, static_cast<int>(i));
    out.value[i] = quantity(out.quantity[i]).value;
    out.rate[i] = quantity(out.quantity[i]).rate;
  }
  return out;
}

ObservedVector ModelWriter::world_angular_velocity(const std::string& part, int index) {
  ObservedVector out;
  for (std::size_t i = model.is_planar ? 2 : 0; i < 3; ++i) {
    out.quantity[i] = model.angular_velocity(name + '.' + part + '.' + "xyz"[i], index,
                                             static_cast<int>(i), false);
    out.rate[i] = quantity(out.quantity[i]).rate;
  }
  return out;
}

void ModelWriter::add_force(Force force) {
  force.name = name;
  force.where = where_;
  model.add_force(std::move(force));
}

int ModelWriter::add_joint(Joint joint) {
  joint.name = name;
  joint.where = where_;
  return model.add_joint(std::move(joint));
}

int ModelWriter::add_constraint(const std::string& suffix, Expr residual, bool may_jump) {
  model.constraints.push_back({name + suffix, residual, where_});
  model.constraints.back().may_jump = may_jump;
  return static_cast<int>(model.constraints.size()) - 1;
}

int ModelWriter::add_nonholonomic(const std::string& suffix, Expr residual) {
  model.nonholonomic.push_back({name + suffix, residual, where_});
  return static_cast<int>(model.nonholonomic.size()) - 1;
}

}  // namespace koppel

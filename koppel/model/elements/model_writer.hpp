// ModelWriter: what an element uses to check itself and to add itself to a model.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/model/elements/field.hpp>
#include <koppel/model/elements/joint_law.hpp>
#include <koppel/model/parameter_values.hpp>

namespace koppel {

// The world components of a vector that belongs to a body, by quantities.
struct ObservedVector {
  std::array<int, 3> quantity{};
  Vec3e value, rate;
};

class ModelWriter {
 public:
  // Takes a mistake; `key`: the field that it is in, `key[2]` an item of a list there, empty: the
  // element as a whole.
  using Report = std::function<void(std::string_view key, Diagnostic mistake)>;
  ModelWriter(Model& model, const ParameterValues& values, std::string name, std::string what,
              Location where, Report report);

  // A mistake. The message goes on after the element's name, "force 's' …".
  void reject(std::string_view id, std::string message, std::string hint = {});
  void reject_at(std::string_view key, std::string_view id, std::string message,
                 std::string hint = {});
  // Something is missing: `model.missing-key`, or another of that kind.
  void reject_missing(std::string message, std::string hint = {},
                      std::string_view id = "model.missing-key", std::string_view key = {});
  // The same about a key: "key of force 's' …".
  void reject_key(std::string_view key, std::string_view id, std::string message,
                  std::string hint = {});
  // The same about an item of a list; the message names the key.
  void reject_item(std::string_view key, std::size_t item, std::string_view id,
                   std::string message);
  // A mistake that says all by itself.
  void reject_with(std::string_view key, Diagnostic mistake);
  bool is_rejected() const { return is_rejected_; }
  // That a value is within the bound, now and with other parameters.
  void check(std::string_view key, Expr value, Bound bound);
  // That a value that is positive stays so; the text is that of the mistake otherwise.
  void keep_positive(Expr value, std::string text);

  // That there are two ends.
  bool check_ends(const Ends& ends);
  // That a list has this many numbers.
  bool check_size(std::string_view key, const Numbers& numbers, std::size_t size);

  double value(Expr e) const { return values_(e); }
  Vec3<double> value(const Vec3e& e) const { return values_(e); }
  Mat3<double> value(const Mat3e& e) const { return values_(e); }
  // The same for a number that stays in the model, whatever its parameters become: another value of
  // them needs a new model.
  double built_in(Expr e) const;
  bool is_constant(Expr e) const;  // of parameters only
  // A symbol in an expression that is not of positions, parameters and time: a rate, an input.
  std::optional<Expr> find_beyond_positions(Expr e) const;
  const Body& body(int index) const { return model.bodies[static_cast<std::size_t>(index)]; }
  // A point of a body as placed at the start, in world axes, and back.
  Vec3e in_world(int body, const Vec3e& point) const;
  Vec3e from_world(int body, const Vec3e& point) const;

  // Quantities `element.name`.
  const Quantity& quantity(int index) const {
    return model.quantities[static_cast<std::size_t>(index)];
  }
  ObservedVector world_coordinates(const std::string& name, const Marker& point);
  ObservedVector world_angular_velocity(const std::string& name, int body);

  void add_force(Force force);  // with the element's name and place
  int add_joint(Joint joint);   // the same
  // Rows, by their index among those of the model.
  int add_constraint(const std::string& suffix, Expr residual, bool may_jump = false);
  int add_nonholonomic(const std::string& suffix, Expr residual);

  // An expression of time that is known by the element's name, or by a component of it: ".x".
  void define(std::string_view component, Expr value) {
    signals.emplace_back(name + std::string(component), value);
  }

  const Location& where() const { return where_; }
  Location where(std::string_view key) const { return locate ? locate(key) : where_; }

  Model& model;
  std::vector<std::pair<std::string, Expr>> signals;          // what was defined
  std::function<Location(std::string_view key)> locate = {};  // where a field stands
  std::function<void(Expr)> note_built_in = {};               // told by built_in()
  MarkerFrame axes_of_model;                                  // of the sub-assembly, in world axes
  const std::string name;                                     // in full
  const std::string what;                                     // "force 's'"
  std::string of;  // what keys are of, in messages: the same; empty: they say enough by themselves

 private:
  std::string whose(std::string_view key) const;  // the key, of what

  const ParameterValues& values_;
  Location where_;
  Report report_;
  bool is_rejected_ = false;
};

// That values are within the bounds of the table.
template <typename E>
void check_bounds(const E& element, ModelWriter& writer) {
  for (const Field<E>& field : E::fields()) {
    if (const auto* member = std::get_if<std::optional<Expr> E::*>(&field.member)) {
      if (element.**member) writer.check(field.info.key, *(element.**member), field.info.bound);
    } else if (const auto* plain = std::get_if<std::optional<double> E::*>(&field.member)) {
      if (element.**plain) writer.check(field.info.key, *(element.**plain), field.info.bound);
    }
  }
}

// Adds an element, its bounds checked. Where something is wrong with it nothing comes of the model.
template <typename E>
void add_element(const E& element, ModelWriter& writer) {
  check_bounds(element, writer);
  element.add_to(writer);
}

}  // namespace koppel

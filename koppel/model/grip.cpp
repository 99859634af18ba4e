#include <koppel/model/grip.hpp>

#include <algorithm>
#include <string>

#include <koppel/model/elements/tracking.hpp>
#include <koppel/model/parameter_values.hpp>

namespace koppel {
namespace {

// Enough to throw all bodies about: some thirty times their weight, and to spin them.
constexpr double kAcceleration = 300;  // m/s²

double mass_of(const Model& model, const ParameterValues& values) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += values(body.mass);
  return mass;
}

// Of all bodies about their centres; their masses a tenth of a metre away where they have none.
double inertia_of(const Model& model, const ParameterValues& values) {
  double inertia = 0;
  for (const Body& body : model.bodies) {
    const Mat3<double> own = values(body.inertia);
    const double largest = std::max({own(0, 0), own(1, 1), own(2, 2)});
    inertia += largest > 0 ? largest : 0.01 * values(body.mass);
  }
  return inertia;
}

void add(Model& model, const std::string& name, const TrackingElement& tracking) {
  const ParameterValues values(model);
  std::vector<Diagnostic> mistakes;
  ModelWriter writer(model, values, name, "the grip", {},
                     [&](std::string_view, Diagnostic d) { mistakes.push_back(std::move(d)); });
  add_element(tracking, writer);
  if (!mistakes.empty()) throw Error(mistakes);
}

void add_hand(Model& out, const Model& model, const std::string& name, bool turns) {
  const ParameterValues values(model);
  const std::size_t size = model.is_planar ? 2 : 3;
  const Expr body = out.add_parameter(name + ".body", -1);
  out.hands.push_back(body);
  Vec3e at;
  TrackingElement grip;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string axis(1, "xyz"[i]);
    at[i] = out.add_parameter(name + '.' + axis, 0);
    grip.follows.values.push_back(out.add_input(name + ".target_" + axis));
  }
  grip.force = out.add_parameter(name + ".force", kAcceleration * mass_of(model, values));
  grip.active = select(body < -0.5, 0, 1);
  grip.output.values.assign(size, Expr(0));
  TrackingElement turn;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Body& held = model.bodies[b];
    const Expr is_held = select(abs(body - static_cast<double>(b - 1)) < 0.5, 1, 0);
    const Marker point{static_cast<int>(b), held.is_point ? Vec3e{} : at};
    for (std::size_t i = 0; i < size; ++i) {
      const std::string quantity_name = name + '.' + held.name + '.' + "xyz"[i];
      const int quantity = out.coordinate_of(quantity_name, point, static_cast<int>(i));
      grip.output.values[i] += is_held * out.quantities[static_cast<std::size_t>(quantity)].value;
    }
    if (!held.is_point) turn.turned.push_back({static_cast<int>(b), is_held});
  }
  add(out, name, grip);
  if (!turns || turn.turned.empty()) return;
  const std::vector<std::string> parts = model.is_planar
                                             ? std::vector<std::string>{"angle"}
                                             : std::vector<std::string>{"e0", "e1", "e2", "e3"};
  for (const std::string& part : parts) {
    turn.follows.values.push_back(out.add_input(name + ".target_" + part));
  }
  const Expr does_turn = out.add_parameter(name + ".turns", 0);
  turn.force = out.add_parameter(name + ".torque", kAcceleration * inertia_of(model, values));
  turn.active = *grip.active * select(does_turn < 0.5, 0, 1);
  add(out, name + ".turn", turn);
}

}  // namespace

Model with_grip(const Model& model, const GripOptions& options) {
  if (model.bodies.size() < 2) return model;
  Model out = model;
  for (int hand = 1; hand <= options.hands; ++hand) {
    add_hand(out, model, hand == 1 ? "grip" : "grip" + std::to_string(hand), options.turns);
  }
  out.validate();
  return out;
}

}  // namespace koppel

#include <koppel/model/grip.hpp>

#include <string>

#include <koppel/model/elements/tracking.hpp>
#include <koppel/model/parameter_values.hpp>

namespace koppel {
namespace {

// Enough to throw all bodies about: some thirty times their weight.
double strength(const Model& model, const ParameterValues& values) {
  double mass = 0;
  for (const Body& body : model.bodies) mass += values(body.mass);
  constexpr double kAcceleration = 300;  // m/s²
  return kAcceleration * mass;
}

}  // namespace

Model with_grip(const Model& model) {
  if (model.bodies.size() < 2) return model;
  Model out = model;
  const std::size_t size = model.is_planar ? 2 : 3;
  const Expr body = out.add_parameter("grip.body", -1);
  Vec3e at;
  TrackingElement grip;
  for (std::size_t i = 0; i < size; ++i) {
    const std::string axis(1, "xyz"[i]);
    at[i] = out.add_parameter("grip." + axis, 0);
    grip.follows.values.push_back(out.add_input("grip.target_" + axis));
  }
  grip.force = out.add_parameter("grip.force", strength(model, ParameterValues(model)));
  grip.active = select(body < -0.5, 0, 1);
  grip.output.values.assign(size, Expr(0));
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const Expr is_held = select(abs(body - static_cast<double>(b - 1)) < 0.5, 1, 0);
    const Marker point{static_cast<int>(b), model.bodies[b].is_point ? Vec3e{} : at};
    for (std::size_t i = 0; i < size; ++i) {
      const std::string name = "grip." + model.bodies[b].name + '.' + "xyz"[i];
      const int quantity = out.coordinate_of(name, point, static_cast<int>(i));
      grip.output.values[i] += is_held * out.quantities[static_cast<std::size_t>(quantity)].value;
    }
  }
  const ParameterValues values(out);
  std::vector<Diagnostic> mistakes;
  ModelWriter writer(out, values, "grip", "the grip", {},
                     [&](std::string_view, Diagnostic d) { mistakes.push_back(std::move(d)); });
  add_element(grip, writer);
  if (!mistakes.empty()) throw Error(mistakes);
  out.validate();
  return out;
}

}  // namespace koppel

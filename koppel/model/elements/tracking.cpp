#include <koppel/model/elements/tracking.hpp>

#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {

const std::vector<Field<TrackingElement>>& TrackingElement::fields() {
  using E = TrackingElement;
  const auto limit = [](std::string_view key, std::string_view text, std::string_view unit,
                        std::string_view unless_given) {
    return FieldInfo{.key = key,
                     .text = text,
                     .unit = unit,
                     .unless_given = unless_given,
                     .allow = Allow::Everything};
  };
  static const std::vector<Field<E>> kFields = {
      {{.key = "point", .text = "what follows", .unless_given = "`output`"}, &E::point},
      {{.key = "output",
        .text = "what follows in place of a point: an expression of positions, or a list of them "
                "in one unit",
        .unless_given = "`point`",
        .allow = Allow::Positions},
       &E::output},
      {{.key = "follows",
        .text = "the signal: one expression for each component, of time, inputs and positions",
        .unit = "m, rad",
        .allow = Allow::Everything},
       &E::follows},
      {{.key = "method",
        .text = "how the force is chosen",
        .unless_given = "`auto`",
        .words = {"auto", "l2", "neumann", "mixed"}},
       &E::method},
      {limit("rho0", "penalty of the force, of `l2`, `neumann` and `mixed`", "", "none"), &E::rho0},
      {limit("rho1", "penalty of its rate, of `neumann` and `mixed`", "", "none"), &E::rho1},
      {limit("force", "the largest, of `auto`", "N, N m", "no limit"), &E::force},
      {limit("acceleration", "the largest, of `auto`", "m/s², rad/s²", "no limit"),
       &E::acceleration},
      {limit("speed", "the largest, of `auto`", "m/s, rad/s", "no limit"), &E::speed},
      {limit("response", "the time in which the last of a distance shrinks to a third, of `auto`",
             "s", "five steps"),
       &E::response},
      {{"uncompensated", "whether gravity and the like are left to the method", {}, "false"},
       &E::uncompensated},
      {limit("active", "0: nothing is held; 1: it is", "", "1"), &E::active}};
  return kFields;
}

void TrackingElement::add_to(ModelWriter& writer) const {
  if (point.has_value() == output.is_given() || !follows.is_given()) {
    return writer.reject("model.missing-key", " needs follows, and point or output.");
  }
  constexpr TrackingMethod kMethods[] = {TrackingMethod::Automatic, TrackingMethod::L2,
                                         TrackingMethod::Neumann, TrackingMethod::Mixed};
  Tracking out{.name = writer.name};
  out.method = kMethods[std::max(method.value, 0)];
  const bool has_rate =
      out.method == TrackingMethod::Neumann || out.method == TrackingMethod::Mixed;
  if ((out.method != TrackingMethod::Automatic && !rho0) || (has_rate && !rho1)) {
    return writer.reject("model.missing-key", has_rate ? " needs rho0 and rho1." : " needs rho0.");
  }
  Model& model = writer.model;
  if (point) {
    for (int i = 0; i < (model.is_planar ? 2 : 3); ++i) {
      const int quantity = model.coordinate_of(
          writer.name + '.' + "xyz" [i], { point->body, point->at }, i);
      out.outputs.push_back(writer.quantity(quantity).value);
    }
  } else {
    out.outputs = output.values;
  }
  if (follows.values.size() != out.outputs.size()) {
    return writer.reject_key("follows", "model.wrong-dimension",
                             " must have " + std::to_string(out.outputs.size()) +
                                 " components; found " + std::to_string(follows.values.size()) +
                                 ".");
  }
  out.targets = follows.values;
  const auto given = [](const std::optional<Expr>& e, double unless) {
    return e ? *e : Expr(unless);
  };
  out.rho0 = given(rho0, 0);
  out.rho1 = given(rho1, 0);
  out.max_force = given(force, 0);
  out.max_acceleration = given(acceleration, 0);
  out.max_speed = given(speed, 0);
  out.response = given(response, 0);
  out.is_active = given(active, 1);
  out.compensates = !uncompensated;
  out.where = writer.where();

  // The power of the forces is Σ μ_k ṡ_k: on each quantity acts Σ_k μ_k ∂s_k/∂(quantity).
  for (std::size_t k = 0; k < out.outputs.size(); ++k) {
    std::string name = writer.name + ".force";
    if (out.outputs.size() > 1) {
      name += point ? std::string("_") + "xyz"[k] : '_' + std::to_string(k + 1);
    }
    const Expr symbol = model.graph->symbol(name);
    model.first_order.push_back({name, symbol, 0, writer.where()});
    model.initial.push_back({symbol, 0, true, writer.where()});
    out.forces.push_back(symbol);
  }
  std::vector<Expr> values;
  for (const Quantity& quantity : model.quantities) values.push_back(quantity.value);
  const SparseExpr by_value = jacobian(out.outputs, values);
  Force pull;
  for (std::size_t j = 0; j < values.size(); ++j) {
    const int first = by_value.pattern.column_start[j], last = by_value.pattern.column_start[j + 1];
    Expr effort = 0;
    for (auto n = static_cast<std::size_t>(first); n < static_cast<std::size_t>(last); ++n) {
      effort += out.forces[static_cast<std::size_t>(by_value.pattern.row[n])] * by_value.values[n];
    }
    if (first < last) pull.actions.push_back({static_cast<int>(j), effort});
  }
  if (pull.actions.empty()) {
    return writer.reject_key("output", "model.bad-value", " does not move.");
  }
  writer.add_force(std::move(pull));
  model.tracking.push_back(std::move(out));
}

}  // namespace koppel

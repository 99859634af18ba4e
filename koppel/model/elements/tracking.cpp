#include <koppel/model/elements/tracking.hpp>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/model/rotation_signal.hpp>

namespace koppel {

const std::vector<Field<TrackingElement>>& TrackingElement::fields() {
  using E = TrackingElement;
  const auto limit = [](std::string_view key, std::string_view text, std::string_view unit,
                        std::string_view unless_given) {
    return FieldInfo{.key = key,
                     .text = text,
                     .unit = unit,
                     .unless_given = unless_given,
                     .allow = Allow::Everything,
                     .bound = Bound::Positive};
  };
  static const std::vector<Field<E>> kFields = {
      {{.key = "point", .text = "the point that follows", .unless_given = "`output`"}, &E::point},
      {{.key = "orientation",
        .text = "instead of a point: the body whose orientation follows",
        .unless_given = "`point`"},
       &E::orientation},
      {{.key = "output",
        .text = "instead of a point: an expression of positions, or a list of them in one unit",
        .unless_given = "`point`",
        .allow = Allow::Positions},
       &E::output},
      {{.key = "follows",
        .text = "the signal: one expression for each component, of time, inputs and positions",
        .unit = "m, rad",
        .allow = Allow::Everything},
       &E::follows},
      {{.key = "form",
        .text = "meaning of the signal of an orientation in space; a quaternion may have any "
                "length, scalar first",
        .unless_given = "`quaternion` for 4 components, else `rotation-vector`",
        .words = {"rotation-vector", "roll-pitch-yaw", "quaternion"}},
       &E::form},
      {{.key = "method",
        .text = "how the force is chosen",
        .unless_given = "`auto`",
        .words = {"auto", "l2", "neumann", "mixed"}},
       &E::method},
      {limit("rho0", "penalty on the force, for `l2`, `neumann` and `mixed`", "", "none"),
       &E::rho0},
      {limit("rho1", "penalty on its rate, for `neumann` and `mixed`", "", "none"), &E::rho1},
      {limit("force", "largest force; for an orientation, the largest torque", "N, N m",
             "no limit"),
       &E::force},
      {limit("acceleration", "largest acceleration, for `auto`", "m/s², rad/s²", "no limit"),
       &E::acceleration},
      {limit("speed", "largest speed, for `auto`", "m/s, rad/s", "no limit"), &E::speed},
      {limit("response", "time in which the last part of a distance shrinks to a third, for `auto`",
             "s", "five steps"),
       &E::response},
      {{"uncompensated", "leave gravity and other constant forces to the method", {}, "false"},
       &E::uncompensated},
      {{.key = "active",
        .text = "1: on, 0: off",
        .unless_given = "1",
        .allow = Allow::Everything,
        .bound = Bound::NotNegative},
       &E::active}};
  return kFields;
}

namespace {

// What follows, with its targets, into `out`; false: rejected.
class Follows {
 public:
  Follows(const TrackingElement& element, ModelWriter& writer, Tracking& out)
      : element_(element), writer_(writer), model_(writer.model), out_(out) {}

  bool find() {
    out_.targets = element_.follows.values;
    if (!model_.is_planar && !turned().empty()) return find_orientation();
    if (!turned().empty()) {
      out_.outputs = {Expr(0)};
      for (const TrackingElement::Weighed& w : turned()) {
        const int angle = model_.body_angle(name_of(w.body) + ".angle", w.body);
        const Mat3e& R = writer_.axes_of_model.R;
        out_.outputs[0] += w.weight * (writer_.quantity(angle).value - atan2(R(1, 0), R(0, 0)));
      }
    } else if (element_.point) {
      for (int i = 0; i < (model_.is_planar ? 2 : 3); ++i) {
        const int quantity = model_.coordinate_of(
            writer_.name + '.' + "xyz" [i], { element_.point->body, element_.point->at }, i,
            reference());
        out_.outputs.push_back(writer_.quantity(quantity).value);
      }
    } else {
      out_.outputs = element_.output.values;
    }
    return has_targets(out_.outputs.size());
  }

 private:
  // What coordinates are seen from: the frame of a sub-assembly.
  Marker reference() const { return {kGround, writer_.axes_of_model.r, writer_.axes_of_model.R}; }
  std::string name_of(int body) const { return writer_.name + '.' + writer_.body(body).name; }

  std::vector<TrackingElement::Weighed> turned() const {
    if (element_.orientation) return {{element_.orientation->body, 1}};
    return element_.turned;
  }

  bool has_targets(std::size_t size) {
    if (out_.targets.size() == size) return true;
    writer_.reject_key("follows", "model.wrong-dimension",
                       " must have " + std::to_string(size) + " components; found " +
                           std::to_string(out_.targets.size()) + ".");
    return false;
  }

  // Outputs whose rates are the angular velocity have no values of their own, which stand for zero:
  // the target is what is left to turn.
  bool find_orientation() {
    RotationForm form =
        out_.targets.size() == 4 ? RotationForm::Quaternion : RotationForm::RotationVector;
    constexpr RotationForm kForms[] = {RotationForm::RotationVector, RotationForm::RollPitchYaw,
                                       RotationForm::Quaternion};
    if (element_.form.value >= 0) form = kForms[element_.form.value];
    if (!has_targets(form == RotationForm::Quaternion ? 4 : 3)) return false;
    Mat3e R;
    out_.outputs.assign(3, Expr(0));
    for (const TrackingElement::Weighed& w : turned()) {
      const std::string name = name_of(w.body);
      const Vec3e origin = world(name + ".o", w.body, {});
      for (std::size_t j = 0; j < 3; ++j) {
        Vec3e unit;
        unit[j] = 1;
        R.column[j] =
            R.column[j] + w.weight * (world(name + ".e" + "xyz"[j], w.body, unit) - origin);
        const int rate =
            model_.angular_velocity(name + ".w" + "xyz"[j], w.body, static_cast<int>(j), false);
        out_.outputs[j] += w.weight * writer_.quantity(rate).value;
      }
    }
    const Mat3e& frame = writer_.axes_of_model.R;
    const Vec3e left =
        frame * rotation_between(transpose(frame) * R, quaternion_of_signal(form, out_.targets));
    out_.targets = {left.x, left.y, left.z};
    return true;
  }

  Vec3e world(const std::string& name, int body, const Vec3e& at) {
    Vec3e out;
    for (std::size_t i = 0; i < 3; ++i) {
      const int quantity = model_.coordinate_of(
          name + '.' + "xyz" [i], { body, at }, static_cast<int>(i));
      out[i] = writer_.quantity(quantity).value;
    }
    return out;
  }

  const TrackingElement& element_;
  ModelWriter& writer_;
  Model& model_;
  Tracking& out_;
};

}  // namespace

void TrackingElement::add_to(ModelWriter& writer) const {
  const int count = static_cast<int>(point.has_value()) + static_cast<int>(output.is_given()) +
                    static_cast<int>(orientation.has_value() || !turned.empty());
  if (count != 1 || !follows.is_given()) {
    return writer.reject_missing(" needs follows, and one of point, orientation and output.");
  }
  constexpr TrackingMethod kMethods[] = {TrackingMethod::Automatic, TrackingMethod::L2,
                                         TrackingMethod::Neumann, TrackingMethod::Mixed};
  Tracking out{.name = writer.name};
  out.method = kMethods[std::max(method.value, 0)];
  const bool has_rate =
      out.method == TrackingMethod::Neumann || out.method == TrackingMethod::Mixed;
  if ((out.method != TrackingMethod::Automatic && !rho0) || (has_rate && !rho1)) {
    return writer.reject_missing(has_rate ? " needs rho0 and rho1." : " needs rho0.");
  }
  if (out.method != TrackingMethod::Automatic) {
    for (const auto& [key, value] :
         {std::pair{"acceleration", &acceleration}, {"speed", &speed}, {"response", &response}}) {
      if (!*value) continue;
      return writer.reject_key(
          key, "model.bad-value",
          " belongs to the method `auto`; this one keeps limits of force only.");
    }
  }
  if (point && point->body == kGround) {
    return writer.reject_key("point", "model.bad-value", " must be on a body, not on the ground.");
  }
  if (!Follows(*this, writer, out).find()) return;
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

  Model& model = writer.model;
  const bool is_turned = orientation || !turned.empty();
  for (std::size_t k = 0; k < out.outputs.size(); ++k) {
    std::string name = writer.name + (is_turned ? ".torque" : ".force");
    if (out.outputs.size() > 1) {
      name += output.is_given() ? '_' + std::to_string(k + 1) : std::string("_") + "xyz"[k];
    }
    const Expr symbol = model.graph->symbol(name);
    model.first_order.push_back({name, symbol, 0, writer.where()});
    model.initial.push_back({symbol, 0, true, writer.where()});
    out.forces.push_back(symbol);
  }
  // The power of the forces is Σ μ_k ṡ_k: on each quantity acts Σ_k μ_k ∂s_k/∂(quantity).
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

#include <koppel/model/elements/friction.hpp>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {
namespace {

// Whose angle or position it is; −1: of no joint.
int joint_of(const Quantity& quantity) {
  if (const auto* angle = std::get_if<Quantity::JointAngle>(&quantity.of)) return angle->joint;
  const auto* position = std::get_if<Quantity::JointPosition>(&quantity.of);
  return position == nullptr ? -1 : position->joint;
}

}  // namespace

const std::vector<Field<Friction>>& Friction::fields() {
  static const std::vector<Field<Friction>> kFields = {
      {{"joint", "the joint it acts in"}, &Friction::joint},
      {{"torque", "magnitude against the rate of the joint's angle", "N m", "none",
        Allow::Everything},
       &Friction::torque},
      {{"force", "magnitude against the rate of the joint's position", "N", "none",
        Allow::Everything},
       &Friction::force},
      {{.key = "velocity",
        .text = "rate below which friction is viscous",
        .unit = "rad/s or m/s",
        .bound = Bound::Positive},
       &Friction::velocity},
      stiff_field<Friction>()};
  return kFields;
}

void Friction::add_to(ModelWriter& writer) const {
  if (!joint || (!torque && !force) || !velocity) {
    return writer.reject_missing(" needs joint, torque (or force) and velocity.",
                                 "Below the velocity, friction is viscous.");
  }
  Model& model = writer.model;
  const int index = joint_of(writer.quantity(joint->quantity));
  if (index < 0) {
    return writer.reject_at("joint", "model.wrong-joint", " acts on what is not a joint.",
                            "Give the angle or the position of a joint.");
  }
  const Joint& acts_in = model.joints[static_cast<std::size_t>(index)];
  const auto lacks = [&](const char* key, const char* what, const char* hint) {
    writer.reject_at(
        key, "model.wrong-joint",
        " has a " + std::string(key) + ", but joint '" + acts_in.name + "' has no " + what + ".",
        hint);
  };
  if (torque && !acts_in.law->has_angle()) {
    lacks("torque", "angle", "Give force instead: it acts along the position.");
  }
  if (force && !acts_in.law->has_position()) {
    lacks("force", "position", "Give torque instead: it acts about the angle.");
  }
  if (writer.is_rejected()) return;
  Force made{.is_stiff = stiff};
  const auto act = [&](int on, Expr size) {
    made.actions.push_back({on, -size * tanh(writer.quantity(on).rate / *velocity)});
  };
  if (torque) act(model.angle_of(index), *torque);
  if (force) act(model.position_of(index), *force);
  writer.add_force(std::move(made));
}

}  // namespace koppel

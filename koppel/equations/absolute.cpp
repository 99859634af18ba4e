// Absolute coordinates: each body by the position of its centre of mass and its rotation; in space
// a unit quaternion or Cardan angles, with the angular velocity in body axes as velocity. The mass
// matrix is constant and block diagonal; every joint is a constraint.
#include <koppel/equations/kinematics.hpp>

namespace koppel {
namespace {

// Cardan angles: R = R_x(α) R_y(β) R_z(γ). In body axes
//   ω = (cβ cγ α̇ + sγ β̇,  −cβ sγ α̇ + cγ β̇,  sβ α̇ + γ̇),
// inverted below; singular where cos β = 0.
Mat3e add_cardan(Kinematics& kinematics, Graph& graph, const Equations::Owner& owner,
                 const Mat3<double>& guess, Vec3e& omega) {
  const std::string& name = owner.name;
  omega = {kinematics.add_velocity(graph, name + ".omega.x", {owner, "rad/s"}),
           kinematics.add_velocity(graph, name + ".omega.y", {owner, "rad/s"}),
           kinematics.add_velocity(graph, name + ".omega.z", {owner, "rad/s"})};
  const Expr alpha = graph.symbol(name + ".alpha"), beta = graph.symbol(name + ".beta"),
             gamma = graph.symbol(name + ".gamma");
  const Expr alpha_rate = (cos(gamma) * omega.x - sin(gamma) * omega.y) / cos(beta);
  kinematics.add_driven_coordinate(graph, name + ".alpha", alpha_rate,
                                   std::atan2(-guess(1, 2), guess(2, 2)), {owner, "rad"});
  kinematics.add_driven_coordinate(
      graph, name + ".beta", sin(gamma) * omega.x + cos(gamma) * omega.y,
      std::atan2(guess(0, 2), std::hypot(guess(0, 0), guess(0, 1))), {owner, "rad"});
  kinematics.add_driven_coordinate(graph, name + ".gamma", omega.z - sin(beta) * alpha_rate,
                                   std::atan2(-guess(0, 1), guess(0, 0)), {owner, "rad"});
  return rotation(Vec3e{1, 0, 0}, alpha) * rotation(Vec3e{0, 1, 0}, beta) *
         rotation(Vec3e{0, 0, 1}, gamma);
}

}  // namespace

Vec3e add_free_body(Kinematics& kinematics, const Model& model, const ParameterValues& values,
                    std::size_t index, bool cardan) {
  Graph& graph = *model.graph;
  const Body& body = model.bodies[index];
  const Equations::Owner owner = owner_of_body(model, index);
  BodyFrame& frame = kinematics.bodies[index];
  const NumericFrame start = values.body(static_cast<int>(index));
  const Vec3<double> centre = start.r + start.R * values(body.com);
  Vec3e r, velocity, omega;
  for (std::size_t axis = 0; axis < (model.is_planar ? 2u : 3u); ++axis) {
    const std::string name = body.name + ".com." + "xyz"[axis];
    r[axis] = kinematics.add_coordinate(graph, name, centre[axis], {owner, "m"});
    velocity[axis] = kinematics.v.back();
  }
  if (body.is_point) {
    frame.R = body.rotation;
  } else if (model.is_planar) {
    frame.angle = kinematics.add_coordinate(
        graph, body.name + ".angle", std::atan2(start.R(1, 0), start.R(0, 0)), {owner, "rad"});
    frame.R = rotation(Vec3e{0, 0, 1}, *frame.angle);
    omega.z = kinematics.v.back();
  } else if (cardan) {
    frame.R = add_cardan(kinematics, graph, owner, start.R, omega);
  } else {
    const QuaternionCoordinates c = add_quaternion(kinematics, graph, owner, start.R);
    frame.R = rotation(c.e);
    omega = c.omega;
  }
  frame.r = r - frame.R * body.com;
  frame.omega = frame.R * omega;
  kinematics.inertias.push_back(rigid_inertia(body, velocity, omega));
  return velocity;
}

Kinematics make_absolute(const Model& model, bool cardan) {
  const ParameterValues values(model);
  Kinematics kinematics = start_kinematics(model, cardan ? "cardan" : "absolute");
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    add_free_body(kinematics, model, values, i, cardan);
  }
  return kinematics;
}

}  // namespace koppel

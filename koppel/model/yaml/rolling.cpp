// Rolling without slip on a fixed plane through `at` with the unit normal n.
//
// A ball of radius r about c touches the plane at c + ρ with ρ = −r n; a thin disc with the axis a
// at the point of its rim that is lowest,
//   ρ = −r (n − (n·a) a) / √(1 − (n·a)²)                                                   (1)
// That it stays on the plane and does not slip is
//   n·(c + ρ − p) = 0                                                                      (2)
//   τ·(ċ + ω × ρ) = 0    for two directions τ in the plane                                 (3)
// In the plane (3) is the rate of τ·c + r φ, which is kept constant instead. The axis a and the
// velocities are given by quantities: c and c + a are points of the body.
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::read_rolling(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  check_keys(node, what, {"type", "body", "radius", "axis", "normal", "at"});
  const Node* on = node.find("body");
  const Node* radius = node.find("radius");
  if (on == nullptr || radius == nullptr) {
    report(element.offset, "model.missing-key", what + " needs body and radius.");
    return;
  }
  const std::optional<Point> centre = point(*on, what);
  const Number r = number(*radius, "radius of " + what);
  if (!centre) return;
  if (!(r.value > 0)) {
    report(radius->offset, "model.bad-value", "radius of " + what + " must be positive.");
    return;
  }
  if (centre->body == kGround) {
    report(on->offset, "model.self-joint", what + " rolls the ground on itself.");
    return;
  }
  const bool flat = model_.is_planar;
  Vector normal = flat ? Vector{{0, 1, 0}, {0, 1, 0}} : Vector{{0, 0, 1}, {0, 0, 1}};
  if (const Node* n = node.find("normal"))
    normal = nonzero(vector(*n, "normal of " + what), *n, "normal of " + what);
  normal = placement_.direction(normal);
  Vector origin;
  if (const Node* at = node.find("at")) origin = vector(*at, "at of " + what);
  origin = placement_.point(origin);

  const std::string name = element.full_name;
  const auto world = [&](const std::string& point_name, const Vec3e& at) {
    std::pair<Vec3e, Vec3e> value_and_rate;
    for (std::size_t i = 0; i < (flat ? 2U : 3U); ++i) {
      const std::string coordinate = name + '.' + point_name + '.' + "xyz"[i];
      const int q = model_.coordinate_of(coordinate, {centre->body, at}, static_cast<int>(i));
      value_and_rate.first[i] = model_.quantities[static_cast<std::size_t>(q)].value;
      value_and_rate.second[i] = model_.quantities[static_cast<std::size_t>(q)].rate;
    }
    return value_and_rate;
  };
  const auto [c, c_rate] = world("centre", centre->at.e);
  const Location where = source_.at(element.offset);
  const Marker plane = make_marker(kGround, origin.e, normal.e);
  const Vec3e n = plane.axes.column[2];
  if (flat) {
    const Vec3e tangent{n.y, -n.x, 0};
    const int q = model_.body_angle(
        model_.bodies[static_cast<std::size_t>(centre->body)].name + ".angle", centre->body);
    const Expr phi = model_.quantities[static_cast<std::size_t>(q)].value;
    const Placement& pose = names_.poses[static_cast<std::size_t>(centre->body)];
    const Expr start_phi = atan2(pose.R.e(1, 0), pose.R.e(0, 0));
    const Vec3e start = pose.point(centre->at).e;
    model_.constraints.push_back({name + ".contact", dot(n, c - origin.e) - r.e, where});
    model_.constraints.push_back(
        {name + ".slip", dot(tangent, c - start) + r.e * (phi - start_phi), where});
    return;
  }
  Vec3e rho = -r.e * n;
  if (const Node* axis_node = node.find("axis")) {
    const auto axis = axis_of(*axis_node, *centre, what);
    if (!axis) return;
    const Vec3e a = world("axis", centre->at.e + normalized(axis->e)).first - c;
    const Expr lean = dot(n, a);
    rho = -r.e / sqrt(1 - lean * lean) * (n - lean * a);  // Eq. (1)
  }
  Vec3e omega;
  for (std::size_t i = 0; i < 3; ++i) {
    const int q = model_.angular_velocity(name + ".omega." + "xyz"[i], centre -> body,
                                          static_cast<int>(i), false);
    omega[i] = model_.quantities[static_cast<std::size_t>(q)].rate;
  }
  const Vec3e slip = c_rate + cross(omega, rho);
  model_.constraints.push_back({name + ".contact", dot(n, c + rho - origin.e), where});  // Eq. (2)
  model_.nonholonomic.push_back(
      {name + ".slip_x", dot(plane.axes.column[0], slip), where});  // Eq. (3)
  model_.nonholonomic.push_back({name + ".slip_y", dot(plane.axes.column[1], slip), where});
}

}  // namespace koppel::yaml

// Rolling without slip on a fixed plane through `at` with the unit normal n.
//
// A ball of radius r about c touches the plane at c + ρ with ρ = −r n; a thin disc with the axis a
// at the point of its rim that is lowest,
//   ρ = −r (n − (n·a) a) / √(1 − (n·a)²)                                                   (1)
// That it stays on the plane and does not slip is
//   n·(c + ρ − p) = 0                                                                      (2)
//   τ·(ċ + ω × ρ) = 0    for two directions τ in the plane                                 (3)
// In the plane (3) is the rate of τ·c + r φ, which is kept constant instead.
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
  const std::optional<Wheel> wheel = read_wheel(element, *on, *radius, what);
  if (!wheel) return;
  const std::string name = element.full_name;
  const Location where = source_.at(element.offset);
  const Expr r = wheel->radius.e;
  const Vec3e &c = wheel->c.value, &n = wheel->plane.axes.column[2], &p = wheel->plane.point;
  const int body = wheel->centre.body;
  if (model_.is_planar) {
    const Vec3e tangent{n.y, -n.x, 0};
    const int q =
        model_.body_angle(model_.bodies[static_cast<std::size_t>(body)].name + ".angle", body);
    const Expr phi = model_.quantities[static_cast<std::size_t>(q)].value;
    const Placement& pose = names_.poses[static_cast<std::size_t>(body)];
    const Expr start_phi = atan2(pose.R.e(1, 0), pose.R.e(0, 0));
    const Vec3e start = pose.point(wheel->centre.at).e;
    model_.constraints.push_back({name + ".contact", dot(n, c - p) - r, where});
    model_.constraints.push_back(
        {name + ".slip", dot(tangent, c - start) + r * (phi - start_phi), where});
    return;
  }
  Vec3e rho = -r * n;
  if (wheel->axis) {
    const Expr lean = dot(n, *wheel->axis);
    rho = -r / sqrt(1 - lean * lean) * (n - lean * *wheel->axis);  // Eq. (1)
  }
  const Vec3e omega = world_angular_velocity(name + ".omega", body).rate;
  const Vec3e slip = wheel->c.rate + cross(omega, rho);
  model_.constraints.push_back({name + ".contact", dot(n, c + rho - p), where});  // Eq. (2)
  const Mat3e& axes = wheel->plane.axes;
  model_.nonholonomic.push_back({name + ".slip_x", dot(axes.column[0], slip), where});  // Eq. (3)
  model_.nonholonomic.push_back({name + ".slip_y", dot(axes.column[1], slip), where});
}

}  // namespace koppel::yaml

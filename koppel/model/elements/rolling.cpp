#include <koppel/model/elements/rolling.hpp>

#include <koppel/model/elements/wheel.hpp>

namespace koppel {

const std::vector<Field<Rolling>>& Rolling::fields() {
  static const std::vector<Field<Rolling>> kFields =
      std::vector<Field<Rolling>>{
          {{"body", "the rolling body, or the point of it that is the centre"}, &Rolling::body},
          {{.key = "radius",
            .text = "radius of the disc or ball",
            .unit = "m",
            .bound = Bound::Positive},
           &Rolling::radius}} +
      plane_fields<Rolling>() +
      std::vector<Field<Rolling>>{
          {{.key = "side",
            .text =
                "below this angle to the plane a disc rolls on its side, which is a spherical cap",
            .unit = "rad",
            .unless_given = "a thin disc, which must not lie",
            .bound = Bound::Positive},
           &Rolling::side}};
  return kFields;
}

void Rolling::add_to(ModelWriter& writer) const {
  if (!body || !radius) return writer.reject_missing(" needs body and radius.");
  if (side && !axis) {
    return writer.reject_missing(" has a 'side' only with an axis: a ball has none.", {},
                                 "model.missing-key", "side");
  }
  const std::optional<Wheel> wheel = put_on_plane(writer, "body", *body, *radius, axis, normal, at);
  if (!wheel) return;
  Model& model = writer.model;
  const Expr r = *radius;
  const Vec3e &c = wheel->c.value, &n = wheel->plane.axes.column[2], &p = wheel->plane.point;
  const int index = wheel->centre.body;
  const Body& rolls = writer.body(index);
  Contact contact{.name = writer.name,
                  .type = kInfo.type,
                  .frame = wheel->plane,
                  .point = {index, wheel->centre.at}};
  contact.coordinates = wheel->coordinates;
  if (model.is_planar) {
    const Vec3e tangent{n.y, -n.x, 0};
    const Expr phi = writer.quantity(model.body_angle(rolls.name + ".angle", index)).value;
    const Expr start_phi = atan2(rolls.rotation(1, 0), rolls.rotation(0, 0));
    const Vec3e start = writer.in_world(index, wheel->centre.at);
    contact.frame.axes = {{tangent, cross(n, tangent), n}};
    contact.constraints = {
        writer.add_constraint(".contact", dot(n, c - p) - r),
        writer.add_constraint(".slip", dot(tangent, c - start) + r * (phi - start_phi))};
    model.contacts.push_back(std::move(contact));
    return;
  }
  Vec3e rho = -r * n;
  if (wheel->axis) {
    // Eq. (1). The root is that of 1 − (n·a)² as a sum of squares: steps try places with an axis
    // that is longer than 1, where the difference could be negative for a disc that nearly lies.
    const Vec3e& a = *wheel->axis;
    const Vec3e up = n - dot(n, a) * a;
    if (!side) {
      rho = -r / sqrt(dot(up, up)) * up;
    } else {  // Eq. (4); of the branch that is not taken nothing may be infinite
      const Expr sine = sin(*side), least = sine * sine;
      const Expr by = -r / sqrt(max(dot(up, up), least)), across = r * cos(*side) / sine;
      for (std::size_t i = 0; i < 3; ++i) {
        rho[i] = select(dot(up, up) < least, sign(dot(n, a)) * across * a[i] - r / sine * n[i],
                        by * up[i]);
      }
    }
  }
  const Vec3e omega = writer.world_angular_velocity("omega", index).rate;
  const Vec3e slip = wheel->c.rate + cross(omega, rho);
  contact.constraints = {writer.add_constraint(".contact", dot(n, c + rho - p))};  // Eq. (2)
  const Mat3e& axes = wheel->plane.axes;
  contact.nonholonomic = {writer.add_nonholonomic(".slip_x", dot(axes.column[0], slip)),  // Eq. (3)
                          writer.add_nonholonomic(".slip_y", dot(axes.column[1], slip))};
  model.contacts.push_back(std::move(contact));
}

}  // namespace koppel

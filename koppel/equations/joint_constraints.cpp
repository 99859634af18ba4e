// The equations of the joints, from the frames of their two markers a and b. With r the points,
// x, y, z the axes and d = r_b − r_a:
//
//   points coincide           d = 0                                 (three rows)
//   z axes parallel           x_a·z_b = 0,  y_a·z_b = 0             (two)
//   no turning about z        x_a·y_b = 0                           (one, with parallel z axes)
//   point of b on z axis of a x_a·d = 0,  y_a·d = 0                 (two)
//   point of b in x-y plane   z_a·d = 0                             (one)
//   distance                  d·d − L² = 0                          (one)
//   universal                 z_a·x_b = 0                           (one)
//   screw                     z_a·d − pitch·angle/2π = 0            (one)
//
// In a planar model the rows that hold by themselves are the number 0 and vanish.
#include <numbers>

#include <koppel/equations/kinematics.hpp>

namespace koppel {

std::vector<ConstraintRow> constraints_of(const Joint& joint, const MarkerFrame& a,
                                          const MarkerFrame& b,
                                          const Kinematics::JointState& state) {
  std::vector<ConstraintRow> rows;
  const auto hold = [&](const char* what, Expr residual) {
    rows.push_back({joint.name, joint.name + '.' + what, residual});
  };
  const Vec3e d = b.r - a.r;
  const Vec3e &xa = a.R.column[0], &ya = a.R.column[1], &za = a.R.column[2];
  const Vec3e &xb = b.R.column[0], &yb = b.R.column[1], &zb = b.R.column[2];
  const auto points_coincide = [&] {
    if (!state.shares_point) hold("x", d.x), hold("y", d.y), hold("z", d.z);
  };
  const auto axes_parallel = [&] {
    if (!state.shares_axis) hold("tilt_x", dot(ya, zb)), hold("tilt_y", dot(xa, zb));
  };
  const auto no_turning = [&] { hold("turn", dot(xa, yb)); };
  const auto on_axis = [&] { hold("off_x", dot(xa, d)), hold("off_y", dot(ya, d)); };
  const auto in_plane = [&] { hold("off_z", dot(za, d)); };
  switch (joint.kind) {
    case JointKind::Revolute: points_coincide(), axes_parallel(); break;
    case JointKind::Prismatic: axes_parallel(), no_turning(), on_axis(); break;
    case JointKind::Cylindrical: axes_parallel(), on_axis(); break;
    case JointKind::Screw:
      axes_parallel(), on_axis();
      hold("advance", dot(za, d) - joint.pitch * (*state.angle / (2 * std::numbers::pi)));
      break;
    case JointKind::Spherical: points_coincide(); break;
    case JointKind::Universal: points_coincide(), hold("cross", dot(za, xb)); break;
    case JointKind::Planar: axes_parallel(), in_plane(); break;
    case JointKind::Fixed: points_coincide(), axes_parallel(), no_turning(); break;
    case JointKind::Distance: hold("length", dot(d, d) - joint.length * joint.length); break;
    case JointKind::PointOnLine: on_axis(); break;
    case JointKind::PointOnPlane: in_plane(); break;
  }
  return rows;
}

}  // namespace koppel

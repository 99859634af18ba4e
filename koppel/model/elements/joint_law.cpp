#include <koppel/model/elements/joint_law.hpp>

namespace koppel {

JointRows::JointRows(const MarkerFrame& a, const MarkerFrame& b, std::optional<Expr> angle_,
                     bool shares_point, bool shares_axis)
    : d(b.r - a.r),
      xa(a.R.column[0]),
      ya(a.R.column[1]),
      za(a.R.column[2]),
      xb(b.R.column[0]),
      yb(b.R.column[1]),
      zb(b.R.column[2]),
      angle(angle_),
      shares_point_(shares_point),
      shares_axis_(shares_axis) {}

void JointRows::points_coincide() {
  if (shares_point_) return;
  hold("x", d.x, Holds::Point, "m");
  hold("y", d.y, Holds::Point, "m");
  hold("z", d.z, Holds::Point, "m");
}

void JointRows::axes_parallel() {
  if (shares_axis_) return;
  hold("tilt_x", dot(ya, zb), Holds::Tilt);
  hold("tilt_y", dot(xa, zb), Holds::Tilt);
}

void JointRows::no_turning() { hold("turn", dot(xa, yb), Holds::Turn); }

void JointRows::point_on_axis() {
  hold("off_x", dot(xa, d), Holds::Shift, "m");
  hold("off_y", dot(ya, d), Holds::Shift, "m");
}

void JointRows::point_in_plane() { hold("off_z", dot(za, d), Holds::Shift, "m"); }

void JointMotion::turn() {
  const Coordinate phi = add("angle", atan2(start_Q()(1, 0), start_Q()(0, 0)), "rad");
  angle = phi.value;
  Q = rotation(Vec3e{0, 0, 1}, phi.value);
  w.z = phi.rate;
}

void JointMotion::slide(const char* name, std::size_t axis) {
  const Coordinate s = add(name, start_d()[axis], "m");
  d[axis] = s.value;
  d_rate[axis] = s.rate;
}

}  // namespace koppel

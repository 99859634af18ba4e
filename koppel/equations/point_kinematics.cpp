#include <koppel/equations/point_kinematics.hpp>

#include <array>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/equations/quantities.hpp>

namespace koppel {
namespace {

bool is_zero(const Vec3e& a) {
  return a.x.is_constant(0) && a.y.is_constant(0) && a.z.is_constant(0);
}

SparseExpr by_velocities(const Vec3e& a, const Kinematics& k) {
  const std::array<Expr, 3> components = {a.x, a.y, a.z};
  return jacobian(components, k.v);
}

// Eq. (1).
PointKinematics point_of(const std::string& name, const Vec3e& local, const BodyFrame& frame,
                         const Kinematics& k, Expr time) {
  PointKinematics out;
  out.name = name;
  out.position = frame.r + frame.R * local;
  const std::array<Expr, 3> position = {out.position.x, out.position.y, out.position.z};
  const std::vector<Expr> rate = rate_of(k, time, position);
  out.velocity = {rate[0], rate[1], rate[2]};
  out.jacobian = by_velocities(out.velocity, k);
  return out;
}

}  // namespace

ModelKinematics describe_kinematics(const Model& model, const std::string& set) {
  if (model.bodies.size() <= 1) {
    throw Error("equations.no-bodies",
                "'" + model.name + "' has no bodies: its coordinates are its own.",
                "Kinematics are those of bodies and their points.");
  }
  const Model placed = placed_for(model, set);
  const Kinematics k = make_kinematics(placed, set);
  ModelKinematics out{k.set, k.q, k.v, {}};
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const BodyFrame& frame = k.bodies[i];
    BodyKinematics& b = out.bodies.emplace_back();
    b.name = body.name;
    b.axes = frame.R;
    b.angular_velocity = frame.omega;
    b.angular_jacobian = by_velocities(frame.omega, k);
    b.points.push_back(point_of("", {}, frame, k, model.time));
    if (!is_zero(body.com)) b.points.push_back(point_of("com", body.com, frame, k, model.time));
    for (const NamedVector& point : body.points) {
      b.points.push_back(point_of(point.name, point.value, frame, k, model.time));
    }
  }
  return out;
}

}  // namespace koppel

#include <koppel/equations/kinematics.hpp>

#include <cmath>

#include <koppel/equations/units.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {

Expr Kinematics::add_driven_coordinate(Graph& graph, const std::string& name, Expr rate_,
                                       double guess, Equations::Unknown about) {
  q.push_back(graph.symbol(name));
  about_q.push_back(std::move(about));
  rate.push_back(rate_);
  q_guess.push_back(guess);
  return q.back();
}

Expr Kinematics::add_velocity(Graph& graph, const std::string& name, Equations::Unknown about) {
  v.push_back(graph.symbol(name));
  about_v.push_back(std::move(about));
  return v.back();
}

Expr Kinematics::add_coordinate(Graph& graph, const std::string& name, double guess,
                                const Equations::Unknown& about) {
  const Expr rate_ =
      add_velocity(graph, name + '\'', {about.owner, unit_of_derivative(about.unit)});
  return add_driven_coordinate(graph, name, rate_, guess, about);
}

double expected_value(const Model& model, const ParameterValues& values, Expr symbol) {
  for (const Initial& initial : model.initial) {
    if (initial.symbol == symbol) return values(initial.value);
  }
  return 0;
}

Kinematics start_kinematics(const Model& model, const char* set) {
  const ParameterValues values(model);
  Kinematics kinematics;
  kinematics.set = set;
  kinematics.joints.resize(model.joints.size());
  kinematics.bodies.resize(model.bodies.size());
  kinematics.bodies[kGround].angle = 0;
  for (std::size_t i = 0; i < model.coordinates.size(); ++i) {
    const FreeCoordinate& c = model.coordinates[i];
    const Equations::Owner owner{Equations::Owner::Kind::Coordinate, static_cast<int>(i), c.name};
    kinematics.add_coordinate(*model.graph, c.name, expected_value(model, values, c.value),
                              {owner, unit_of(model, c.value)});
  }
  return kinematics;
}

Equations::Owner owner_of_body(const Model& model, std::size_t index) {
  return {Equations::Owner::Kind::Body, static_cast<int>(index), model.bodies[index].name};
}

Equations::Owner owner_of_joint(const Model& model, std::size_t index) {
  return {Equations::Owner::Kind::Joint, static_cast<int>(index), model.joints[index].name};
}

MarkerFrame locate(const Kinematics& kinematics, const Marker& marker) {
  const BodyFrame& body = kinematics.bodies[static_cast<std::size_t>(marker.body)];
  return {body.r + body.R * marker.point, body.R * marker.axes};
}

double relative_angle(const NumericFrame& a, const NumericFrame& b) {
  const Vec3<double>& x = b.R.column[0];
  return std::atan2(dot(x, a.R.column[1]), dot(x, a.R.column[0]));
}

double relative_position(const NumericFrame& a, const NumericFrame& b) {
  return dot(b.r - a.r, a.R.column[2]);
}

// The largest component first, so that nothing is divided by a small number [Shepperd 1978].
std::array<double, 4> quaternion_of(const Mat3<double>& R) {
  const double trace = R(0, 0) + R(1, 1) + R(2, 2);
  const double candidates[] = {trace, R(0, 0), R(1, 1), R(2, 2)};
  std::size_t largest = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    if (candidates[i] > candidates[largest]) largest = i;
  }
  std::array<double, 4> e{};
  if (largest == 0) {
    e = {1 + trace, R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  } else {
    const std::size_t i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    e[0] = R(k, j) - R(j, k);
    e[1 + i] = 1 + R(i, i) - R(j, j) - R(k, k);
    e[1 + j] = R(j, i) + R(i, j);
    e[1 + k] = R(k, i) + R(i, k);
  }
  const double length = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  for (double& component : e) component /= length;
  return e;
}

// ė = ½ e ∘ (0, ω) for ω in body axes:
//   ė₀ = −½ (e₁ω₁ + e₂ω₂ + e₃ω₃),   ė⃗ = ½ (e₀ ω + e⃗ × ω).
QuaternionCoordinates add_quaternion(Kinematics& kinematics, Graph& graph,
                                     const Equations::Owner& owner, const Mat3<double>& guess) {
  const std::string& name = owner.name;
  QuaternionCoordinates c;
  c.omega = {kinematics.add_velocity(graph, name + ".omega.x", {owner, "rad/s"}),
             kinematics.add_velocity(graph, name + ".omega.y", {owner, "rad/s"}),
             kinematics.add_velocity(graph, name + ".omega.z", {owner, "rad/s"})};
  const std::array<double, 4> start = quaternion_of(guess);
  for (std::size_t i = 0; i < 4; ++i) c.e[i] = graph.symbol(name + ".e" + std::to_string(i));
  const Vec3e vector{c.e[1], c.e[2], c.e[3]};
  const Vec3e rate = Expr(0.5) * (c.e[0] * c.omega + cross(vector, c.omega));
  const Expr rates[] = {-0.5 * dot(vector, c.omega), rate.x, rate.y, rate.z};
  for (std::size_t i = 0; i < 4; ++i) {
    kinematics.add_driven_coordinate(graph, name + ".e" + std::to_string(i), rates[i], start[i],
                                     {owner});
  }
  kinematics.invariants.push_back(c.e[0] * c.e[0] + dot(vector, vector) - 1);
  return c;
}

// Newton and Euler: I = diag(m, m, m, J), force m v̇, torque J ω̇ + ω × J ω.
Inertia rigid_inertia(const Body& body, const Vec3e& velocity, const Vec3e& omega) {
  const Expr m = body.mass;
  const Mat3e J = body.inertia;
  Inertia inertia;
  inertia.w = {velocity.x, velocity.y, velocity.z, omega.x, omega.y, omega.z};
  inertia.times = [m, J](const std::vector<Expr>& w) {
    const Vec3e momentum = J * Vec3e{w[3], w[4], w[5]};
    return std::vector<Expr>{m * w[0], m * w[1], m * w[2], momentum.x, momentum.y, momentum.z};
  };
  const Vec3e torque = cross(omega, J * omega);
  inertia.gyro = {0, 0, 0, torque.x, torque.y, torque.z};
  return inertia;
}

}  // namespace koppel

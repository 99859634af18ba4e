// Mechanisms that several tests use, built through the C++ API.
#pragma once

#include <array>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <koppel/model/elements/list.hpp>
#include <koppel/model/model.hpp>

namespace koppel::testing {

// A uniform slender rod between two world points, with a square section of the given width; its
// frame is at `from` with x towards `to` (y and z completed as make_marker does).
inline int add_rod(Model& model, const std::string& name, const Vec3<double>& from,
                   const Vec3<double>& to, double mass, double width) {
  const Vec3<double> d = to - from;
  const double length = norm(d);
  Body body;
  body.name = name;
  body.mass = mass;
  body.com = {length / 2, 0, 0};
  const double along = mass * width * width / 6;
  const double across = mass * (length * length + width * width) / 12;
  body.inertia(0, 0) = along;
  body.inertia(1, 1) = across;
  body.inertia(2, 2) = across;
  body.position = {from.x, from.y, from.z};
  const Marker frame = make_marker(kGround, {}, {d.x, d.y, d.z});
  if (model.is_planar) {
    const double c = d.x / length, s = d.y / length;
    body.rotation = {{{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}}};
  } else {
    body.rotation = {{frame.axes.column[2], frame.axes.column[0], frame.axes.column[1]}};
  }
  return model.add_body(std::move(body));
}

// A marker given in world coordinates at the bodies' expected start.
inline Marker world_marker(const Model& model, int body, const Vec3<double>& point,
                           const Vec3<double>& axis) {
  const Body& b = model.bodies[static_cast<std::size_t>(body)];
  const Mat3e R = transpose(b.rotation);
  const Marker world = make_marker(body, {point.x, point.y, point.z}, {axis.x, axis.y, axis.z});
  return {body, R * (world.point - b.position), R * world.axes};
}

inline int add_joint(Model& model, const std::string& name, std::shared_ptr<const JointLaw> law,
                     int a, int b, const Vec3<double>& point,
                     const Vec3<double>& axis = {0, 0, 1}) {
  Joint joint;
  joint.name = name;
  joint.law = law;
  joint.a = world_marker(model, a, point, axis);
  joint.b = world_marker(model, b, point, axis);
  return model.add_joint(std::move(joint));
}

// A linear spring and damper between two points.
inline void add_spring(Model& model, const std::string& name, const Marker& a, const Marker& b,
                       double stiffness, double damping, double free_length) {
  const int quantity = model.distance(name + ".length", a, b);
  const Quantity& q = model.quantities[static_cast<std::size_t>(quantity)];
  Force force;
  force.name = name;
  force.actions.push_back({quantity, -stiffness * (q.value - free_length) - damping * q.rate});
  force.potential = 0.5 * stiffness * (q.value - free_length) * (q.value - free_length);
  model.add_force(std::move(force));
}

// A torque −stiffness·angle − damping·rate on a joint.
inline void add_torsion(Model& model, int joint, double stiffness, double damping) {
  const int quantity = model.angle_of(joint);
  const Quantity& q = model.quantities[static_cast<std::size_t>(quantity)];
  Force force;
  force.name = model.joints[static_cast<std::size_t>(joint)].name + ".torsion";
  force.actions.push_back({quantity, -stiffness * q.value - damping * q.rate});
  model.add_force(std::move(force));
}

inline void set_gravity(Model& model) { model.gravity = {0, -9.81, 0}; }

// Two hanging rods in the plane, with friction in the knee.
inline Model make_double_pendulum() {
  Model model;
  model.name = "double pendulum";
  model.is_planar = true;
  set_gravity(model);
  const int upper = add_rod(model, "upper", {0, 0, 0}, {0.3, -0.9, 0}, 1.3, 0.1);
  const int lower = add_rod(model, "lower", {0.3, -0.9, 0}, {0.9, -1.4, 0}, 0.8, 0.1);
  add_joint(model, "hip", Revolute::law(), kGround, upper, {0, 0, 0});
  add_joint(model, "knee", Revolute::law(), upper, lower, {0.3, -0.9, 0});
  add_torsion(model, 1, 2.0, 0.3);
  return model;
}

// A body with three different moments of inertia and products, held at a point.
inline Model make_heavy_top() {
  Model model;
  model.name = "heavy top";
  set_gravity(model);
  Body top;
  top.name = "top";
  top.mass = 2.1;
  top.com = {0.1, 0.7, -0.2};
  top.inertia = {{{{0.3, 0.02, -0.01}, {0.02, 0.25, 0.03}, {-0.01, 0.03, 0.4}}}};
  top.rotation = rotation(Vec3e{0.6, 0, 0.8}, Expr(0.7));
  model.add_body(std::move(top));
  add_joint(model, "pivot", Spherical::law(), kGround, 1, {0, 0, 0});
  add_spring(model, "spring", {kGround, {0.5, 1.5, 0.2}}, {1, {0.3, 0.4, 0.5}}, 30, 1.5, 0.6);
  const int spin = model.angular_velocity("spin", 1, 1, true);
  const Expr rate = model.quantities[static_cast<std::size_t>(spin)].rate;
  Force drag;
  drag.name = "drag";
  drag.actions = {{spin, -0.4 * rate}};
  model.add_force(std::move(drag));
  return model;
}

// A planar four-bar of spatial bodies with four revolute joints: three equations too many.
inline Model make_four_bar() {
  Model model;
  model.name = "four-bar";
  set_gravity(model);
  const Vec3<double> A{0, 0, 0}, B{0.4, 0.9165151389911681, 0}, D{2.5, 0, 0};
  // C at distance 2.2 from B and 1.8 from D, on the upper side.
  const Vec3<double> d = D - B;
  const double r = norm(d), along = (2.2 * 2.2 - 1.8 * 1.8 + r * r) / (2 * r);
  const double up = std::sqrt(2.2 * 2.2 - along * along);
  const Vec3<double> e = (1 / r) * d;
  const Vec3<double> C = B + along * e + up * Vec3<double>{-e.y, e.x, 0};
  const int crank = add_rod(model, "crank", A, B, 1.0, 0.1);
  const int coupler = add_rod(model, "coupler", B, C, 2.2, 0.1);
  const int rocker = add_rod(model, "rocker", D, C, 1.8, 0.1);
  add_joint(model, "a", Revolute::law(), kGround, crank, A);
  add_joint(model, "b", Revolute::law(), crank, coupler, B);
  add_joint(model, "c", Revolute::law(), coupler, rocker, C);
  add_joint(model, "d", Revolute::law(), kGround, rocker, D);
  add_torsion(model, 0, 0, 0.7);
  add_torsion(model, 2, 3.0, 0.2);
  return model;
}

// Bricard's mechanism, as in the IFToMM benchmark A04: five rods of 1 m and 1 kg,
// six revolute joints whose axes are along y, z, x, y, z, x.
inline Model make_bricard() {
  Model model;
  model.name = "bricard";
  set_gravity(model);
  const std::array<Vec3<double>, 6> P = {
      {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}}};
  const std::array<Vec3<double>, 6> axis = {
      {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}}};
  for (std::size_t i = 0; i < 5; ++i) {
    add_rod(model, "rod" + std::to_string(i + 1), P[i], P[i + 1], 1, 0.1);
  }
  for (int i = 0; i < 6; ++i) {
    const auto k = static_cast<std::size_t>(i);
    add_joint(model, "p" + std::to_string(i + 1), Revolute::law(), i, (i + 1) % 6, P[k], axis[k]);
  }
  return model;
}

// A tree with one joint of every kind that a tree can have.
inline Model make_joint_collection() {
  Model model;
  model.name = "joints";
  set_gravity(model);
  const Vec3<double> P[] = {{0, 0, 0},       {0.8, 0.1, 0},   {1.4, -0.4, 0.3}, {1.9, -0.2, 0.9},
                            {2.2, 0.5, 1.1}, {2.9, 0.4, 1.0}, {3.2, 1.0, 0.7},  {3.6, 1.2, 1.4}};
  for (std::size_t i = 0; i < 7; ++i) {
    add_rod(model, "body" + std::to_string(i + 1), P[i], P[i + 1], 1 + 0.1 * static_cast<double>(i),
            0.2);
  }
  const std::shared_ptr<const JointLaw> kinds[] = {
      Revolute::law(), Universal::law(), Cylindrical::law(), Spherical::law(),
      Screw::law(0.3), Prismatic::law(), Planar::law()};
  const Vec3<double> axes[] = {{0, 0, 1}, {1, 2, 0}, {0.3, 1, 1}, {0, 0, 1},
                               {1, 0, 1}, {0, 1, 0}, {1, 1, -0.5}};
  for (int i = 0; i < 7; ++i) {
    add_joint(model, "j" + std::to_string(i + 1), kinds[i], i, i + 1, P[i], axes[i]);
  }
  add_torsion(model, 0, 1.0, 0.2);
  add_torsion(model, 2, 1.0, 0.2);
  add_torsion(model, 4, 1.0, 0.2);
  add_spring(model, "spring", {kGround, {1, 1, 0}}, {6, {0.1, 0.1, 0.2}}, 20, 1, 0.5);
  return model;
}

// A planar slider crank: crank 0.5, rod 1.2, the slider on the x axis.
inline Model make_slider_crank() {
  Model model;
  model.name = "slider crank";
  model.is_planar = true;
  set_gravity(model);
  const Vec3<double> A{0, 0, 0}, B{0.3, 0.4, 0}, C{0.3 + std::sqrt(1.2 * 1.2 - 0.16), 0, 0};
  const int crank = add_rod(model, "crank", A, B, 1, 0.1);
  const int rod = add_rod(model, "rod", B, C, 1.5, 0.1);
  Body slider;
  slider.name = "slider";
  slider.mass = 0.7;
  slider.inertia(2, 2) = 0.01;
  slider.position = {C.x, 0, 0};
  const int block = model.add_body(std::move(slider));
  add_joint(model, "a", Revolute::law(), kGround, crank, A);
  add_joint(model, "b", Revolute::law(), crank, rod, B);
  add_joint(model, "c", Revolute::law(), rod, block, C);
  add_joint(model, "guide", Prismatic::law(), kGround, block, C, {1, 0, 0});
  add_torsion(model, 0, 0.5, 0.1);
  return model;
}

// A tree of bodies in general position with joints of all kinds that a tree can have, named from
// either side, and rods between random bodies that close loops.
inline Model make_random_mechanism(std::mt19937& random, int bodies, int rods) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto vector = [&](double size) {
    return Vec3e{size * uniform(random), size * uniform(random), size * uniform(random)};
  };
  const std::shared_ptr<const JointLaw> kKinds[] = {
      Revolute::law(), Prismatic::law(), Cylindrical::law(), Spherical::law(),       Planar::law(),
      Screw::law(0.3), Universal::law(), Fixed::law(),       ConstantVelocity::law()};
  Model model;
  model.name = "random";
  model.gravity = vector(10);
  for (int i = 1; i <= bodies; ++i) {
    Body body;
    body.name = "body" + std::to_string(i);
    body.mass = 1.5 + uniform(random);
    body.com = vector(0.3);
    body.inertia = Mat3e::identity();
    body.inertia(0, 0) = 1 + 0.3 * uniform(random);
    body.position = vector(1);
    model.add_body(body);
    // Bodies start with parallel frames: a joint at a world point with a world axis closes.
    const int parent = static_cast<int>(random() % static_cast<unsigned>(i));
    const Vec3e at = vector(1), axis = vector(1);
    Joint joint;
    joint.name = "joint" + std::to_string(i);
    joint.law = kKinds[random() % std::size(kKinds)];
    const Vec3e origin = model.bodies[static_cast<std::size_t>(parent)].position;
    joint.a = make_marker(parent, at - origin, axis);
    joint.b = make_marker(i, at - body.position, axis);
    if (random() % 2 == 0) std::swap(joint.a, joint.b);
    model.add_joint(joint);
  }
  for (int i = 0; i < rods; ++i) {
    Joint rod;
    rod.name = "rod" + std::to_string(i);
    const int last = bodies;
    rod.a = {static_cast<int>(random() % static_cast<unsigned>(last)), vector(0.5)};
    rod.b = {last, vector(0.5)};
    const Vec3e from = model.bodies[static_cast<std::size_t>(rod.a.body)].position + rod.a.point;
    rod.law = Distance::law(
        norm(model.bodies[static_cast<std::size_t>(last)].position + rod.b.point - from));
    model.add_joint(rod);
  }
  return model;
}

}  // namespace koppel::testing

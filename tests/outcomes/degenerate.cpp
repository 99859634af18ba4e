// Degenerate inertias and rough starts; and the list of all random mechanisms.
#include <fmt/format.h>

#include "tests/outcomes/mechanism.hpp"
#include "tests/outcomes/sketch.hpp"

namespace koppel::testing {
namespace {

void set_exactly(Sketch& sketch, const std::string& what, double value) {
  sketch.initial(fmt::format("\"{}\": {{value: {}, fixed: true}}", what, number(value)));
}

void spin(Sketch& sketch, int body, const Vec& w) {
  const std::string name = sketch.name_of(body);
  sketch.initial(fmt::format("{0}.wx: {1}\n  {0}.wy: {2}\n  {0}.wz: {3}", name, number(w.x),
                             number(w.y), number(w.z)));
}

// ---- degenerate inertias ----

// All mass in the plane of two body axes (I₁ + I₂ = I₃), in any order of the axes.
std::vector<double> flat_inertia(Dice& dice) {
  const double a = dice.uniform(0.05, 0.4), b = dice.uniform(0.05, 0.4);
  switch (dice.below(3)) {
    case 0: return {a, b, a + b};
    case 1: return {a, a + b, b};
    default: return {a + b, a, b};
  }
}

SketchBody flat_body(Dice& dice, const Vec& at) {
  SketchBody body;
  body.mass = dice.uniform(0.5, 2);
  body.inertia = flat_inertia(dice);
  body.position = at;
  return body;
}

// A chain of thin rods; the moment about each rod vanishes.
void add_rods(Sketch& sketch, Dice& dice, int rods) {
  Vec at{};
  for (int i = 1; i <= rods; ++i) {
    const Vec along = normalized(Vec{1, 0, -0.5} + dice.vector(0.5));
    SketchBody rod;
    const double l = dice.uniform(0.4, 0.8);
    rod.mass = dice.uniform(0.5, 1.5);
    rod.com = {l / 2, 0, 0};
    rod.inertia = {0, rod.mass * l * l / 12, rod.mass * l * l / 12};
    rod.position = at;
    const Vec turn = cross(Vec{1, 0, 0}, along);
    rod.turn = (std::asin(norm(turn)) / norm(turn)) * turn;
    sketch.add(rod);
    // An axis across the rod: about it the rod has its moment of inertia.
    const std::string joint =
        sketch.join("revolute", i - 1, i, at, normalized(cross(along, dice.direction())));
    sketch.initial(fmt::format("\"{}.angle'\": {}", joint, number(dice.uniform(-2, 2))));
    at += l * along;
  }
}

void add_point_masses(Sketch& sketch, Dice& dice, bool is_planar) {
  Vec at{};
  int before = 0;
  for (int i = 0; i < 3; ++i) {
    Vec next = at + Vec{0.5, -0.3, 0.1} + dice.vector(0.2);
    if (is_planar) next.z = 0;
    SketchBody ball;
    ball.mass = dice.uniform(0.5, 2);
    ball.position = next;
    const int mass = sketch.add(ball);
    sketch.rod(before, mass, at, next);
    before = mass;
    at = next;
  }
}

// A four-bar whose coupler has neither mass nor inertia: the loop determines it.
void add_massless_coupler(Sketch& sketch, Dice& dice) {
  const Vec A{}, B{0.1, 0.5, 0}, C{1, 0.8, 0}, D{1.1, dice.uniform(-0.1, 0.1), 0};
  const int crank = sketch.add(planar_rod("crank", A, B, 1));
  const int rocker = sketch.add(planar_rod("rocker", D, C, 2));
  const int coupler = sketch.add(planar_rod("coupler", B, C, 0));
  set_exactly(sketch, sketch.join("revolute", 0, crank, A) + ".angle'", dice.uniform(-3, 3));
  sketch.join("revolute", 0, rocker, D);
  sketch.join("revolute", crank, coupler, B);
  sketch.join("revolute", coupler, rocker, C);
}

// A structure: two pins hold a body, which in coordinates of points has nothing left to move.
void add_structure(Sketch& sketch, Dice& dice) {
  const Vec A{}, B{dice.uniform(0.5, 1), dice.uniform(-0.5, 0.5), 0};
  const int rod = sketch.add(planar_rod("rod", A, B, 1));
  sketch.join("revolute", 0, rod, A);
  sketch.join("revolute", 0, rod, B);
}

// Planar bodies without inertia about their centres of mass, which are off the pins.
void add_point_like(Sketch& sketch, Dice& dice) {
  Vec at{};
  for (int i = 1; i <= 2; ++i) {
    const Vec next = at + Vec{dice.uniform(0.3, 0.7), dice.uniform(-0.5, 0.1), 0};
    SketchBody body = planar_rod("", at, next, dice.uniform(0.5, 2));
    body.com = {norm(next - at), 0, 0};
    body.inertia = {0};
    sketch.add(body);
    const std::string joint = sketch.join("revolute", i - 1, i, at);
    sketch.initial(fmt::format("\"{}.angle'\": {}", joint, number(dice.uniform(-2, 2))));
    at = next;
  }
}

// ---- rough starts ----

enum class Truth { Exact, Rough };

// A four-bar or slider crank; rough: all bodies but the crank are written elsewhere.
std::string text_of_rough(Dice dice, const std::string& name, bool has_slider, bool is_fixed,
                          Truth truth) {
  Sketch sketch(name, true);
  const double angle = dice.uniform(0.7, 1.8), rate = dice.uniform(-2, 2);
  const Vec A{}, B{0.4 * std::cos(angle), 0.4 * std::sin(angle), 0};
  const Vec C{dice.uniform(0.9, 1.1), has_slider ? 0 : 0.7, 0}, D{1, 0, 0};
  std::vector<int> bodies = {sketch.add(planar_rod("crank", A, B, 1)),
                             sketch.add(planar_rod("rod", B, C, 1.5))};
  const std::string pivot = sketch.join("revolute", 0, bodies[0], A);
  sketch.join("revolute", bodies[0], bodies[1], B);
  if (has_slider) {
    sketch.join("point-on-line", 0, bodies[1], C, {1, 0, 0});
  } else {
    bodies.push_back(sketch.add(planar_rod("rocker", D, C, 2)));
    sketch.join("revolute", 0, bodies[2], D);
    sketch.join("revolute", bodies[1], bodies[2], C);
  }
  if (is_fixed) {
    set_exactly(sketch, pivot + ".angle", angle);
    set_exactly(sketch, pivot + ".angle'", rate);
  }
  for (const int i : bodies) {
    const Vec off{dice.uniform(-0.05, 0.05), dice.uniform(-0.05, 0.05), 0};
    const double turn = dice.uniform(-0.1, 0.1);
    if (truth == Truth::Exact) continue;
    sketch.body(i).written_off = off;
    sketch.body(i).written_turn = turn;
  }
  sketch.gravity({0, -9.81, 0});
  return sketch.text() + "outputs: {bx: rod.x, by: rod.y, cx: rod.E.x, cy: rod.E.y}\n";
}

// Two bodies that hang together but on nothing else, and only the rate of their hinge is given.
std::string text_of_open_velocities(Dice dice, const std::string& name) {
  Sketch sketch(name, true);
  const Vec A{}, B{dice.uniform(0.4, 0.8), 0.2, 0}, C{1, dice.uniform(-0.2, 0.2), 0};
  const int left = sketch.add(planar_rod("left", A, B, dice.uniform(0.5, 2)));
  const int right = sketch.add(planar_rod("right", B, C, dice.uniform(0.5, 2)));
  const std::string hinge = sketch.join("revolute", left, right, B);
  sketch.initial(fmt::format("\"{}.angle'\": {}", hinge, number(dice.uniform(1, 3))));
  return sketch.text();
}

}  // namespace

Mechanism make_degenerate(std::uint64_t i) {
  Dice dice(6000 + i);
  const std::string name = fmt::format("degenerate {}", i);
  const bool is_planar = i % 6 == 4 || i % 6 == 5 || i % 12 == 3;
  Sketch sketch(name, is_planar);
  sketch.gravity(is_planar ? Vec{0, -9.81, 0} : Vec{0, 0, -9.81});
  switch (i % 6) {
    case 0: {
      const int body = sketch.add(flat_body(dice, {}));
      spin(sketch, body, dice.vector(3));
      break;
    }
    case 1: {
      SketchBody body = flat_body(dice, {});
      body.turn = dice.vector(1);
      const int flat = sketch.add(body);
      sketch.join("spherical", 0, flat, dice.vector(0.5));
      spin(sketch, flat, dice.vector(2));
      break;
    }
    case 2: add_rods(sketch, dice, 1 + dice.below(3)); break;
    case 3: add_point_masses(sketch, dice, is_planar); break;
    case 4:
      if (i % 24 == 22) {
        add_structure(sketch, dice);
      } else {
        add_massless_coupler(sketch, dice);
      }
      break;
    default: add_point_like(sketch, dice); break;
  }
  return {name, sketch.text(), 0.6};
}

Mechanism make_rough_start(std::uint64_t i) {
  const Dice dice(8000 + i);
  const std::string name = fmt::format("rough start {}", i);
  if (i % 6 == 5) return {name, text_of_open_velocities(dice, name), 0.6};
  const bool has_slider = i % 2 == 1, is_fixed = i % 3 != 2;
  Mechanism out{name, text_of_rough(dice, name, has_slider, is_fixed, Truth::Rough), 0.6};
  if (is_fixed) out.truth = text_of_rough(dice, name, has_slider, true, Truth::Exact);
  return out;
}

std::vector<Mechanism> make_random_mechanisms() {
  std::vector<Mechanism> out;
  const auto add = [&](Mechanism (*make)(std::uint64_t), std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(make(i));
  };
  add(make_planar_tree, 28);
  add(make_spatial_tree, 40);
  add(make_planar_loop, 28);
  add(make_spatial_loop, 25);
  add(make_driven, 12);
  add(make_degenerate, 24);
  add(make_singular_start, 15);
  add(make_rough_start, 12);
  add(make_impossible, 16);
  return out;
}

}  // namespace koppel::testing

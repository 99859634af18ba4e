// Closed loops, consistent as placed: linkages in the plane, trees with rods and spatial four-bars.
#include <fmt/format.h>

#include "tests/outcomes/mechanism.hpp"
#include "tests/outcomes/sketch.hpp"

namespace koppel::testing {
namespace {

constexpr Vec kZ{0, 0, 1};

// What velocities are unique with: the rate of one joint of a mechanism with one freedom.
void turn_at(Sketch& sketch, const std::string& joint, double rate) {
  sketch.initial(fmt::format("\"{}.angle'\": {{value: {}, fixed: true}}", joint, number(rate)));
}

Vec around(Dice& dice, const Vec& at, double spread) {
  return at + Vec{dice.uniform(-spread, spread), dice.uniform(-spread, spread), 0};
}

int add_link(Sketch& sketch, Dice& dice, const char* name, const Vec& from, const Vec& to) {
  return sketch.add(planar_rod(name, from, to, dice.uniform(0.5, 2)));
}

// Crank, coupler and rocker, or with a massless rod as the coupler.
void add_four_bar(Sketch& sketch, Dice& dice, bool has_coupler) {
  const Vec A{0, 0, 0}, B = around(dice, {0.1, 0.5, 0}, 0.15), C = around(dice, {1, 0.8, 0}, 0.2),
                        D = around(dice, {1.1, 0, 0}, 0.2);
  const int crank = add_link(sketch, dice, "crank", A, B);
  const int rocker = add_link(sketch, dice, "rocker", D, C);
  const std::string pivot = sketch.join("revolute", 0, crank, A);
  sketch.join("revolute", rocker, 0, D);
  if (has_coupler) {
    const int coupler = add_link(sketch, dice, "coupler", B, C);
    sketch.join("revolute", crank, coupler, B);
    sketch.join("revolute", rocker, coupler, C);
  } else {
    sketch.rod(crank, rocker, B, C);
  }
  turn_at(sketch, pivot, dice.uniform(-3, 3));
}

void add_slider_crank(Sketch& sketch, Dice& dice, bool has_guide_line) {
  const Vec A{0, 0, 0}, B = around(dice, {0.25, 0.3, 0}, 0.1), C = around(dice, {1.2, 0, 0}, 0.2);
  const Vec axis = rotation_of({0, 0, dice.uniform(-0.4, 0.4)}) * Vec{1, 0, 0};
  const int crank = add_link(sketch, dice, "crank", A, B);
  const int rod = add_link(sketch, dice, "rod", B, C);
  const std::string pivot = sketch.join("revolute", 0, crank, A);
  sketch.join("revolute", crank, rod, B);
  if (has_guide_line) {
    sketch.join("point-on-line", 0, rod, C, axis);
  } else {
    SketchBody slider;
    slider.name = "slider";
    slider.mass = 0.7;
    slider.inertia = {0.02};
    slider.position = C;
    const int block = sketch.add(slider);
    sketch.join("revolute", rod, block, C);
    sketch.join("prismatic", 0, block, C, axis);
  }
  turn_at(sketch, pivot, dice.uniform(-3, 3));
}

// Two freedoms, from rest.
void add_five_bar(Sketch& sketch, Dice& dice) {
  const Vec A{0, 0, 0}, B = around(dice, {-0.2, 0.6, 0}, 0.1), P = around(dice, {0.5, 1.1, 0}, 0.2),
                        C = around(dice, {1.2, 0.5, 0}, 0.1), D = around(dice, {1, 0, 0}, 0.1);
  const int left = add_link(sketch, dice, "left", A, B),
            right = add_link(sketch, dice, "right", D, C);
  const int bp = add_link(sketch, dice, "bp", B, P), cp = add_link(sketch, dice, "cp", C, P);
  sketch.join("revolute", 0, left, A);
  sketch.join("revolute", 0, right, D);
  sketch.join("revolute", left, bp, B);
  sketch.join("revolute", right, cp, C);
  sketch.join("revolute", bp, cp, P);
}

// A dyad between the coupler of a four-bar and the ground: Stephenson's six-bar.
void add_six_bar(Sketch& sketch, Dice& dice) {
  add_four_bar(sketch, dice, true);
  const int coupler = sketch.num_bodies();
  const Vec at = sketch.body(coupler).position + around(dice, {0.4, 0.5, 0}, 0.1);
  const Vec F = around(dice, {2, 0.3, 0}, 0.2), E = around(dice, {1.6, 1.3, 0}, 0.1);
  const int first = add_link(sketch, dice, "first", at, E),
            second = add_link(sketch, dice, "second", F, E);
  sketch.join("revolute", coupler, first, at);
  sketch.join("revolute", second, first, E);
  sketch.join("revolute", 0, second, F);
}

// Three equal cranks on one coupler: one constraint repeats others, wherever it is. It starts where
// no rods line up, and does not come there.
void add_double_parallelogram(Sketch& sketch, Dice& dice) {
  const double l = dice.uniform(0.5, 0.8);
  const Vec up{l * std::cos(1.3), l * std::sin(1.3), 0};
  const int plate = sketch.add(planar_rod("plate", up, up + Vec{1.5, 0, 0}, 1.5));
  std::string pivot;
  for (const double x : {0.0, 0.7, 1.5}) {
    const Vec foot{x, 0, 0};
    const int crank = add_link(sketch, dice, x == 0 ? "c1" : x < 1 ? "c2" : "c3", foot, foot + up);
    pivot = sketch.join("revolute", 0, crank, foot);
    sketch.join("revolute", crank, plate, foot + up);
  }
  turn_at(sketch, pivot, dice.uniform(-0.5, 0.5));
}

SketchBody spatial_body(Dice& dice, const Vec& at) {
  SketchBody body;
  body.mass = dice.uniform(0.5, 2);
  body.com = dice.vector(0.15);
  body.inertia = general_inertia(dice, body.mass, dice.uniform(0.4, 0.9));
  body.position = at;
  body.turn = dice.vector(1);
  return body;
}

// A free platform on rods: as many freedoms as six less the rods, from rest.
void add_platform(Sketch& sketch, Dice& dice, int rods) {
  const int top = sketch.add(spatial_body(dice, {0, 0, 1}));
  for (int k = 0; k < rods; ++k) {
    const double angle = 2 * std::numbers::pi * k / rods;
    const Vec out{std::cos(angle), std::sin(angle), 0};
    sketch.rod(0, top, 0.9 * out + dice.vector(0.15), Vec{0, 0, 1} + 0.4 * out + dice.vector(0.15));
  }
}

// A chain of two or three bodies whose last one hangs on a rod too.
void add_chain_with_rod(Sketch& sketch, Dice& dice, int bodies) {
  static constexpr const char* kTypes[] = {"revolute", "spherical", "universal", "cylindrical"};
  Vec at{};
  for (int i = 1; i <= bodies; ++i) {
    const Vec next = at + Vec{0.6, 0, 0} + dice.vector(0.2);
    sketch.add(spatial_body(dice, 0.5 * (at + next)));
    const std::string type = kTypes[dice.below(4)];
    sketch.join(type, i - 1, i, at, type == "spherical" ? Vec{} : dice.direction());
    at = next;
  }
  sketch.rod(0, bodies, at + Vec{0.2, 0.3, 0.9} + dice.vector(0.2), at);
}

// Revolute, spherical, spherical, revolute: the coupler may turn about the line of its balls.
void add_rssr(Sketch& sketch, Dice& dice) {
  const Vec A{}, D = Vec{1.2, 0.1, 0.1} + dice.vector(0.1),
                 B = Vec{0, 0.2, 0.4} + dice.vector(0.05),
                 C = D + Vec{0.1, 0.6, 0.6} + dice.vector(0.1);
  const int crank = sketch.add(spatial_body(dice, 0.5 * (A + B)));
  const int coupler = sketch.add(spatial_body(dice, 0.5 * (B + C)));
  const int rocker = sketch.add(spatial_body(dice, 0.5 * (C + D)));
  sketch.join("revolute", 0, crank, A, {1, 0, 0});
  sketch.join("spherical", crank, coupler, B);
  sketch.join("spherical", coupler, rocker, C);
  sketch.join("revolute", 0, rocker, D, normalized(Vec{1, 0.6, -0.5} + dice.vector(0.2)));
}

// A planar four-bar of spatial bodies: three constraints repeat others.
void add_spatial_four_bar(Sketch& sketch, Dice& dice) {
  const Mat R = rotation_of(dice.vector(1));
  const Vec A{}, B = R * around(dice, {0.1, 0.5, 0}, 0.1), C = R * around(dice, {1, 0.8, 0}, 0.1),
                 D = R * around(dice, {1.1, 0, 0}, 0.1), axis = R * kZ;
  const int crank = sketch.add(spatial_body(dice, 0.5 * (A + B)));
  const int coupler = sketch.add(spatial_body(dice, 0.5 * (B + C)));
  const int rocker = sketch.add(spatial_body(dice, 0.5 * (C + D)));
  const std::string pivot = sketch.join("revolute", 0, crank, A, axis);
  sketch.join("revolute", crank, coupler, B, axis);
  sketch.join("revolute", coupler, rocker, C, axis);
  sketch.join("revolute", rocker, 0, D, axis);
  turn_at(sketch, pivot, dice.uniform(-3, 3));
}

}  // namespace

Mechanism make_planar_loop(std::uint64_t i) {
  Dice dice(4000 + i);
  const std::string name = fmt::format("planar loop {}", i);
  Sketch sketch(name, true);
  sketch.gravity({0, -9.81, 0});
  switch (i % 7) {
    case 0: add_four_bar(sketch, dice, true); break;
    case 1: add_slider_crank(sketch, dice, false); break;
    case 2: add_five_bar(sketch, dice); break;
    case 3: add_four_bar(sketch, dice, false); break;
    case 4: add_six_bar(sketch, dice); break;
    case 5: add_slider_crank(sketch, dice, true); break;
    default: add_double_parallelogram(sketch, dice); break;
  }
  if (dice.once_in(2)) {
    sketch.force(fmt::format("drag: {{type: torsion, joint: j1, damping: {}, stiffness: {}}}",
                             number(dice.uniform(0, 1)), number(dice.uniform(0, 10))));
  }
  if (dice.once_in(2)) sketch.write_last_body_first();
  return {name, sketch.text(), 0.6};
}

Mechanism make_spatial_loop(std::uint64_t i) {
  Dice dice(5000 + i);
  const std::string name = fmt::format("spatial loop {}", i);
  Sketch sketch(name, false);
  sketch.gravity({0, 0, -9.81});
  switch (i % 5) {
    case 0: add_chain_with_rod(sketch, dice, 2); break;
    case 1: add_rssr(sketch, dice); break;
    case 2: add_platform(sketch, dice, 3 + dice.below(3)); break;
    case 3: add_spatial_four_bar(sketch, dice); break;
    default: add_chain_with_rod(sketch, dice, 3); break;
  }
  if (dice.once_in(2)) {
    sketch.force(fmt::format("wind: {{type: force, on: {}, force: [{}*sin(3*t), 0, 1]}}",
                             sketch.at(sketch.num_bodies(), {0.5, 0.2, 0.4}),
                             number(dice.uniform(1, 5))));
  }
  if (dice.once_in(2)) sketch.write_last_body_first();
  return {name, sketch.text(), 0.5};
}

}  // namespace koppel::testing

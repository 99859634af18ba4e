// Models: build a mechanism in C++, derive its equations, evaluate its accelerations.
#include <cstdio>
#include <numbers>

#include <koppel/koppel.hpp>

using namespace koppel;

namespace {

// A thin rod along the x axis of its body, its origin at one end.
int add_rod(Model& model, const char* name, Expr mass, Expr length, const Vec3e& position,
            Expr angle) {
  Body rod;
  rod.name = name;
  rod.mass = mass;
  rod.com = {length / 2, 0, 0};
  rod.inertia(2, 2) = mass * length * length / 12;
  rod.position = position;
  rod.rotation = rotation(Vec3e{0, 0, 1}, angle);
  return model.add_body(rod);
}

void add_joint(Model& model, const char* name, JointKind kind, const Marker& a, const Marker& b) {
  Joint joint;
  joint.name = name;
  joint.kind = kind;
  joint.a = a;
  joint.b = b;
  model.add_joint(joint);
}

}  // namespace

int main() {
  // A crank OA of 0.4 m, a rod AB of 1 m, and B on the x axis; the crank starts at 45 degrees.
  Model model;
  model.name = "slider crank";
  model.is_planar = true;
  const Expr a = model.add_parameter("a", 0.4), b = model.add_parameter("b", 1);
  const Expr m = model.add_parameter("m", 1);
  model.gravity = {0, -9.81, 0};
  const Expr phi = std::numbers::pi / 4;
  const int crank = add_rod(model, "crank", m, a, {}, phi);
  const int rod =
      add_rod(model, "rod", m, b, {a * cos(phi), a * sin(phi), 0}, -asin(a / b * sin(phi)));
  add_joint(model, "O", JointKind::Revolute, make_marker(kGround, {}), make_marker(crank, {}));
  add_joint(model, "A", JointKind::Revolute, make_marker(crank, {a, 0, 0}), make_marker(rod, {}));
  add_joint(model, "B", JointKind::PointOnLine, make_marker(kGround, {}, {1, 0, 0}),
            make_marker(rod, {b, 0, 0}));
  const Quantity slider =
      model.quantities[static_cast<std::size_t>(model.coordinate_of("B.x", {rod, {b, 0, 0}}, 0))];
  model.initial.push_back({slider.rate, -4, true, {}});  // the slider starts with -4 m/s, exactly
  model.validate();

  // Its equations in natural coordinates: the shared point A, the place of B on its line, and what
  // keeps both rods as long as they are.
  const Equations equations = derive(model, "natural");
  for (const Expr& q : equations.q) std::printf("q: %s\n", std::string(q.name()).c_str());
  for (std::size_t i = 0; i < equations.g.size(); ++i) {
    std::printf("%s: 0 = %s\n", equations.lambda[i].c_str(),
                to_text(simplify(equations.g[i])).c_str());
  }

  // A consistent start, and the accelerations there, in joint coordinates.
  const Evaluator evaluator(derive(model, "joint"));
  const Assembly start = assemble(evaluator);
  const Accelerations found = solve_accelerations(evaluator, start.state);
  for (std::size_t i = 0; i < start.state.v.size(); ++i) {
    std::printf("%s = %.6f rad/s, changes by %.6f rad/s^2\n",
                std::string(evaluator.equations.v[i].name()).c_str(), start.state.v[i],
                found.v_rate[i]);
  }
}

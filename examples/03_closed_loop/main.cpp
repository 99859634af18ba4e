// A closed loop: a driven slider crank with a spring, its equations and its reaction forces.
#include <cstdio>

#include <koppel/koppel.hpp>

using namespace koppel;

int main() {
  Mechanism m("slider crank", Plane::XY);
  m.gravity(0, -9.81);
  const Expr a = m.parameter("a", 0.4);
  const RodHandle crank = m.add_rod("crank", {.mass = 1, .length = a});
  const RodHandle rod = m.add_rod("rod", {.mass = 1, .length = 1});
  m.add("O", Revolute{.between = {m.ground(), crank.start()}, .drive = 2 * m.time()});
  m.add("A", Revolute{.between = {crank.end(), rod.start()}});
  m.add("B", PointOnLine{.between = {m.ground(), rod.end()}, .axis = Direction(1, 0)});
  m.add("spring", Spring{.between = {m.ground(), rod.end()}, .stiffness = 10, .free_length = 1});

  // In natural coordinates: the shared point A, the place of B on its line, and what keeps both
  // rods as long as they are.
  const Equations equations = derive(m.model(), "natural");
  for (const Expr& q : equations.q) std::printf("coordinate %s\n", std::string(q.name()).c_str());

  const Simulation s = simulate(m.model(), {.end = 3, .reactions = ReactionAxes::World});
  std::printf("slider at %.6f m, force of the spring %.6f N\n", s["spring.length"].back(),
              10 * (s["spring.length"].back() - 1));
  std::printf("force in A along x: %.6f N\n", s["A.force.x"].back());
}

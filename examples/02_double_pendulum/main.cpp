// A double pendulum: built, simulated, and looked at by names.
#include <cstdio>

#include <koppel/koppel.hpp>

using namespace koppel;

int main() {
  Mechanism m("double pendulum", Plane::XY);
  m.gravity(0, -9.81);
  const RodHandle upper = m.add_rod("upper", {.mass = 1, .length = 1});
  const RodHandle lower = m.add_rod("lower", {.mass = 1, .length = 1});
  m.add("hip", Revolute{.between = {m.ground(), upper.start()}});
  const JointHandle knee = m.add("knee", Revolute{.between = {upper.end(), lower.start()}});
  knee.angle().start(0.3);

  const Simulation s = simulate(m.model(), {.end = 1});
  std::printf("hip %.6f rad, knee %.6f rad, lower end of the upper rod at %.6f m\n",
              s["hip.angle"].back(), s["knee.angle"].back(), s["lower.y"].back());
  std::printf("energy kept: %s\n", s.summary.energy_drift < 1e-8 ? "yes" : "no");
}

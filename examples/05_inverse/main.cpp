// Inverse dynamics: the force on a crane's trolley that brings the load to rest 2 m away.
#include <cstdio>

#include <koppel/koppel.hpp>

using namespace koppel;

int main() {
  Mechanism m("overhead crane");
  const Expr M = m.parameter("M", 10), mass = m.parameter("m", 100), g = 9.81;
  const Expr F = m.input("F"), W = m.input("W");
  const QuantityHandle s = m.coordinate("s"), l = m.coordinate("l"), beta = m.coordinate("beta");
  const Expr vx = s.rate() + l.rate() * sin(beta) + l * beta.rate() * cos(beta);
  const Expr vz = l.rate() * cos(beta) - l * beta.rate() * sin(beta);
  m.kinetic(M / 2 * s.rate() * s.rate() + mass / 2 * (vx * vx + vz * vz));
  m.potential(-mass * g * l * cos(beta));
  m.add("drive", Effort{.on = s, .effort = F});
  m.add("winch", Effort{.on = l, .effort = -W});
  l.start_near(3);

  // From rest to rest in 4 s, smooth enough for the fourth derivatives that the force needs.
  const Expr tau = min(m.time() / 4, 1), t2 = tau * tau, t5 = t2 * t2 * tau;
  const Expr way = t5 * (126 + tau * (-420 + tau * (540 + tau * (-315 + 70 * tau))));
  m.servo("x", s + l * sin(beta), 2 * way);
  m.servo("z", l * cos(beta), 3);

  const Inverse crane = inverse(m.model(), {.end = 4});
  double most = 0;
  for (const double force : crane.trajectory["F"]) most = std::max(most, std::abs(force));
  std::printf("largest force %.3f N, at the end %.6f N\n", most,
              std::abs(crane.trajectory["F"].back()));
}

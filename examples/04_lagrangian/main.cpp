// A Lagrangian model: energies in coordinates of one's own. A pendulum on a cart.
#include <cstdio>

#include <koppel/koppel.hpp>

using namespace koppel;

int main() {
  Mechanism m("pendulum on a cart");
  const Expr M = m.parameter("M", 2), mass = m.parameter("m", 1), l = m.parameter("l", 0.5);
  const QuantityHandle s = m.coordinate("s"), beta = m.coordinate("beta");
  const Expr x = s.rate(), w = beta.rate();
  m.kinetic((M + mass) / 2 * x * x + mass * l * x * w * cos(beta) + mass * l * l * w * w / 2);
  m.potential(-mass * 9.81 * l * cos(beta));
  m.dissipation(0.1 * w * w);
  beta.start(1);
  m.output("s", s);
  m.output("beta", beta);

  const Equations equations = derive(m.model());
  std::printf("M(0, 1) = %s\n", to_text((*equations.M).values[1]).c_str());
  const Simulation run = simulate(m.model(), {.end = 5});
  std::printf("after 5 s: cart at %.6f m, pendulum at %.6f rad\n", run["s"].back(),
              run["beta"].back());
}

// Expressions: write mathematics, differentiate it, evaluate it, expand it in time.
#include <cstdio>
#include <vector>

#include <koppel/koppel.hpp>

using namespace koppel;

int main() {
  // A pendulum of length l and mass m that hangs on a moving support x(t).
  Graph graph;
  auto [x, phi, dx, dphi, m, l, g] = graph.symbols("x", "phi", "x'", "phi'", "m", "l", "g");

  const Expr px = x + l * sin(phi), py = -l * cos(phi);
  const std::vector<Expr> q = {x, phi}, v = {dx, dphi};
  const Expr vx = time_derivative(px, q, v), vy = time_derivative(py, q, v);
  const Expr T = simplify(m / 2 * (vx * vx + vy * vy));
  const Expr V = parse(graph, "-m*g*l*cos(phi)");
  std::printf("T = %s\n", to_text(T).c_str());
  std::printf("V = %s\n", to_latex(V).c_str());

  // Mass matrix and generalised forces by exact derivatives.
  const SparseExpr M = hessian(T, v);
  const std::vector<Expr> force = gradient(T - V, q);
  std::printf("M(0,1) = %s\n", to_text(M.at(0, 1)).c_str());

  // Compiled evaluation; the tape needs no allocation in a loop.
  const Function f({phi, dx, dphi, m, l, g}, {force[1]});
  std::printf("force at 30 degrees: %.6f N m\n", f({0.5235987756, 0, 0, 2, 0.5, 9.81})[0]);

  // Taylor series of phi(t) for phi'' = -g/l sin(phi), solved order by order.
  const Series acceleration({phi}, {l, g}, {-g / l * sin(phi)}, 12);
  SeriesWorkspace work = acceleration.make_workspace();
  work.parameter(0) = 0.5, work.parameter(1) = 9.81;
  const auto c = work.variable(0);
  c[0] = 1;
  for (std::size_t k = 0; k + 2 <= 12; ++k) {
    acceleration.evaluate(static_cast<int>(k), work);
    c[k + 2] = work.output(0)[k] / static_cast<double>((k + 1) * (k + 2));
  }
  double angle = 0;
  for (std::size_t k = 13; k-- > 0;) angle = angle * 0.1 + c[k];
  std::printf("phi(0.1 s) = %.12f\n", angle);
}

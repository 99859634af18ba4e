#include <cmath>
#include <cstdio>
#include <koppel/koppel.hpp>

int main() {
  std::printf("koppel %s, commit %s\n", koppel::version(), koppel::commit());
  koppel::Graph graph;
  const koppel::Expr x = graph.symbol("x");
  const koppel::Function f({x}, {diff(sin(x) * x, x)});
  const double found = f({0.5})[0], expected = std::cos(0.5) * 0.5 + std::sin(0.5);
  const koppel::Model model = koppel::read_model_text(
      "bodies: {ball: {point_mass: 1}}\njoints: {rod: {type: distance, between: [ground, ball], "
      "length: 1}}\ninitial: {ball.z: -1}\n",
      "consumer.yaml");
  const int freedom = examine(derive(model)).rank.degrees_of_freedom;
  std::printf("%.17g, freedom %d\n", found, freedom);
  return std::abs(found - expected) < 1e-15 && freedom == 2 ? 0 : 1;
}

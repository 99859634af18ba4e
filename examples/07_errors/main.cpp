// Errors that only programs can make: each is thrown, caught and printed. What files and commands
// can do wrong is in tests/tools/error_examples.md, and so are these.
#include <cstdio>

#include <koppel/koppel.hpp>

using namespace koppel;

namespace {

template <typename F>
void show(F&& wrong) {
  try {
    wrong();
    std::puts("nothing was thrown");
  } catch (const Error& error) {
    std::puts(error.what());
  }
}

// A point mass on a circle, in Cartesian coordinates.
Model make_pendulum() {
  Mechanism m("pendulum");
  const QuantityHandle x = m.coordinate("x"), y = m.coordinate("y");
  m.kinetic((x.rate() * x.rate() + y.rate() * y.rate()) / 2);
  m.potential(9.81 * y);
  m.constrain("circle", (x * x + y * y - 1) / 2);
  x.start(1);
  return m.model();
}

Prepared prepare_pendulum(const char* formulation) {
  SimulateOptions options;
  options.formulation = formulation;
  return prepare(make_pendulum(), options);
}

void show_models() {
  show([] {
    Model model;
    model.add_joint({.name = "hinge"});
  });
  const Model model = make_pendulum();
  show([&] {
    const ParameterValues value(model);
    value(2 * model.graph->symbol("x"));
  });
  show([&] {
    Model skate = model;
    const Expr rate = skate.graph->symbol("x'");
    skate.nonholonomic.push_back({"skate", rate * rate - 1, {}});
    derive(skate);
  });
}

void show_expressions() {
  Graph graph;
  const Expr x = graph.symbol("x");
  show([&] { Series({x}, {}, {sin(x)}, 1000); });
}

void show_problems() {
  const Prepared ready = prepare_pendulum("index3");
  const Prepared rates = prepare_pendulum("index1");
  const Problem& problem = rates.problem;
  const Start& start = rates.start;
  show([&] { integrate(ready.problem, "rk4", ready.start, 1, {.step = 1e-3}); });
  show([&] { integrate(problem, "rk4", start, 1); });
  show([&] { integrate(problem, "cvode", start, 1, {.step = 1e-3}); });
  show([&] { integrate(problem, "dop853", start, 1, {.tolerance = -1}); });
  show([&] { integrate(problem, "dop853", {0, {1, 0}}, 1); });

  // Friction that depends on the square of the multiplier.
  Equations rough = *ready.equations;
  const Expr lambda = multiplier_symbols(rough)[0];
  rough.f[0] -= 0.1 * lambda * lambda * rough.v[0];
  show([&] { *formulate(rough, "index1", ready.state).rhs; });
  show([&] { formulate(rough, "index1", ready.state).fixed_cost.terms({}); });

  // A coordinate without mass or force.
  Mechanism loose("loose");
  const Expr rate = loose.coordinate("x").rate();
  loose.coordinate("y");
  loose.kinetic(rate * rate / 2);
  const Equations equations = derive(loose.model());
  show([&] { *formulate(equations, "minimal", {}).series; });
}

void show_results() {
  show([] { Trajectory({{"t", "s"}, {"x", "m"}, {"x", "m"}}); });
  show([] { make_step_model(make_pendulum(), {}); });
}

}  // namespace

int main() {
  show_models();
  show_expressions();
  show_problems();
  show_results();
}

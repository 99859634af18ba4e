// The models that are measured, as expressions beside the same by hand.
#pragma once

#include <vector>

#include <koppel/expr/graph/graph.hpp>

namespace koppel::benchmarks {

struct Formula {
  const char* name;
  std::vector<Expr> inputs, outputs;
  std::vector<double> point;  // where it is evaluated
  void (*by_hand)(const double* in, double* out);
};

Formula make_cart_pole(Graph& graph);                // about 20 operations
Formula make_chain(Graph& graph, int num_links);     // 600 for 10 links
Formula make_gravity(Graph& graph, int num_bodies);  // 5,000 for 20 bodies

// x' = f(x)
struct System {
  const char* name;
  std::vector<Expr> variables, rates;
  std::vector<double> start;
  void (*by_hand)(double* x, int order);
};

System make_pendulum(Graph& graph);
System make_kepler(Graph& graph);
System make_double_pendulum(Graph& graph);
System make_planets(Graph& graph);

}  // namespace koppel::benchmarks

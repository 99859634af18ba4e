#include <algorithm>
#include <cmath>
#include <cstdint>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/series/series.hpp>

#include "measure.hpp"
#include "models.hpp"
#include "sections.hpp"

namespace koppel::benchmarks {
namespace {

// A scalar of about `num_nodes` nodes: each of a mix of operations on recent ones and symbols.
Expr make_scalar(const std::vector<Expr>& x, std::size_t num_nodes) {
  std::vector<Expr> made = x;
  std::uint64_t state = 1;
  const auto random = [&](std::size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>(state >> 33) % below;
  };
  const auto recent = [&] {
    return made[made.size() - 1 - random(std::min<std::size_t>(made.size(), 100))];
  };
  Expr sum = 0;
  while (x[0].graph()->num_nodes() < num_nodes) {
    const Expr a = recent(), b = recent();
    switch (random(8)) {
      case 0: made.push_back(a + b); break;
      case 1: made.push_back(a - x[random(x.size())]); break;
      case 2:
      case 3: made.push_back(a * b); break;
      case 4: made.push_back(a / (2 + b * b)); break;
      case 5: made.push_back(sin(a)); break;
      case 6: made.push_back(cos(a)); break;
      default: made.push_back(sqrt(1 + a * a)); break;
    }
    if (random(4) == 0) sum += made.back();
  }
  return sum;
}

std::vector<Expr> make_variables(Graph& graph) {
  std::vector<Expr> x;
  for (int i = 0; i < 20; ++i) x.push_back(graph.symbol("x[" + std::to_string(i) + ']'));
  return x;
}

// The least of several runs, each on a graph of its own.
std::vector<std::string> report(std::size_t num_nodes) {
  double build = INFINITY, differentiate = INFINITY, compile = INFINITY;
  std::size_t nodes = 0, all_nodes = 0, instructions = 0;
  const std::size_t runs = std::clamp<std::size_t>(2'000'000 / num_nodes, 5, 200);
  for (std::size_t run = 0; run < runs; ++run) {
    Graph graph;
    const std::vector<Expr> x = make_variables(graph);
    Expr f;
    std::vector<Expr> df;
    build = std::min(build, time_once([&] { f = make_scalar(x, num_nodes); }));
    nodes = graph.num_nodes();
    differentiate = std::min(differentiate, time_once([&] { df = gradient(f, x); }));
    all_nodes = graph.num_nodes();
    compile =
        std::min(compile, time_once([&] { instructions = Function(x, df).num_instructions(); }));
  }
  const auto n = static_cast<double>(nodes);
  return {std::to_string(nodes),
          std::to_string(all_nodes - nodes),
          number(1e3 * (build + differentiate + compile), 2),
          number(1e9 * build / n, 0),
          number(1e9 * differentiate / n, 0),
          number(1e9 * (build + differentiate) / n, 0),
          number(1e9 * compile / static_cast<double>(instructions), 0)};
}

template <typename Compiled>
std::vector<std::string> compilation_row(const char* what, const std::function<Compiled()>& make) {
  std::size_t instructions = 0;
  bool is_native = false;
  const double seconds = time_once([&] {
    const Compiled compiled = make();
    instructions = compiled.num_instructions();
    is_native = compiled.is_native();
  });
  return {what, std::to_string(instructions), is_native ? number(seconds, 2) : "no compiler",
          number(1e6 * seconds / static_cast<double>(instructions), 0)};
}

}  // namespace

void report_sizes() {
  print_heading("Building, differentiating and compiling to a tape");
  print_head({"nodes of f", "new nodes of its gradient", "all, ms", "build, ns a node",
              "gradient, ns a node of f", "both, ns a node",
              "tape of the gradient, ns an instruction"});
  for (std::size_t n = 100; n <= 1'000'000; n *= 10) print_row(report(n));
}

void report_compilation() {
  print_heading("Compiling native code");
  print_head({"what", "operations", "seconds", "µs an operation"});
  for (const int bodies : {2, 6, 20, 63, 90}) {
    Graph graph;
    const Formula f = make_gravity(graph, bodies + 1);  // + 1: not yet compiled
    print_row(compilation_row<Function>(
        "function", [&] { return Function(f.inputs, f.outputs, {.native = Native::Cc}); }));
  }
  for (const int bodies : {2, 6, 20, 63}) {
    Graph graph;
    const Formula f = make_gravity(graph, bodies + 1);
    print_row(compilation_row<Series>(
        "series", [&] { return Series(f.inputs, {}, f.outputs, 20, {.native = Native::Cc}); }));
  }
}

}  // namespace koppel::benchmarks

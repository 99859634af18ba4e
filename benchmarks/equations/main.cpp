// Deriving and compiling equations of motion, and accelerations from them, against the mechanism
// and its size: Markdown tables.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "benchmarks/expr/measure.hpp"

namespace koppel::benchmarks {
namespace {

// All that a step needs: M, f, g, G and the rest of the constraints' second rate.
std::vector<Expr> terms(const Equations& e) {
  std::vector<Expr> all = e.M->values;
  for (const auto* part : {&e.f, &e.g, &e.G.values, &e.gamma}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

std::vector<Expr> inputs(const Equations& e) {
  std::vector<Expr> all = {e.t};
  for (const auto* part : {&e.q, &e.v, &e.x, &e.u, &e.p}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

double least_of(int rounds, const std::function<void()>& work) {
  double least = time_once(work);
  for (int i = 1; i < rounds; ++i) least = std::min(least, time_once(work));
  return least;
}

// A row: milliseconds to read, derive and compile to a tape; operations; time of an evaluation.
void print(const std::string& file, const std::string& set, const ReadOptions& options,
           int rounds) {
  const std::string path = KOPPEL_MODELS + file + ".yaml";
  const double read = least_of(rounds, [&] { read_model(path, options); });
  double derivation =
      1e300;  // of a model read anew: a graph that has the equations gives them back
  for (int i = 0; i < rounds; ++i) {
    const Model fresh = read_model(path, options);
    derivation = std::min(derivation, time_once([&] { derive(fresh, set); }));
  }
  const Model model = read_model(path, options);
  const Equations e = derive(model, set);
  const std::vector<Expr> x = inputs(e), y = terms(e);
  const double compile = least_of(rounds, [&] { Function(x, y); });
  const Function f(x, y);
  std::vector<double> in(x.size(), 0.1), out(y.size());
  Workspace work = f.make_workspace();
  const Work evaluate = [&](std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) f.evaluate(in, out, work);
  };
  const double seconds = measure({&evaluate, 1}).seconds[0];
  const auto bodies = model.bodies.size() - 1;
  print_row({file, set, std::to_string(bodies), number(1e3 * read, 2), number(1e3 * derivation, 2),
             number(1e3 * compile, 2), std::to_string(f.num_instructions()),
             number(1e6 * seconds, 2)});
}

// A row: one evaluation of all terms and the solution for accelerations and multipliers.
void print_accelerations(const std::string& file, const char* parameter, const std::string& size) {
  const Model model = read_model(KOPPEL_MODELS + file + ".yaml", {.set = {{parameter, size}}});
  const Evaluator evaluator(derive(model, "absolute"));
  const State start = start_of(evaluator.equations);
  const double seconds = least_of(5, [&] { solve_accelerations(evaluator, start); });
  const auto bodies = model.bodies.size() - 1;
  print_row({file, std::to_string(bodies),
             std::to_string(evaluator.equations->num_v() + evaluator.equations->num_g()),
             number(1e3 * seconds, 3), number(1e6 * seconds / static_cast<double>(bodies), 2)});
}

}  // namespace
}  // namespace koppel::benchmarks

int main() {
  using namespace koppel::benchmarks;
  print_head({"model", "coordinates", "bodies", "read, ms", "derive, ms", "tape, ms", "operations",
              "evaluation, µs"});
  for (const char* set : {"absolute", "joint", "natural"}) print("slider_crank", set, {}, 21);
  print("andrews", "lagrange", {}, 21);
  for (const char* set : {"absolute", "joint"}) print("robot", set, {}, 11);
  for (const char* set : {"absolute", "natural", "joint"}) {
    for (const char* n : {"10", "100", "1000", "10000"}) {
      if (std::string(set) == "joint" && std::string(n).size() > 3) continue;  // M has n² entries
      print("chain", set, {.set = {{"n", n}}}, std::string(n).size() > 3 ? 1 : 5);
    }
  }
  std::printf("\n");
  print_head({"model", "bodies", "unknowns", "accelerations, ms", "a body, µs"});
  for (const char* n : {"10", "100", "1000", "10000"}) print_accelerations("chain", "n", n);
  for (const char* n : {"5", "50", "500", "5000"}) print_accelerations("four_bar", "N", n);
}

// Any expression gives the same bits by the tape, by machine code, node by node from the graph and,
// for a sample, by compiled C. The compiler takes some tens of milliseconds: it sees the first
// expressions of a process, so that a file of the corpus is always compiled, and then one in some
// thousands.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/parse.hpp>
#include <tests/expr/plain_evaluation.hpp>

namespace {

using namespace koppel;

bool is_same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool is_compiled() {
  constexpr unsigned kFirst = 20, kEach = 5000;
  static unsigned count = 0;
  ++count;
  return count <= kFirst || count % kEach == 0;
}

Function compile(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  Function native(inputs, outputs, {.native = Native::Cc});
  if (!native.is_native()) {
    std::cerr << "not compiled: " << native.why_not_native() << '\n';
    std::abort();
  }
  return native;
}

void compare(double tape, double other, const char* name) {
  if (is_same(tape, other)) return;
  std::cerr << "tape " << tape << ", " << name << ' ' << other << '\n';
  std::abort();
}

void check(std::string_view text) {
  if (text.size() > 400) return;
  Graph graph;
  const double x[] = {0, 1, 2, 4}, y[] = {1, -1, 3, 2};
  graph.add_table("road", TableData::spline(x, y));
  graph.add_table("held", TableData::held(x, y));
  Scope scope;
  scope.make_symbols = true;
  Expr e;
  try {
    e = parse(graph, text, scope);
  } catch (const Error&) {
    return;
  }
  const std::vector<Expr> inputs = symbols_of(e), outputs = {e};
  const Function tape(inputs, outputs, {.native = Native::Off});
  const Function machine(inputs, outputs, {.native = Native::Jit});
  std::optional<Function> native;
  if (is_compiled()) native = compile(inputs, outputs);
  for (const double first : {0.0, -0.75, 1.0, 3e5}) {
    std::vector<double> in;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      in.push_back(first * (1 + 0.37 * static_cast<double>(i)));
    }
    const double value = tape(in)[0];
    compare(value, testing::evaluate_plainly(e, inputs, in), "graph");
    compare(value, machine(in)[0], "machine code");
    if (native) compare(value, (*native)(in)[0], "native");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}

// Any expression, compiled to native code, gives the bits of the interpreter. Each takes a run of
// the compiler, some tens of milliseconds.
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/function.hpp>
#include <koppel/expr/graph.hpp>
#include <koppel/expr/parse.hpp>
#include <koppel/expr/structure.hpp>

namespace {

using namespace koppel;

bool is_same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void check(std::string_view text) {
  if (text.size() > 400) return;
  Graph graph;
  Scope scope;
  scope.make_symbols = true;
  Expr e;
  try {
    e = parse(graph, text, scope);
  } catch (const Error&) {
    return;
  }
  const std::vector<Expr> inputs = symbols_of(e), outputs = {e};
  const Function tape(inputs, outputs), native(inputs, outputs, {.native = true});
  if (!native.is_native()) {
    std::cerr << "not compiled: " << native.why_not_native() << '\n';
    std::abort();
  }
  for (const double first : {0.0, -0.75, 1.0, 3e5}) {
    std::vector<double> in;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      in.push_back(first * (1 + 0.37 * static_cast<double>(i)));
    }
    const double a = tape(in)[0], b = native(in)[0];
    if (is_same(a, b)) continue;
    std::cerr << "tape " << a << ", native " << b << '\n';
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}

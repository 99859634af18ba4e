// Any bytes either parse or are refused with an Error; what parses is printed as a text that
// parses to the same node, as LaTeX, and as a listing.
//
//   cmake --preset fuzz && cmake --build --preset fuzz
//   build/fuzz/bin/parse_fuzz -max_len=4096 -dict=tests/fuzz/parse.dict NEW tests/fuzz/corpus/parse
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/text/parse.hpp>
#include <koppel/expr/text/print.hpp>

namespace {

using namespace koppel;

void check(std::string_view text) {
  Graph graph;
  const double x[] = {0, 1, 2, 4}, y[] = {1, -1, 3, 2};
  graph.add_table("road", TableData::spline(x, y));
  graph.add_table("held", TableData::held(x, y));
  Scope scope;
  scope.names.emplace("half", 0.5);
  scope.make_symbols = true;

  Expr e;
  try {
    e = parse(graph, text, scope);
  } catch (const Error&) {
    return;
  }
  constexpr std::size_t kLongest = 1 << 20;
  std::string printed;
  try {
    printed = to_text(e, kLongest);
    to_latex(e, kLongest);
  } catch (const Error& error) {
    if (error.diagnostics().front().id != "expr.text-too-long") throw;
    return;
  }
  const NamedExpr named[] = {{"f", e}, {"g", e * e}};
  to_listing(named);
  if (parse(graph, printed) == e) return;
  std::cerr << "not the same when read again: " << printed << '\n';
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check({reinterpret_cast<const char*>(data), size});
  return 0;
}

#include <koppel/simulate/undefined_force.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// Whether a root of something that depends on the motion is 0 there: a distance.
bool has_no_distance(const Equations& e, const std::vector<Expr>& f, const State& at) {
  Postorder order(*e.graph);
  order.visit(f);
  std::vector<Expr> roots;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i].is(Op::Sqrt)) roots.push_back(order[i]);
  }
  if (roots.empty()) return false;
  const std::vector<double> values = VectorFunction(e, roots)(at);
  return std::any_of(values.begin(), values.end(), [](double x) { return x == 0; });
}

}  // namespace

std::string describe_undefined_force(const Equations& e, const State& reached) {
  for (const Equations::ForcePart& part : *e.parts) {
    const std::vector<double> f = VectorFunction(e, part.f)(reached);
    if (std::all_of(f.begin(), f.end(), [](double x) { return std::isfinite(x); })) continue;
    return fmt::format("'{}' has no finite value there{}", part.name,
                       has_no_distance(e, part.f, reached)
                           ? ": its ends coincide, and the force has no direction. Start them apart"
                           : "");
  }
  return {};
}

}  // namespace koppel

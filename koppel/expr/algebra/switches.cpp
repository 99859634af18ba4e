#include <koppel/expr/algebra/switches.hpp>

#include <algorithm>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {

std::vector<Switch> switches_of(std::span<const Expr> f, std::span<const Expr> x) {
  Graph* const graph = graph_of(f);
  if (graph == nullptr) return {};
  Postorder order(*graph);  // each part once, of however many of f it is one
  order.visit(f);
  std::vector<Switch> out;
  const auto add = [&](Expr argument, std::vector<double> at) {
    if (!depends_on(argument, x)) return;
    for (Switch& known : out) {
      if (known.argument != argument) continue;
      known.at.insert(known.at.end(), at.begin(), at.end());
      std::sort(known.at.begin(), known.at.end());
      known.at.erase(std::unique(known.at.begin(), known.at.end()), known.at.end());
      return;
    }
    out.push_back({argument, std::move(at)});
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Expr e = order[i];
    switch (e.op()) {
      case Op::Abs:
      case Op::Sign: add(e.operand(0), {0}); break;
      case Op::Min:
      case Op::Max:
      case Op::Less:
      case Op::LessEqual: add(e.operand(0) - e.operand(1), {0}); break;
      case Op::Table: {
        const auto points = e.graph()->table_data(e.graph()->node(e.id()).operand[1]).breakpoints();
        add(e.operand(0), {points.begin(), points.end()});
        break;
      }
      default: break;
    }
  }
  return out;
}

}  // namespace koppel

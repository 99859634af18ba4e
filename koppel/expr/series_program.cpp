#include <koppel/expr/series_program.hpp>

#include <unordered_map>

#include <koppel/expr/traverse.hpp>

namespace koppel {
namespace {

struct Companion {
  Expr node, series;
};

// The companions of all varying nodes below the outputs, and of the nodes below those, until there
// are no more: each has simpler companions than the last (tables one degree less; cos and sin each
// other).
std::vector<Companion> find_companions(Graph& graph, std::span<const Expr> variables,
                                       std::span<const Expr> outputs) {
  std::vector<Companion> found;
  std::unordered_map<NodeId, bool> done;
  std::vector<Expr> roots(outputs.begin(), outputs.end());
  while (!roots.empty()) {
    Postorder order(graph);
    order.visit(roots);
    roots.clear();
    const std::vector<char> varies = dependent_nodes(order, variables);
    for (std::size_t p = 0; p < order.size(); ++p) {
      const Expr e = order[p];
      if (!varies[p] || e.is_symbol()) continue;
      // A power needs one where its exponent varies.
      const bool needs_one = e.is(Op::Pow)
                                 ? varies[order.position(e.operand(1))] != 0
                                 : e.is(Op::Table) || operation(e.op()).taylor.companion != nullptr;
      if (!needs_one || !done.try_emplace(e.id(), true).second) continue;
      found.push_back({e, companion(e)});
      roots.push_back(found.back().series);
    }
  }
  return found;
}

// The cheapest recurrence for an instruction, given which values are constant in time and which
// companion (if any) belongs to it.
SeriesInstruction choose_rule(const Program& program, const Instruction& i,
                              const std::vector<char>& is_static, const ValueId* companion) {
  SeriesInstruction out{&operation(i.op).taylor, i.a, i.b, i.c};
  switch (i.op) {
    case Op::Mul:
      if (is_static[i.b]) std::swap(out.a, out.b);
      if (is_static[out.a]) {
        out.rule = &operations::kScale;
      } else if (i.a == i.b) {
        out.rule = &operations::kSquare;
      }
      break;
    case Op::Div:
      if (is_static[i.b]) out.rule = &operations::kDivStatic;
      break;
    case Op::Pow:
      if (companion == nullptr) out.rule = &operations::kPowStatic;
      break;
    case Op::Table:
      out.b = i.a;  // not the table's index
      if (i.derivative >= program.tables[i.b].data.degree()) out.rule = &operations::kStep;
      break;
    default: break;
  }
  if (companion != nullptr) out.c = *companion;
  return out;
}

}  // namespace

SeriesProgram lower_series(std::span<const Expr> variables, std::span<const Expr> parameters,
                           std::span<const Expr> outputs) {
  // Companions and their nodes are lowered as further outputs; that tells their values' numbers.
  // They come first, so that a companion stands before its node where it can: pow reads order k
  // of its companion at order k.
  std::vector<Expr> inputs(variables.begin(), variables.end());
  inputs.insert(inputs.end(), parameters.begin(), parameters.end());
  std::vector<Expr> all;
  if (Graph* graph = graph_of(outputs)) {
    for (const Companion& c : find_companions(*graph, variables, outputs)) {
      all.insert(all.end(), {c.series, c.node});
    }
  }
  const auto num_companions = static_cast<std::ptrdiff_t>(all.size());
  all.insert(all.end(), outputs.begin(), outputs.end());
  SeriesProgram result{lower(inputs, all), {}};
  Program& program = result.program;
  std::unordered_map<ValueId, ValueId> companion_of;
  for (auto it = program.outputs.begin(); it != program.outputs.begin() + num_companions; it += 2) {
    companion_of.emplace(it[1], it[0]);
  }
  program.outputs.erase(program.outputs.begin(), program.outputs.begin() + num_companions);

  std::vector<char> is_static(program.num_values(), true);
  for (std::size_t v = 0; v < variables.size(); ++v) is_static[v] = false;
  const std::size_t leaves = program.num_leaves();
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    const Instruction& instruction = program.code[n];
    bool all_static = true;
    for_each_operand(instruction, [&](ValueId v) { all_static = all_static && is_static[v]; });
    is_static[leaves + n] = all_static;
    const auto it = companion_of.find(static_cast<ValueId>(leaves + n));
    result.rules.push_back(all_static
                               ? SeriesInstruction{}
                               : choose_rule(program, instruction, is_static,
                                             it == companion_of.end() ? nullptr : &it->second));
  }
  return result;
}

}  // namespace koppel

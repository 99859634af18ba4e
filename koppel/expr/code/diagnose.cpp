#include <koppel/expr/code/diagnose.hpp>

#include <charconv>
#include <cmath>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/text/print.hpp>

namespace koppel {
namespace {

std::string format(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// The text of a value, down to a few levels; what lies deeper shows as "…". Nodes are interned as
// they are: identities would change what the reader wrote, and fold the … together.
class Excerpt {
 public:
  explicit Excerpt(const Program& program) : program_(program) {}

  std::string text(ValueId v) { return to_text(build(v, 5)); }

 private:
  Expr build(ValueId v, int levels) {
    if (program_.is_input(v)) return graph_.symbol(program_.inputs[v]);
    if (program_.is_constant(v)) return graph_.constant(program_.constant(v));
    if (levels == 0) return graph_.symbol("…");
    const Instruction& i = program_.code[v - program_.num_leaves()];
    Node node{i.op, {build(i.a, levels - 1).id(), 0, 0}};
    if (i.op == Op::Table) {
      const auto& [name, data] = program_.tables[i.b];
      const Table table =
          graph_.find_table(name) ? *graph_.find_table(name) : graph_.add_table(name, data);
      return table.derivative(build(i.a, levels - 1), i.variant);
    }
    const int arity = operation(i.op).arity;
    if (arity > 1) node.operand[1] = build(i.b, levels - 1).id();
    if (arity > 2) node.operand[2] = build(i.c, levels - 1).id();
    return graph_.intern(node);
  }

  const Program& program_;
  Graph graph_;
};

}  // namespace

std::optional<std::string> diagnose(const Program& program, std::span<const double> in) {
  std::vector<double> value(in.begin(), in.end());
  for (std::size_t i = 0; i < in.size(); ++i) {
    if (!std::isfinite(in[i])) return "input '" + program.inputs[i] + "' is " + format(in[i]) + '.';
  }
  value.insert(value.end(), program.constants.begin(), program.constants.end());
  for (const Instruction& i : program.code) {
    const Operation& entry = operation(i.op);
    const double a = value[i.a];
    const double b = entry.arity > 1 ? value[i.b] : 0;
    const double c = entry.arity > 2 ? value[i.c] : 0;
    const double result =
        i.op == Op::Table ? program.tables[i.b].data.evaluate(a, i.variant) : entry.value(a, b, c);
    const auto text = [&] { return Excerpt(program).text(static_cast<ValueId>(value.size())); };
    if (entry.in_domain != nullptr && !entry.in_domain(a, b)) {
      std::string operands = format(a);
      if (entry.arity > 1) operands += " and " + format(b);
      return "'" + text() + "' leaves its domain: " + entry.domain + "; operands: " + operands +
             '.';
    }
    if (!std::isfinite(result))
      return "'" + text() + "' overflows: its value is " + format(result) + '.';
    value.push_back(result);
  }
  return std::nullopt;
}

}  // namespace koppel

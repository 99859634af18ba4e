#include <koppel/expr/code/program.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// Beyond this exponent pow is as fast as the products, and more accurate.
constexpr double kLargestPower = 64;

class Lowering {
 public:
  Lowering(std::span<const Expr> inputs, std::span<const Expr> outputs) {
    for (const Expr& input : inputs) program_.inputs.emplace_back(input.name());
    Graph* graph = graph_of(outputs);
    if (graph != nullptr) lower_nodes(*graph, inputs, outputs);
    if (graph == nullptr) is_sound_ = inputs.size() <= 1;
    for (const Expr& e : outputs) {
      program_.outputs.push_back(e.is_constant() ? constant(e.value()) : value_[order_position(e)]);
    }
    number_values();
  }

  // Whether each input is one of its own, and each symbol an input.
  bool is_sound() const { return is_sound_; }
  Program take() { return std::move(program_); }

 private:
  // While lowering, constants and instructions are numbered separately, tagged by their top bits;
  // number_values puts the instructions behind the last constant.
  static constexpr ValueId kConstant = 0x80000000u;
  static constexpr ValueId kResult = 0x40000000u;

  std::uint32_t order_position(Expr e) const { return order_->position(e); }

  void lower_nodes(Graph& graph, std::span<const Expr> inputs, std::span<const Expr> outputs) {
    order_.emplace(graph);
    order_->visit(outputs);
    value_.resize(order_->size());
    NodeIndex input_of(graph);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].graph() != &graph || input_of.contains(inputs[i].id())) {
        is_sound_ = false;
      } else {
        input_of.set(inputs[i].id(), static_cast<ValueId>(i));
      }
    }
    for (std::size_t p = 0; p < order_->size(); ++p) {
      const Expr e = (*order_)[p];
      switch (e.op()) {
        case Op::Symbol:
          value_[p] = input_of[e.id()];
          is_sound_ = is_sound_ && value_[p] != NodeIndex::kNone;
          break;
        case Op::Constant: break;  // numbered where it is used: exponents may need none
        case Op::Table: value_[p] = table(graph, graph.node(e.id())); break;
        case Op::Pow: value_[p] = power(e); break;
        default: value_[p] = plain(e); break;
      }
    }
  }

  ValueId plain(Expr e) {
    const ValueId a = operand(e, 0), b = operand(e, 1), c = operand(e, 2);
    return e.is(Op::Mul) && a == b ? integer_power(a, 2) : emit(e.op(), a, b, c);
  }

  ValueId operand(Expr e, int i) {
    if (i >= e.num_operands()) return 0;
    const Expr x = e.operand(i);
    return x.is_constant() ? constant(x.value()) : value_[order_position(x)];
  }

  ValueId constant(double number) {
    const auto [it, is_new] =
        constants_.try_emplace(number, kConstant | static_cast<ValueId>(program_.constants.size()));
    if (is_new) program_.constants.push_back(number);
    return it->second;
  }

  ValueId emit(Op op, ValueId a, ValueId b = 0, ValueId c = 0, int derivative = 0) {
    program_.code.push_back({op, static_cast<std::uint8_t>(derivative), a, b, c});
    return kResult | static_cast<ValueId>(program_.code.size() - 1);
  }

  ValueId table(const Graph& graph, const Node& node) {
    const auto [it, is_new] =
        tables_.try_emplace(node.operand[1], static_cast<ValueId>(program_.tables.size()));
    if (is_new) {
      program_.tables.push_back(
          {graph.table_name(node.operand[1]), graph.table_data(node.operand[1])});
    }
    const ValueId x = value_[order_->position(node.operand[0])];
    return emit(Op::Table, x, it->second, 0, static_cast<int>(node.operand[2]));
  }

  ValueId power(Expr e) {
    const Expr exponent = e.operand(1);
    const double n = exponent.is_constant() ? exponent.value() : 0.5;
    if (n != std::floor(n) || std::abs(n) > kLargestPower) {
      return emit(Op::Pow, operand(e, 0), operand(e, 1));
    }
    const ValueId product = integer_power(operand(e, 0), static_cast<int>(std::abs(n)));
    return n < 0 ? emit(Op::Div, constant(1), product) : product;
  }

  // xⁿ for n ≥ 1; powers of the same base are shared.
  ValueId integer_power(ValueId x, int n) {
    if (n == 1) return x;
    const auto [it, is_new] = powers_.try_emplace({x, n}, 0);
    if (is_new) {
      const ValueId half = integer_power(x, n / 2);
      const ValueId square = emit(Op::Mul, half, half);
      it->second = n % 2 == 0 ? square : emit(Op::Mul, x, square);
    }
    return it->second;
  }

  void number_values() {
    const auto first_constant = static_cast<ValueId>(program_.inputs.size());
    const auto first_result = static_cast<ValueId>(program_.num_leaves());
    const auto number = [&](ValueId& v) {
      if (v & kConstant) {
        v = first_constant + (v & ~kConstant);
      } else if (v & kResult) {
        v = first_result + (v & ~kResult);
      }
    };
    for (Instruction& instruction : program_.code) for_each_operand(instruction, number);
    for (ValueId& output : program_.outputs) number(output);
  }

  Program program_;
  bool is_sound_ = true;
  std::optional<Postorder> order_;
  std::vector<ValueId> value_;  // by position in order_
  std::unordered_map<double, ValueId> constants_;
  std::unordered_map<NodeId, ValueId> tables_;
  std::map<std::pair<ValueId, int>, ValueId> powers_;
};

// Throws Error with all that is wrong, if anything is.
void check_inputs(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  std::vector<Diagnostic> mistakes;
  std::vector<Expr> symbols;
  std::copy_if(inputs.begin(), inputs.end(), std::back_inserter(symbols),
               [](Expr e) { return e.is_symbol(); });
  const auto by_id = [](Expr a, Expr b) { return a.id() < b.id(); };
  std::sort(symbols.begin(), symbols.end(), by_id);
  for (std::size_t i = 1; i < symbols.size(); ++i) {
    const bool is_third = i > 1 && symbols[i - 2].id() == symbols[i].id();
    if (symbols[i - 1].id() != symbols[i].id() || is_third) continue;
    mistakes.push_back({"expr.bad-input",
                        "'" + std::string(symbols[i].name()) + "' is an input of a function twice.",
                        "",
                        {},
                        {}});
  }
  for (std::size_t i = symbols.size(); i < inputs.size(); ++i) {
    mistakes.push_back({"expr.bad-input", "an input of a function is not a symbol.", "", {}, {}});
  }
  std::string unbound;
  for (const Expr& e : symbols_of(outputs)) {
    if (std::binary_search(symbols.begin(), symbols.end(), e, by_id)) continue;
    unbound += (unbound.empty() ? "" : ", ") + std::string(e.name());
  }
  if (!unbound.empty()) {
    mistakes.push_back(
        {"expr.unbound-symbol",
         "a function depends on symbols that are not among its inputs: " + unbound + ".",
         "Add them to the inputs, or substitute values for them.",
         {},
         {}});
  }
  if (!mistakes.empty()) throw Error(std::move(mistakes));
}

}  // namespace

int arity_of(Op op) { return operation(op).arity; }

namespace {

// Sine and cosine of one angle one after the other, at the place of the first.
void pair_turns(Program& program) {
  const std::size_t leaves = program.num_leaves();
  std::unordered_map<ValueId, std::size_t> sine_of, cosine_of;  // angle → instruction
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    const Instruction& i = program.code[n];
    if (is_turn(i.op)) (i.op == Op::Sin ? sine_of : cosine_of)[i.a] = n;
  }
  if (sine_of.empty() || cosine_of.empty()) return;
  std::vector<Instruction> code;
  std::vector<ValueId> moved(program.num_values());
  for (std::size_t v = 0; v < leaves; ++v) moved[v] = static_cast<ValueId>(v);
  const auto move = [&](std::size_t n) {
    moved[leaves + n] = static_cast<ValueId>(leaves + code.size());
    code.push_back(program.code[n]);
    for_each_operand(code.back(), [&](ValueId& v) { v = moved[v]; });
  };
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    if (moved[leaves + n] != 0) continue;  // behind the other one of its angle
    const Instruction& i = program.code[n];
    move(n);
    if (!is_turn(i.op)) continue;
    const auto& others = i.op == Op::Sin ? cosine_of : sine_of;
    if (const auto other = others.find(i.a); other != others.end()) move(other->second);
  }
  for (ValueId& v : program.outputs) v = moved[v];
  program.code = std::move(code);
}

}  // namespace

Program lower(std::span<const Expr> inputs, std::span<const Expr> outputs, bool fixed_cost) {
  const auto is_symbol = [](Expr e) { return e.is_symbol(); };
  if (!std::all_of(inputs.begin(), inputs.end(), is_symbol)) check_inputs(inputs, outputs);
  Lowering lowering(inputs, outputs);
  if (!lowering.is_sound()) check_inputs(inputs, outputs);
  Program program = lowering.take();
  pair_turns(program);
  if (!fixed_cost) return program;
  for (Instruction& i : program.code) {
    if (has_own_function(i.op)) i.variant = 1;
  }
  return program;
}

}  // namespace koppel

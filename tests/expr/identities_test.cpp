// Making a node applies identities; these are properties of all of them together.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/text/print.hpp>

#include <tests/expr/plain_evaluation.hpp>
#include <tests/expr/random_expr.hpp>

namespace koppel {
namespace {

using koppel::testing::evaluate_nodes;
using koppel::testing::operate_plainly;
using koppel::testing::random_expr;

const double kAt[] = {-2, -1, 0, 1, 2}, kOf[] = {0.5, -1, 1, 0.25, 1.5};

struct Setting {
  Graph graph;
  std::array<Expr, 3> x = graph.symbols("x", "y", "z");
  std::array<Table, 2> tables = {graph.add_table("linear", TableData::linear(kAt, kOf)),
                                 graph.add_table("spline", TableData::spline(kAt, kOf))};

  Expr random(std::mt19937_64& engine, int size) {
    return random_expr(engine, x, {.size = size, .tables = tables});
  }
};

TEST(Identities, ANodeIsWhatItsOperationMakesOfItsOperands) {
  std::mt19937_64 engine(401);
  int expressions = 0;
  for (int batch = 0; batch < 20; ++batch) {
    Setting setting;
    for (int n = 0; n < 500; ++n, ++expressions) setting.random(engine, 1 + n % 30);
    const auto nodes = static_cast<NodeId>(setting.graph.num_nodes());
    for (NodeId id = 0; id < nodes; ++id) {
      const Expr e(setting.graph, id);
      Operands operands;
      if (e.num_operands() > 0) operands.a = e.operand(0);
      if (e.num_operands() > 1) operands.b = e.operand(1);
      if (e.num_operands() > 2) operands.c = e.operand(2);
      ASSERT_EQ(with_operands(e, operands), e) << to_text(e);
    }
    ASSERT_EQ(setting.graph.num_nodes(), nodes) << "nothing new was made";
  }
  EXPECT_EQ(expressions, 10000);
}

TEST(Identities, OperandsOfCommutativeOperationsMayBeSwapped) {
  std::mt19937_64 engine(402);
  Setting setting;
  for (int n = 0; n < 2000; ++n) {
    const Expr a = setting.random(engine, n % 12), b = setting.random(engine, n % 7);
    for (const Operation& entry : operations::kTable) {
      if (!entry.commutative) continue;
      ASSERT_EQ(apply(entry.op, a, b), apply(entry.op, b, a))
          << to_text(a) << ' ' << entry.name << ' ' << to_text(b);
    }
    ASSERT_EQ(-(-a), a);
  }
}

// The largest value that was added up in e, which is what its rounding errors are relative to.
double size_of_sum(Expr e, const Postorder& order, std::span<const double> value, int levels = 3) {
  double size = std::abs(value[order.position(e)]);
  if (levels > 0 && (e.is(Op::Add) || e.is(Op::Sub) || e.is(Op::Neg))) {
    for (int i = 0; i < e.num_operands(); ++i) {
      size = std::max(size, size_of_sum(e.operand(i), order, value, levels - 1));
    }
  }
  return size;
}

// How far the value of `op` moves when its operands move by `relative` of their size. What an
// identity changes by rounding is of this order; what a wrong one changes is not.
double allowance(const Operation& op, std::span<const double> x, std::span<const double> size,
                 double relative) {
  const double value = op.value(x[0], x[1], x[2]);
  double sum = relative * std::abs(value);
  for (std::size_t i = 0; i < static_cast<std::size_t>(op.arity); ++i) {
    for (const double sign : {-1.0, 1.0}) {
      double moved[3] = {x[0], x[1], x[2]};
      moved[i] += sign * relative * size[i];
      const double change = std::abs(op.value(moved[0], moved[1], moved[2]) - value);
      sum += std::isfinite(change) ? change : INFINITY;
    }
  }
  return sum;
}

bool is_moderate(double value) {
  const double size = std::abs(value);
  return value == 0 || (size > 1e-100 && size < 1e100);
}

// Relatives of a and b: operands between which identities have their chance.
std::vector<Expr> relatives(Graph& graph, Expr a, Expr b) {
  std::vector<Expr> all = {a,
                           b,
                           a + b,
                           a - b,
                           b - a,
                           a * b,
                           a / b,
                           b / a,
                           -a,
                           2 * a,
                           3 * b,
                           -2 * a,
                           a * a,
                           b * b,
                           pow(a, 3),
                           pow(b, -2),
                           1 / a,
                           sqrt(a),
                           sqrt(b),
                           abs(a),
                           sin(a),
                           cos(a),
                           tan(a),
                           asin(b),
                           acos(a),
                           atan(a),
                           exp(a),
                           log(a),
                           a + 2,
                           3 - a,
                           0.5 * b,
                           2 / a,
                           sin(a) * sin(a),
                           cos(a) * cos(a),
                           pow(a, 1.5),
                           exp(b),
                           a < b,
                           -sin(b),
                           0,
                           1,
                           -1,
                           2,
                           3,
                           -2,
                           0.5,
                           -0.5,
                           1.5,
                           4};
  for (Expr& e : all) e = Expr(graph, graph.adopt(e));
  return all;
}

// Compares the value of a node with that of its operation on the values of its operands; returns
// at how many points both are defined.
int expect_value_preserved(const Setting& setting, Op op, std::span<const Expr> operands,
                           Expr made) {
  constexpr double kRelative = 1e-12;  // reordered sums and powers of exponentials lose some digits
  const Operation& entry = operation(op);
  Postorder order(*made.graph());
  order.visit(operands);
  const auto num_operand_nodes = static_cast<std::ptrdiff_t>(order.size());
  order.visit(made);
  int compared = 0;
  for (const auto& point : {std::array{0.4, -1.3, 2.2}, std::array{-0.7, 0.6, 0.1}}) {
    const auto value = evaluate_nodes<double>(order, setting.x, point, operate_plainly);
    if (!std::all_of(value.begin(), value.begin() + num_operand_nodes, is_moderate)) continue;
    double x[3], size[3];
    for (std::size_t i = 0; i < 3; ++i) {
      x[i] = value[order.position(operands[i])];
      size[i] = size_of_sum(operands[i], order, value);
    }
    const double expected = entry.value(x[0], x[1], x[2]);
    if (!is_moderate(expected)) continue;
    ++compared;
    const double actual = value[order.position(made)];
    EXPECT_LE(std::abs(actual - expected), allowance(entry, x, size, kRelative))
        << actual << " instead of " << expected << ": " << entry.name << " of "
        << to_text(operands[0]) << ", " << to_text(operands[1]) << ", " << to_text(operands[2])
        << " is " << to_text(made);
  }
  return compared;
}

TEST(Identities, PreserveTheValueWhereverItIsDefined) {
  std::mt19937_64 engine(403);
  int compared = 0, rewritten = 0;
  for (int round = 0; round < 6; ++round) {
    Setting setting;
    const std::vector<Expr> pool = relatives(setting.graph, setting.random(engine, round % 3),
                                             setting.random(engine, round / 3));
    for (const Operation& entry : operations::kTable) {
      if (entry.arity == 0 || entry.op == Op::Table) continue;
      for (const Expr& a : pool) {
        for (const Expr& b : entry.arity > 1 ? pool : std::vector<Expr>{pool[0]}) {
          const Expr operands[] = {a, b, pool[engine() % pool.size()]};
          Expr made = apply(entry.op, a, b, operands[2]);
          made = Expr(setting.graph, setting.graph.adopt(made));
          if (!made.is(entry.op)) ++rewritten;
          compared += expect_value_preserved(setting, entry.op, operands, made);
          if (HasFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(compared, 100000);
  EXPECT_GT(rewritten, 20000);
}

}  // namespace
}  // namespace koppel

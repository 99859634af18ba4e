// Random expressions for property tests, the same for the same seed on every machine.
//
//   std::mt19937_64 engine(seed);
//   const Expr symbols[] = {graph.symbol("x"), graph.symbol("y")};
//   const Expr e = random_expr(engine, symbols, {.size = 30, .smooth_only = true});
//
// Without smooth_only all operations and awkward numbers occur; values may be NaN or infinite.
// With it, the expression is analytic for all real values of its symbols and stays of the size of
// its largest operand, so that derivatives, Taylor coefficients and backends can be compared to
// tight tolerances: every operation that has a restricted domain is given an operand inside it.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel::testing {

struct RandomExprOptions {
  int size = 20;                       // about how many operations
  bool smooth_only = false;            // see above
  std::span<const Table> tables = {};  // tables that may occur; smooth_only takes splines only,
                                       // which are twice continuously differentiable
};

class RandomExpr {
 public:
  RandomExpr(std::mt19937_64& engine, std::span<const Expr> symbols, RandomExprOptions options)
      : engine_(engine), graph_(*symbols[0].graph()), symbols_(symbols), options_(options) {}

  Expr make() { return of_size(options_.size); }

 private:
  // Uniform in 0 … n−1. (The standard's distributions differ between libraries.)
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  bool chance(double p) { return uniform() < p; }

  // A node of the graph always: an operation on plain numbers alone may throw.
  Expr adopt(Expr e) { return {graph_, graph_.adopt(e)}; }

  Expr of_size(int size) {
    if (size <= 0) return leaf();
    Expr e = adopt(options_.smooth_only ? smooth(size) : any(size));
    if (size <= 4) small_.push_back(e);
    return e;
  }

  Expr leaf() {
    if (!small_.empty() && chance(0.15)) return small_[below(small_.size())];
    if (chance(0.75)) return symbols_[below(symbols_.size())];
    return graph_.constant(options_.smooth_only ? 0.25 + std::floor(112 * uniform()) / 64
                                                : number());
  }

  double number() {
    switch (below(8)) {
      case 0: return -static_cast<double>(below(10));
      case 1: return static_cast<double>(below(10)) / 2;
      case 2: return uniform();
      case 3: return -10 * uniform();
      case 4: return std::ldexp(uniform(), static_cast<int>(below(2000)) - 1000);
      case 5: {
        const double any_bits = std::bit_cast<double>(engine_());
        return std::isfinite(any_bits) ? any_bits : 1e300;
      }
      default: return static_cast<double>(below(6));
    }
  }

  Expr any(int size) {
    constexpr auto kFirst = static_cast<std::size_t>(Op::Neg);
    const Op op = static_cast<Op>(kFirst + below(kNumOps - kFirst));
    if (chance(0.3)) return of_two(chance(0.5) ? Op::Add : Op::Mul, size);
    if (op == Op::Table) return table(of_size(size - 1));
    switch (operation(op).arity) {
      case 1: return apply(op, of_size(size - 1));
      case 2: return of_two(op, size);
      default: {
        const int third = (size - 1) / 3;
        const Expr condition =
            of_two(static_cast<Op>(static_cast<std::size_t>(Op::Less) + below(3)), third);
        const Expr a = of_size(third);
        return select(condition, a, of_size(size - 1 - 2 * third));
      }
    }
  }

  Expr of_two(Op op, int size) {
    const int left = static_cast<int>(below(static_cast<std::size_t>(size < 1 ? 1 : size)));
    const Expr a = of_size(left);
    const Expr b = op == Op::Pow && chance(0.7) ? graph_.constant(static_cast<double>(below(9)) - 4)
                                                : of_size(size - 1 - left);
    if (divides_by_zero(op, a, b)) return adopt(apply(Op::Mul, a, b));
    return adopt(apply(op, a, b));
  }

  static bool divides_by_zero(Op op, Expr a, Expr b) {
    return (op == Op::Div && b.is_constant(0)) ||
           (op == Op::Pow && a.is_constant(0) && b.is_constant() && b.value() < 0);
  }

  Expr table(Expr x) {
    if (options_.tables.empty()) return sin(x);
    const Table& chosen = options_.tables[below(options_.tables.size())];
    if (options_.smooth_only) return chosen.data().degree() == 3 ? chosen(x) : cos(x);
    if (x.is_constant() && std::abs(x.value()) > 1e6) return x;  // beyond, the value overflows
    return chosen.derivative(x, static_cast<int>(below(3)));
  }

  // If |a|, |b| are at most 4, so is the result (but for tables).
  Expr smooth(int size) {
    if (chance(0.5)) {
      const Expr a = of_size(size - 1);
      switch (below(17)) {
        case 0: return -a;
        case 1: return sin(a);
        case 2: return cos(2 * a);
        case 3: return tan(sin(a));
        case 4: return atan(a);
        case 5: return asin(0.75 * sin(a));
        case 6: return acos(0.75 * cos(a));
        case 7: return sinh(sin(a));
        case 8: return cosh(0.5 * a - 0.25);
        case 9: return tanh(a);
        case 10: return sqrt(1.5 + sin(a));
        case 11: return exp(cos(a));
        case 12: return log(2 + a * a);
        case 13: return pow(1.25 + sin(a), 1.5);
        case 14: return 0.0625 * pow(a, 3);
        case 15: return pow(2, sin(a));
        default: return table(a);
      }
    }
    const int left = static_cast<int>(below(static_cast<std::size_t>(size)));
    const Expr a = of_size(left), b = of_size(size - 1 - left);
    switch (below(7)) {
      case 0: return 0.5 * a + 0.5 * b;
      case 1: return 0.5 * (a - b);
      case 2: return sin(a) * b;
      case 3: return 0.25 * a * b;
      case 4: return a / (1 + b * b);
      case 5: return atan2(a, 2 + sin(b));
      default: return pow(1.5 + sin(a), 0.25 * b);
    }
  }

  std::mt19937_64& engine_;
  Graph& graph_;
  std::span<const Expr> symbols_;
  RandomExprOptions options_;
  std::vector<Expr> small_;  // made before, to occur again
};

inline Expr random_expr(std::mt19937_64& engine, std::span<const Expr> symbols,
                        RandomExprOptions options = {}) {
  return RandomExpr(engine, symbols, options).make();
}

inline double uniform(std::mt19937_64& engine, double low, double high) {
  return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
}

// Some symbols, and a table of every kind.
struct RandomSetting {
  static constexpr double kAt[] = {-2, -1, 0, 1, 2}, kOf[] = {0.5, -1, 1, 0.25, 1.5};

  Graph graph;
  std::array<Expr, 3> x = graph.symbols("x", "y", "z");
  std::array<Table, 3> tables = {graph.add_table("held", TableData::held(kAt, kOf)),
                                 graph.add_table("linear", TableData::linear(kAt, kOf)),
                                 graph.add_table("spline", TableData::spline(kAt, kOf))};

  std::vector<Expr> random_outputs(std::mt19937_64& engine, int count, int size, bool smooth) {
    std::vector<Expr> f;
    for (int n = 0; n < count; ++n) {
      f.push_back(random_expr(engine, x, {.size = size, .smooth_only = smooth, .tables = tables}));
    }
    return f;
  }
};

}  // namespace koppel::testing

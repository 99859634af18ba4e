#include <koppel/expr/algebra/discrete_gradient.hpp>

#include <array>
#include <cassert>
#include <cmath>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// An operand at both ends.
struct Ends {
  Expr at0, at1;
  Expr mean() const { return at0 == at1 ? at0 : 0.5 * (at0 + at1); }
  Expr change() const { return at1 - at0; }
};

// sin(x)/x and sinh(x)/x. The series below are exact to round-off for |x| ≤ 0.1: their next term is
// x¹⁰/11! < 3e-18.
constexpr double kSeriesRange = 0.1;
Expr even_series(Expr x, double sign) {
  const Expr s = sign * (x * x);
  return 1 + s / 6 * (1 + s / 20 * (1 + s / 42 * (1 + s / 72)));
}
Expr ratio_to(Expr function_of_x, Expr x, double sign) {
  const Expr small = abs(x) < kSeriesRange;
  return select(small, even_series(x, sign), function_of_x / select(small, 1, x));
}
Expr sinc(Expr x) { return ratio_to(sin(x), x, -1); }
Expr sinhc(Expr x) { return ratio_to(sinh(x), x, 1); }

// (φ(a₁) − φ(a₀))/(a₁ − a₀). Below the threshold the derivative in the middle is off by
// φ‴ Δa²/24 ≈ 1e-11 of it, and that times Δa is below the rounding of φ.
Expr quotient(Expr node, const Ends& self, const Ends& a) {
  constexpr double kThreshold = 1e-5, kSmallest = 1e-8;
  const Expr change = a.change();
  const Expr small = abs(change) <= kThreshold * (abs(a.at0) + abs(a.at1)) + kSmallest;
  const Expr middle = with_operands(node, {a.mean(), 0, 0});
  return select(small, derivative(middle, 0, 1), self.change() / select(small, 1, change));
}

// aⁿ for a whole n > 1: Σ a₀ᵏ a₁ⁿ⁻¹⁻ᵏ.
Expr power_quotient(const Ends& a, int n) {
  Expr sum = 0;
  for (int k = 0; k < n; ++k) sum += pow(a.at0, k) * pow(a.at1, n - 1 - k);
  return sum;
}

using Weights = std::array<Expr, 3>;  // Δnode = Σ weight_i Δoperand_i

// Adds what is missing to (1), along the change of the operands: the shortest way.
Weights complete(const Ends& self, const Ends& a, const Ends& b, Expr by_a, Expr by_b) {
  const Expr da = a.change(), db = b.change();
  const Expr square = da * da + db * db;
  const Expr missing = self.change() - by_a * da - by_b * db;
  const Expr none = square <= 0;
  const Expr factor = select(none, 0, missing / select(none, 1, square));
  return {by_a + factor * da, by_b + factor * db, 0};
}

Weights weights_of(Expr node, const Ends& self, const std::array<Ends, 3>& x) {
  const Ends &a = x[0], &b = x[1];
  switch (node.op()) {
    case Op::Neg: return {-1};
    case Op::Add: return {1, 1};
    case Op::Sub: return {1, -1};
    case Op::Mul: return {b.mean(), a.mean()};
    case Op::Div: return {1 / b.mean(), -(self.mean() / b.mean())};
    case Op::Sqrt: return {1 / (self.at0 + self.at1)};
    case Op::Sin: return {cos(a.mean()) * sinc(0.5 * a.change())};
    case Op::Cos: return {-(sin(a.mean()) * sinc(0.5 * a.change()))};
    case Op::Exp: return {exp(a.mean()) * sinhc(0.5 * a.change())};
    case Op::Sinh: return {cosh(a.mean()) * sinhc(0.5 * a.change())};
    case Op::Cosh: return {sinh(a.mean()) * sinhc(0.5 * a.change())};
    case Op::Abs: {
      const Expr sum = self.at0 + self.at1, none = sum <= 0;
      return {select(none, 0, (a.at0 + a.at1) / select(none, 1, sum))};
    }
    case Op::Pow: {
      const bool is_fixed = b.at0 == b.at1;
      if (is_fixed && b.at0.is_constant()) {
        const double n = b.at0.value();
        if (n == std::floor(n) && n > 1 && n <= 8) return {power_quotient(a, static_cast<int>(n))};
      }
      if (is_fixed) {
        constexpr double kThreshold = 1e-5;
        const Expr small = abs(a.change()) <= kThreshold * (abs(a.at0) + abs(a.at1));
        const Expr slope = b.at0 * pow(a.mean(), b.at0 - 1);
        return {select(small, slope, self.change() / select(small, 1, a.change()))};
      }
      const Expr middle = with_operands(node, {a.mean(), b.mean(), 0});
      return complete(self, a, b, derivative(middle, 0, 1), derivative(middle, 1, 1));
    }
    case Op::Atan2: {  // the turn between the ends, which does not jump
      const Expr turn = atan2(a.at1 * b.at0 - b.at1 * a.at0, b.at0 * b.at1 + a.at0 * a.at1);
      const Expr middle = with_operands(node, {a.mean(), b.mean(), 0});
      return complete({0, turn}, a, b, derivative(middle, 0, 1), derivative(middle, 1, 1));
    }
    case Op::Min:
    case Op::Max: {
      const auto takes_a = [&](Expr p, Expr q) {
        return node.is(Op::Min) ? select(q < p, 0, 1) : select(p < q, 0, 1);
      };
      const Expr part = 0.5 * (takes_a(a.at0, b.at0) + takes_a(a.at1, b.at1));
      return complete(self, a, b, part, 1 - part);
    }
    case Op::Select: {
      const Expr part = 0.5 * (select(a.at0, 1, 0) + select(a.at1, 1, 0));
      const Weights branches = complete(self, b, x[2], part, 1 - part);
      return {0, branches[0], branches[1]};
    }
    case Op::Sign:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal: return {};
    default: return {quotient(node, self, a)};
  }
}

// The nodes below f with their values at both ends, and reverse accumulation over them.
class Accumulation {
 public:
  Accumulation(Graph& graph, Expr f, std::span<const Expr> x, std::span<const Expr> x0,
               std::span<const Expr> x1)
      : order_(graph) {
    order_.visit(f);
    active_ = dependent_nodes(order_, x);
    std::vector<Expr> nodes;
    for (std::size_t i = 0; i < order_.size(); ++i) nodes.push_back(order_[i]);
    at0_ = substitute(nodes, x, x0);
    at1_ = substitute(nodes, x, x1);
  }

  std::vector<Expr> gradient(Expr f, std::span<const Expr> x) {
    std::vector<Expr> adjoint(order_.size());
    adjoint[order_.position(f)] = 1;
    for (std::size_t p = order_.size(); p-- > 0;) {
      if (!active_[p] || adjoint[p].is_constant(0)) continue;
      const Expr node = order_[p];
      if (node.num_operands() == 0) continue;
      std::array<Ends, 3> operands;
      for (int i = 0; i < node.num_operands(); ++i) {
        operands[static_cast<std::size_t>(i)] = ends(order_.position(node.operand(i)));
      }
      const Weights weights = weights_of(node, ends(p), operands);
      for (int i = 0; i < node.num_operands(); ++i) {
        const std::uint32_t q = order_.position(node.operand(i));
        if (active_[q]) adjoint[q] += adjoint[p] * weights[static_cast<std::size_t>(i)];
      }
    }
    std::vector<Expr> out(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      const std::uint32_t p = order_.position(x[j]);
      if (p != NodeIndex::kNone) out[j] = adjoint[p];
    }
    return out;
  }

 private:
  Ends ends(std::size_t p) const { return {at0_[p], at1_[p]}; }

  Postorder order_;
  std::vector<char> active_;
  std::vector<Expr> at0_, at1_;
};

}  // namespace

std::vector<Expr> discrete_gradient(Expr f, std::span<const Expr> x, std::span<const Expr> x0,
                                    std::span<const Expr> x1) {
  assert(x.size() == x0.size() && x.size() == x1.size());
  if (f.is_constant()) return std::vector<Expr>(x.size());
  return Accumulation(*f.graph(), f, x, x0, x1).gradient(f, x);
}

SparseExpr discrete_jacobian(std::span<const Expr> f, std::span<const Expr> x,
                             std::span<const Expr> x0, std::span<const Expr> x1) {
  std::vector<std::vector<Expr>> rows;
  for (const Expr& row : f) rows.push_back(discrete_gradient(row, x, x0, x1));
  SparseExpr out;
  out.pattern.num_rows = static_cast<int>(f.size());
  out.pattern.num_columns = static_cast<int>(x.size());
  out.pattern.column_start.assign(1, 0);
  for (std::size_t j = 0; j < x.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i][j].is_constant(0)) continue;
      out.pattern.row.push_back(static_cast<int>(i));
      out.values.push_back(rows[i][j]);
    }
    out.pattern.column_start.push_back(out.pattern.num_entries());
  }
  return out;
}

}  // namespace koppel

#include <koppel/expr/algebra/enclosure.hpp>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/table.hpp>

namespace koppel {
namespace {

using Bounds = Enclosure::Bounds;

constexpr Interval kNone{0, 0};

Interval number(double x) { return {x, x}; }

// h(u) with bounds on h′(u).
Bounds chain(const Interval& value, const Interval& slope, const Bounds& u) {
  return {value, slope * u.rate};
}

// Where a condition on the sign of `a` may or must hold: 0, 1 or both.
Interval truth(bool may, bool must) { return {must ? 1.0 : 0.0, may ? 1.0 : 0.0}; }

Bounds tan_of(const Bounds& u) {
  const Interval c = cos(u.value);
  if (c.contains(0)) return {Interval::whole(), Interval::whole()};
  return chain(ascending(u.value, [](double x) { return std::tan(x); }), reciprocal(square(c)), u);
}

Interval clipped(const Interval& a) {
  return {std::clamp(a.lo, -1.0, 1.0), std::clamp(a.hi, -1.0, 1.0)};
}

// dx/√(1 − x²)
Interval slope_of_asin(const Interval& a) {
  return reciprocal(sqrt(number(1) - square(clipped(a))));
}

Bounds atan2_of(const Bounds& y, const Bounds& x) {
  constexpr double kPi = std::numbers::pi;
  const Interval slope =
      (x.value * y.rate - y.value * x.rate) / (square(x.value) + square(y.value));
  if (!(x.value.lo > 0)) return {{-kPi, kPi}, slope};
  return {ascending(y.value / x.value, [](double r) { return std::atan(r); }), slope};
}

// The smaller of two, or the larger.
Bounds extreme(const Bounds& a, const Bounds& b, bool is_max) {
  const Interval &u = a.value, &v = b.value;
  const bool a_only = is_max ? u.lo > v.hi : u.hi < v.lo;
  const bool b_only = is_max ? v.lo > u.hi : v.hi < u.lo;
  if (a_only) return a;
  if (b_only) return b;
  const Interval value = is_max ? Interval{std::max(u.lo, v.lo), std::max(u.hi, v.hi)}
                                : Interval{std::min(u.lo, v.lo), std::min(u.hi, v.hi)};
  return {value, hull(a.rate, b.rate)};
}

Bounds select_of(const Bounds& condition, const Bounds& a, const Bounds& b) {
  if (!condition.value.contains(0)) return a;
  if (condition.value.lo == 0 && condition.value.hi == 0) return b;
  return {hull(a.value, b.value), hull(a.rate, b.rate)};
}

}  // namespace

Enclosure::Enclosure(std::span<const Expr> expressions, Expr x, std::span<const Expr> symbols,
                     std::span<const double> values)
    : order_(*x.graph()) {
  order_.visit(expressions);
  order_.visit(x);
  bounds_.resize(order_.size());
  const Graph& graph = order_.graph();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const Expr e = order_[i];
    nodes_.push_back(graph.node(e.id()));
    const bool is_fixed = e.is_constant() || (e.is_symbol() && !(e == x));
    is_fixed_.push_back(is_fixed);
    if (!is_fixed) continue;
    bounds_[i] = {e.is_constant() ? number(e.value()) : Interval::whole(), kNone};
    for (std::size_t k = 0; k < symbols.size() && e.is_symbol(); ++k) {
      if (symbols[k] == e) bounds_[i].value = number(values[k]);
    }
    if (e.is_symbol() && !bounds_[i].value.is_finite()) bounds_[i].rate = Interval::whole();
  }
  for (const Expr& e : expressions) place_.push_back(order_.position(e));
}

void Enclosure::evaluate(const Interval& x) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (!is_fixed_[i]) bounds_[i] = bounds_of(nodes_[i], x);
  }
}

Bounds Enclosure::bounds_of(const Node& node, const Interval& x) const {
  const auto a = [&]() -> const Bounds& { return operand(node, 0); };
  const auto b = [&]() -> const Bounds& { return operand(node, 1); };
  switch (node.op) {
    case Op::Constant: return {};
    case Op::Symbol: return {x, number(1)};
    case Op::Neg: return {-a().value, -a().rate};
    case Op::Add: return {a().value + b().value, a().rate + b().rate};
    case Op::Sub: return {a().value - b().value, a().rate - b().rate};
    case Op::Mul:
      if (node.operand[0] == node.operand[1]) {
        return chain(square(a().value), number(2) * a().value, a());
      }
      return {a().value * b().value, a().rate * b().value + a().value * b().rate};
    case Op::Div:
      return {a().value / b().value,
              a().rate / b().value - (a().value * b().rate) / square(b().value)};
    case Op::Pow: return of_power(node);
    case Op::Sqrt: {
      const Interval root = sqrt(a().value);
      return chain(root, reciprocal(number(2) * root), a());
    }
    case Op::Exp: return chain(exp(a().value), exp(a().value), a());
    case Op::Log: return chain(log(a().value), reciprocal(a().value), a());
    case Op::Sin: return chain(sin(a().value), cos(a().value), a());
    case Op::Cos: return chain(cos(a().value), -sin(a().value), a());
    case Op::Tan: return tan_of(a());
    case Op::Asin:
      return chain(ascending(clipped(a().value), [](double u) { return std::asin(u); }),
                   slope_of_asin(a().value), a());
    case Op::Acos:
      return chain(-ascending(clipped(a().value), [](double u) { return -std::acos(u); }),
                   -slope_of_asin(a().value), a());
    case Op::Atan:
      return chain(ascending(a().value, [](double u) { return std::atan(u); }),
                   reciprocal(number(1) + square(a().value)), a());
    case Op::Sinh:
      return chain(ascending(a().value, [](double u) { return std::sinh(u); }),
                   ascending(abs(a().value), [](double u) { return std::cosh(u); }), a());
    case Op::Cosh:
      return chain(ascending(abs(a().value), [](double u) { return std::cosh(u); }),
                   ascending(a().value, [](double u) { return std::sinh(u); }), a());
    case Op::Tanh: {
      const Interval cosh = ascending(abs(a().value), [](double u) { return std::cosh(u); });
      return chain(ascending(a().value, [](double u) { return std::tanh(u); }),
                   reciprocal(square(cosh)), a());
    }
    case Op::Abs: {
      const Interval &u = a().value, &rate = a().rate;
      return {abs(u), u.lo >= 0 ? rate : u.hi <= 0 ? -rate : hull(rate, -rate)};
    }
    case Op::Sign: {
      const Interval& u = a().value;
      return {{u.lo > 0   ? 1.0
               : u.lo < 0 ? -1.0
                          : 0.0,
               u.hi > 0   ? 1.0
               : u.hi < 0 ? -1.0
                          : 0.0},
              kNone};
    }
    case Op::Table: return of_table(node);
    case Op::Atan2: return atan2_of(a(), b());
    case Op::Min: return extreme(a(), b(), false);
    case Op::Max: return extreme(a(), b(), true);
    case Op::Less: return {truth(a().value.lo < b().value.hi, a().value.hi < b().value.lo), kNone};
    case Op::LessEqual:
      return {truth(a().value.lo <= b().value.hi, a().value.hi <= b().value.lo), kNone};
    case Op::Equal:
      return {
          truth(a().value.hi >= b().value.lo && a().value.lo <= b().value.hi,
                a().value.width() == 0 && b().value.width() == 0 && a().value.lo == b().value.lo),
          kNone};
    case Op::Select: return select_of(a(), b(), operand(node, 2));
  }
  return {Interval::whole(), Interval::whole()};
}

// aᵇ: for a whole number b by monotonicity, else exp(b log a).
Bounds Enclosure::of_power(const Node& node) const {
  const Bounds &a = operand(node, 0), &b = operand(node, 1);
  const double n = b.value.lo;
  const bool is_static = b.value.width() == 0 && b.rate.lo == 0 && b.rate.hi == 0;
  if (is_static && n == std::floor(n)) {
    return chain(whole_power(a.value, n), number(n) * whole_power(a.value, n - 1), a);
  }
  const Interval value = exp(b.value * log(a.value));
  return {value, value * (b.rate * log(a.value) + b.value * (a.rate / a.value))};
}

// On the part [l, r] of a piece, with m its middle: f″ is linear, and
//   f′ ∈ f′(m) + f″ [−1, 1] (r − l)/2,   f ∈ f(m) + f′ [−1, 1] (r − l)/2.
Bounds Enclosure::of_table(const Node& node) const {
  constexpr int kMostPieces = 64;
  const Bounds& u = operand(node, 0);
  const TableData& table = order_.graph().table_data(node.operand[1]);
  const int order = static_cast<int>(node.operand[2]);
  if (!u.value.is_finite()) return {Interval::whole(), Interval::whole()};
  const std::span<const double> knots = table.breakpoints();
  auto next = std::upper_bound(knots.begin(), knots.end(), u.value.lo);
  Bounds out;
  double left = u.value.lo;
  for (int piece = 0;; ++piece) {
    if (piece == kMostPieces) return {Interval::whole(), Interval::whole()};
    const bool is_last = next == knots.end() || *next > u.value.hi;
    // A knot belongs to the piece on its right.
    const double right = is_last ? u.value.hi : std::nextafter(*next, left);
    const auto derivative = [&](double x, int m) {
      return order + m > 3 ? 0.0 : table.evaluate(x, order + m);
    };
    const double middle = left + 0.5 * (right - left), half = 0.5 * (right - left);
    const Interval around{-half, half};
    const Interval curvature = Interval::of(derivative(left, 2), derivative(right, 2));
    const Interval slope = number(derivative(middle, 1)) + curvature * around;
    const Interval value = number(derivative(middle, 0)) + slope * around;
    out = piece == 0 ? Bounds{value, slope} : Bounds{hull(out.value, value), hull(out.rate, slope)};
    if (is_last) return chain(out.value, out.rate, u);
    left = *next++;
  }
}

}  // namespace koppel

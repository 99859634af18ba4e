#include <koppel/formulation/fixed_cost/reach.hpp>

#include <fmt/format.h>

#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

Exprs make_symbols(Graph& graph, std::string_view name, std::size_t count) {
  Exprs out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(graph.symbol(fmt::format("step.{}[{}]", name, i)));
  }
  return out;
}

// xᵀA y.
Expr form(const SparseExpr& A, const Exprs& x, const Exprs& y) {
  Expr sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    for (int k = A.pattern.column_start[j]; k < A.pattern.column_start[j + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      sum += A.values[entry] * (x[static_cast<std::size_t>(A.pattern.row[entry])] * y[j]);
    }
  }
  return sum;
}

void append(Exprs& to, const Exprs& more) { to.insert(to.end(), more.begin(), more.end()); }

}  // namespace

MobilityChange::MobilityChange(const Equations& e, const SparseExpr& B, const SparseExpr& C,
                               Exprs q, Expr t)
    : at_(std::move(q)) {
  const auto make_pull = [&](const std::string& name) {
    return ReachPull{
        make_symbols(*e.graph, name + ".pull", static_cast<std::size_t>(B.pattern.num_columns)),
        make_symbols(*e.graph, name + ".motion", e.num_v()),
        make_symbols(*e.graph, name + ".reaction", e.num_rows())};
  };
  const ReachPull a = make_pull("one"), b = make_pull("other");
  const Exprs along = make_symbols(*e.graph, "along", e.num_v());
  const Expr stationary = form(B, a.w, b.u) + form(B, b.w, a.u) - form(*e.M, a.w, b.w) -
                          form(C, a.l, b.w) - form(C, b.l, a.w);
  value_ = time_derivative(stationary, e.q, multiply(e.K, along));
  from_ = e.q;
  from_.push_back(e.t);
  at_.push_back(t);
  for (const ReachPull* pull : {&a, &b}) {
    for (const Exprs* some : {&pull->u, &pull->w, &pull->l}) append(from_, *some);
  }
  append(from_, along);
}

Expr MobilityChange::operator()(const ReachPull& a, const ReachPull& b,
                                const ReachPull& along) const {
  Exprs to = at_;
  for (const ReachPull* pull : {&a, &b}) {
    for (const Exprs* some : {&pull->u, &pull->w, &pull->l}) append(to, *some);
  }
  append(to, along.w);
  const Expr values[] = {value_};
  return substitute(values, from_, to)[0];
}

Reach find_reach(Expr mobility, Expr change, Expr free, Expr usual, Expr force) {
  constexpr double kMargin = 1e-4;        // of what is usual
  constexpr double kReserve = 4.0 / 3;    // c of (3)
  constexpr double kInside = 1e-6;        // of the way that is left in the margin
  constexpr double kNoDeadPoint = 1e-12;  // 1/m: what T/e² is not told from zero
  constexpr double kNone = 1e-200;
  Reach out{mobility, select(change > 0, -1, 1), 0, 0};
  const Expr slope = abs(change) + kNoDeadPoint * mobility * mobility + kNone;
  Expr margin = kMargin * usual;
  if (!force.is_constant(0)) {
    constexpr double kLeastForce = 1e-12;  // N
    const Expr by = kReserve * max(-out.side * free, 0) / (force + kLeastForce);
    margin = max(margin, by * by / (mobility + kNone));
  }
  out.end = mobility * mobility / slope;
  out.way = max(mobility - margin, kInside * mobility) * mobility / slope;
  return out;
}

}  // namespace koppel

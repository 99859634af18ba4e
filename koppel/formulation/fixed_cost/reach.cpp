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
    : w_(make_symbols(*e.graph, "motion", e.num_v())),
      l_(make_symbols(*e.graph, "reaction", e.num_rows())),
      u_(make_symbols(*e.graph, "pull", static_cast<std::size_t>(B.pattern.num_columns))),
      at_(std::move(q)) {
  const Expr stationary = 2 * form(B, w_, u_) - form(*e.M, w_, w_) - 2 * form(C, l_, w_);
  value_ = time_derivative(stationary, e.q, multiply(e.K, w_));
  from_ = e.q;
  from_.push_back(e.t);
  at_.push_back(t);
  for (const Exprs* some : {&w_, &l_, &u_}) append(from_, *some);
}

Expr MobilityChange::operator()(const Exprs& u, const Exprs& w, const Exprs& l) const {
  Exprs to = at_;
  for (const Exprs* some : {&w, &l, &u}) append(to, *some);
  const Expr values[] = {value_};
  return substitute(values, from_, to)[0];
}

Reach find_reach(Expr mobility, Expr change, Expr free, Expr usual, Expr force) {
  constexpr double kMargin = 1e-4;        // of what is usual
  constexpr double kReserve = 4.0 / 3;    // c of (3)
  constexpr double kInside = 1e-6;        // of the way that is left in the margin
  constexpr double kNoDeadPoint = 1e-12;  // 1/m: what T/e² is not told from zero
  constexpr double kNone = 1e-200;
  Reach out{mobility, select(change > 0, -1, 1), 0};
  Expr margin = kMargin * usual;
  if (!force.is_constant(0)) {
    constexpr double kLeastForce = 1e-12;  // N
    const Expr by = kReserve * max(-out.side * free, 0) / (force + kLeastForce);
    margin = max(margin, by * by / (mobility + kNone));
  }
  out.way = max(mobility - margin, kInside * mobility) * mobility /
            (abs(change) + kNoDeadPoint * mobility * mobility + kNone);
  return out;
}

}  // namespace koppel

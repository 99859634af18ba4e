#include <koppel/formulation/fixed_cost/runge_kutta_step.hpp>

#include <algorithm>

#include <koppel/expr/algebra/structure.hpp>

namespace koppel {

std::vector<Expr> make_runge_kutta_step(const Descriptor& descriptor, const RateTerms& rates,
                                        Expr h) {
  using Exprs = std::vector<Expr>;
  const Equations& e = descriptor.equations;
  Exprs y, symbols = {e.t};
  for (const Exprs* part : {&e.q, &e.v, &e.x}) y.insert(y.end(), part->begin(), part->end());
  symbols.insert(symbols.end(), y.begin(), y.end());

  const auto at = [&](const Exprs& values, Expr t, const Exprs& state) {
    Exprs to = {t};
    to.insert(to.end(), state.begin(), state.end());
    return substitute(values, symbols, to);
  };
  const auto moved = [&](Expr factor, const Exprs& k) {
    Exprs out;
    for (std::size_t i = 0; i < y.size(); ++i) out.push_back(y[i] + factor * k[i]);
    return out;
  };
  const Exprs& k1 = rates.rate;
  const Exprs k2 = at(k1, e.t + h / 2, moved(h / 2, k1));
  const Exprs k3 = at(k1, e.t + h / 2, moved(h / 2, k2));
  const Exprs k4 = at(k1, e.t + h, moved(h, k3));
  Exprs sum;
  for (std::size_t i = 0; i < y.size(); ++i) sum.push_back(k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
  Exprs out = moved(h / 6, sum);
  if (!rates.violation.empty()) {
    const Exprs projected = at(rates.projected, e.t + h, out);
    std::copy(projected.begin(), projected.end(), out.begin());
  }
  return out;
}

}  // namespace koppel

#include <koppel/formulation/energy_terms.hpp>

#include <algorithm>
#include <string>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

bool vanish(const Exprs& values) {
  return std::all_of(values.begin(), values.end(), [](Expr e) { return e.is_constant(0); });
}

}  // namespace

EnergyTerms make_energy_terms(const Equations& e, const State& near) {
  EnergyTerms out;
  out.t = e.t;
  out.q = e.q;
  out.v = e.v;
  out.x = e.x;
  out.given.symbols = e.p;
  out.given.symbols.insert(out.given.symbols.end(), e.u.begin(), e.u.end());
  out.given.values = near.p;
  out.given.values.insert(out.given.values.end(), near.u.begin(), near.u.end());
  out.kinetic = e.kinetic;
  out.potential = e.potential;
  out.of_forces = 0;
  for (std::size_t i = 0; i < e.v.size(); ++i) out.of_forces += e.v[i] * e.f[i];
  const Exprs rates = rate_of(e, Exprs{e.kinetic, e.potential});
  out.kinetic_rate = rates[0];
  out.potential_rate = rates[1];
  out.power = out.without_multipliers();
  for (std::size_t i = 0; i < e.num_rows(); ++i) {
    out.multipliers.push_back(e.graph->symbol("balance.multiplier[" + std::to_string(i) + ']'));
    out.power += out.multipliers[i] * (i < e.num_g() ? e.g_t[i] : e.b[i - e.num_g()]);
  }
  out.moves = !vanish(e.g_t) || !vanish(e.b);
  out.t0 = near.t;
  out.q0 = near.q;
  out.v0 = near.v;
  out.x0 = near.x;
  return out;
}

}  // namespace koppel

#include <koppel/problem/energy_balance.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

Exprs multipliers_of(const Equations& e, std::size_t count) {
  Exprs out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(e.graph->symbol("balance.multiplier[" + std::to_string(i) + ']'));
  }
  return out;
}

// t, q, v, x, multipliers, p, u.
Exprs inputs_of(const Equations& e, std::size_t num_kept) {
  Exprs inputs = {e.t};
  const Exprs multipliers = multipliers_of(e, num_kept);
  for (const Exprs* part : {&e.q, &e.v, &e.x, &multipliers, &e.p, &e.u}) {
    inputs.insert(inputs.end(), part->begin(), part->end());
  }
  return inputs;
}

// The terms of P that are there without multipliers.
struct Terms {
  Expr forces, kinetic, potential;
  Expr sum() const { return forces + kinetic + potential; }
};

Terms terms_of(const Equations& e) {
  Expr forces = 0;
  for (std::size_t i = 0; i < e.v.size(); ++i) forces += e.v[i] * e.f[i];
  const Exprs rates = rate_of(e, Exprs{e.kinetic, e.potential});
  return {forces, rates[0], rates[1]};
}

// (1)
Expr power_of(const Equations& e, std::span<const int> kept) {
  Expr power = terms_of(e).sum();
  const Exprs multipliers = multipliers_of(e, kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const auto row = static_cast<std::size_t>(kept[i]);
    power += multipliers[i] * (row < e.num_g() ? e.g_t[row] : e.b[row - e.num_g()]);
  }
  return power;
}

Exprs states_of(const Equations& e) {
  Exprs out = e.q;
  out.insert(out.end(), e.v.begin(), e.v.end());
  out.insert(out.end(), e.x.begin(), e.x.end());
  return out;
}

// Where the symbols of `f` are among y: q, v, x and multipliers, as inputs_of has them.
std::vector<int> places_in(const Exprs& inputs, std::size_t num_y, Expr f) {
  std::set<NodeId> used;
  for (const Expr symbol : symbols_of(f)) used.insert(symbol.id());
  std::vector<int> out;
  for (std::size_t i = 0; i < num_y; ++i) {
    if (used.contains(inputs[1 + i].id())) out.push_back(static_cast<int>(i));
  }
  return out;
}

bool vanish(const Exprs& values) {
  return std::all_of(values.begin(), values.end(), [](Expr e) { return e.is_constant(0); });
}

}  // namespace

EnergyBalance::EnergyBalance(const Equations& e, std::span<const int> kept, const State& near,
                             CompileOptions options)
    : num_q_(e.num_q()),
      num_v_(e.num_v()),
      num_y_(e.num_q() + e.num_v() + e.x.size() + kept.size()),
      given_(near.p),
      places_of_power_(places_in(inputs_of(e, kept.size()), num_y_, power_of(e, kept))),
      energies_(inputs_of(e, kept.size()), Exprs{e.kinetic, e.potential}, options),
      power_(inputs_of(e, kept.size()), Exprs{power_of(e, kept)}, options) {
  given_.insert(given_.end(), near.u.begin(), near.u.end());
  probe(e, near);
}

// Random states around the given one; they need not satisfy the constraints, since the terms cancel
// everywhere or are not meant to.
void EnergyBalance::probe(const Equations& e, const State& near) {
  const Terms terms = terms_of(e);
  const bool moves = !vanish(e.g_t) || !vanish(e.b);
  needs_multipliers_ = moves;
  const Exprs sum_of_terms = {terms.sum()}, states = states_of(e);
  has_switches_ = koppel::has_switches(sum_of_terms, states);
  const bool may_cancel = !moves && !has_switches_ && !depends_on(terms.sum(), e.t);
  const Exprs values = {terms.forces, terms.kinetic, terms.potential, e.kinetic};
  const VectorFunction function(e, values);

  constexpr int kLooks = 6;
  constexpr double kRoundOff = 1e-9;
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> random(-1, 1);
  double sum = 0, scale = 0, kinetic = 0, skew = 0;
  int looks = 0;
  for (int k = 0; k < kLooks; ++k) {
    State state = near;
    for (double& q : state.q) q += 0.3 * std::max(std::abs(q), 0.1) * random(generator);
    for (double& v : state.v) v += std::max(std::abs(v), 1.0) * random(generator);
    const std::vector<double> once = function(state);
    for (double& v : state.v) v *= 2;
    const double twice = function(state)[3];
    if (!std::isfinite(once[0] + once[1] + once[2] + twice)) continue;
    ++looks;
    sum = std::max(sum, std::abs(once[0] + once[1] + once[2]));
    for (int i = 0; i < 3; ++i)
      scale = std::max(scale, std::abs(once[static_cast<std::size_t>(i)]));
    kinetic = std::max(kinetic, std::abs(twice));
    skew = std::max(skew, std::abs(twice - 4 * once[3]));
  }
  is_known_ = looks > 0 && skew <= kRoundOff * kinetic;
  is_conservative_ = !moves && (terms.sum().is_constant(0) ||
                                (may_cancel && looks > kLooks / 2 && sum <= kRoundOff * scale));
}

EnergyBalance::Workspace EnergyBalance::make_workspace() const {
  Workspace work{std::vector<double>(energies_.num_inputs()), energies_.make_workspace(),
                 power_.make_workspace()};
  std::copy(given_.begin(), given_.end(),
            work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  return work;
}

void EnergyBalance::put(double t, std::span<const double> y, Workspace& work) const {
  work.in[0] = t;
  std::copy_n(y.begin(), num_y_, work.in.begin() + 1);
}

EnergyBalance::Energies EnergyBalance::energies(double t, std::span<const double> y,
                                                Workspace& work) const {
  put(t, y, work);
  double out[2];
  energies_.evaluate(work.in, out, work.energies);
  return {out[0], out[1]};
}

double EnergyBalance::power(double t, std::span<const double> y, Workspace& work) const {
  put(t, y, work);
  double out = 0;
  power_.evaluate(work.in, {&out, 1}, work.power);
  return out;
}

double EnergyBalance::kinetic_at(double velocity, double t, std::span<const double> y,
                                 Workspace& work) const {
  put(t, y, work);
  std::fill_n(work.in.begin() + 1 + static_cast<std::ptrdiff_t>(num_q_), num_v_, velocity);
  double out[2];
  energies_.evaluate(work.in, out, work.energies);
  return out[0];
}

}  // namespace koppel

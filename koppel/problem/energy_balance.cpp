#include <koppel/problem/energy_balance.hpp>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/algebra/switches.hpp>
#include <koppel/expr/graph/graph.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

// t, q, v, x, multipliers, given.
Exprs inputs_of(const EnergyTerms& terms) {
  Exprs inputs = {terms.t};
  for (const Exprs* part :
       {&terms.q, &terms.v, &terms.x, &terms.multipliers, &terms.given.symbols}) {
    inputs.insert(inputs.end(), part->begin(), part->end());
  }
  return inputs;
}

Exprs states_of(const EnergyTerms& terms) {
  Exprs out = terms.q;
  out.insert(out.end(), terms.v.begin(), terms.v.end());
  out.insert(out.end(), terms.x.begin(), terms.x.end());
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

}  // namespace

EnergyBalance::EnergyBalance(const EnergyTerms& terms, CompileOptions options)
    : num_q_(terms.q.size()),
      num_v_(terms.v.size()),
      num_y_(num_q_ + num_v_ + terms.x.size() + terms.multipliers.size()),
      given_(terms.given.values),
      places_of_power_(places_in(inputs_of(terms), num_y_, terms.power)),
      energies_(inputs_of(terms), Exprs{terms.kinetic, terms.potential}, options),
      power_(inputs_of(terms), Exprs{terms.power}, options) {
  probe(terms);
  if (!has_switches_) return;
  Exprs arguments;
  for (Switch& found : switches_of(Exprs{terms.power}, states_of(terms))) {
    arguments.push_back(found.argument);
    pieces_.push_back(std::move(found.at));
  }
  arguments_.emplace(inputs_of(terms), arguments, options);
}

// Random states around the given one, and others far from it, where forces act that sleep at the
// start; they need not satisfy the constraints, since the terms cancel everywhere or are not meant
// to.
void EnergyBalance::probe(const EnergyTerms& terms) {
  needs_multipliers_ = terms.moves;
  const Expr all = terms.without_multipliers();
  const Exprs sum_of_terms = {all}, states = states_of(terms);
  has_switches_ = koppel::has_switches(sum_of_terms, states);
  // Forces that sleep here, such as those of a tyre above the road, are no sign of anything.
  const bool may_cancel =
      !terms.moves && !may_sleep(sum_of_terms, states) && !depends_on(all, terms.t);
  const Function function(inputs_of(terms), Exprs{terms.of_forces, terms.kinetic_rate,
                                                  terms.potential_rate, terms.kinetic});

  constexpr int kLooks = 6, kFar = 12;
  constexpr double kRoundOff = 1e-9;
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> random(-1, 1);
  double kinetic = 0, skew = 0;
  bool cancels = true;
  int looks = 0;
  for (int k = 0; k < kLooks + kFar; ++k) {
    const bool is_far = k >= kLooks;
    std::vector<double> in = {terms.t0};
    for (const double q : terms.q0) {
      const double by = is_far ? 3 * std::max(std::abs(q), 1.0) : 0.3 * std::max(std::abs(q), 0.1);
      in.push_back(q + by * random(generator));
    }
    for (const double v : terms.v0) {
      in.push_back(v + std::max(std::abs(v), 1.0) * random(generator));
    }
    // A force that is a state may begin with zero.
    for (const double x : terms.x0) {
      in.push_back(x + std::max(std::abs(x), 1.0) * random(generator));
    }
    in.resize(1 + num_y_);
    in.insert(in.end(), given_.begin(), given_.end());
    const std::vector<double> once = function(in);
    for (std::size_t i = 0; i < num_v_; ++i) in[1 + num_q_ + i] *= 2;
    const double twice = function(in)[3];
    if (!std::isfinite(once[0] + once[1] + once[2] + twice)) continue;
    const double scale = std::max({std::abs(once[0]), std::abs(once[1]), std::abs(once[2])});
    cancels = cancels && std::abs(once[0] + once[1] + once[2]) <= kRoundOff * scale;
    if (is_far) continue;
    ++looks;
    kinetic = std::max(kinetic, std::abs(twice));
    skew = std::max(skew, std::abs(twice - 4 * once[3]));
  }
  is_known_ = looks > 0 && skew <= kRoundOff * kinetic;
  is_conservative_ =
      !terms.moves && (all.is_constant(0) || (may_cancel && looks > kLooks / 2 && cancels));
}

EnergyBalance::Workspace EnergyBalance::make_workspace() const {
  Workspace work{std::vector<double>(energies_.num_inputs()), energies_.make_workspace(),
                 power_.make_workspace(),
                 arguments_ ? arguments_->make_workspace() : koppel::Workspace{}};
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

void EnergyBalance::arguments(double t, std::span<const double> y, Workspace& work,
                              std::span<double> out) const {
  put(t, y, work);
  arguments_->evaluate(work.in, out, work.arguments);
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

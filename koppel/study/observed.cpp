#include <koppel/study/observed.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>

#include <koppel/analysis/structure/dae.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/study/differences.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// The multipliers of [g; a] as they stand in outputs, and what they are: parts of z, 0 where a row
// is left out.
struct Multipliers {
  Exprs symbols, values;

  Exprs kept(const Equations& e) const {
    return {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(e.num_rows())};
  }
};
Multipliers multipliers_of(const Equations& e, const Exprs& z) {
  Multipliers out{multiplier_symbols(e), {}};
  for (std::size_t i = 0; i < e.num_rows(); ++i) out.values.push_back(z[e.num_v() + i]);
  for (const Equations::LeftOut& left : e.left_out) {
    out.symbols.push_back(multiplier_symbol(e, left.row));
    out.values.emplace_back(0);
  }
  return out;
}

}  // namespace

std::vector<Expr> named_outputs(const Equations& e, std::span<const std::string> names) {
  Exprs out;
  for (const std::string& name : names) {
    const auto it = std::find_if(e.outputs.begin(), e.outputs.end(),
                                 [&](const auto& output) { return output.name == name; });
    assert(it != e.outputs.end());  // who asks has added it
    out.push_back(it->value);
  }
  return out;
}

SolvedFunction make_observed(const Equations& e, const RightHandSideTerms& rates,
                             const std::vector<std::string>& names) {
  const Multipliers multipliers = multipliers_of(e, solution_symbols(rates));
  const Exprs asked = named_outputs(e, names);
  return SolvedFunction(rates, substitute(asked, multipliers.symbols, multipliers.values));
}

SolvedFunction make_reactions(const Equations& e, const RightHandSideTerms& rates) {
  return SolvedFunction(rates, multipliers_of(e, solution_symbols(rates)).kept(e));
}

std::vector<double> drift_of(const SolvedFunction& observed, double t, int side,
                             std::span<const double> y, std::span<const double> given) {
  const double from = std::nextafter(t, side * HUGE_VAL);
  SolvedFunction::Workspace work = observed.make_workspace();
  std::vector<double> values(observed.size());
  std::vector<double> out = slope(
      [&](double ahead) {
        observed.evaluate(from + side * ahead, y, given, values, work);
        return values;
      },
      5e-4, kForward);
  for (double& rate : out) rate *= side;
  return out;
}

std::vector<double> output_rates(const SolvedFunction& observed, double t, int side,
                                 std::span<const double> y, std::span<const double> y_rate,
                                 std::span<const double> given) {
  std::vector<double> out = drift_of(observed, t, side, y, given), values(out);
  SolvedFunction::Workspace work = observed.make_workspace();
  observed.evaluate(std::nextafter(t, side * HUGE_VAL), y, given, values, work);
  observed.tangent(y_rate, std::vector<double>(given.size(), 0.0), values, work);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += values[i];
  return out;
}

std::vector<double> given_of(const State& state) {
  std::vector<double> out = state.p;
  out.insert(out.end(), state.u.begin(), state.u.end());
  return out;
}

std::vector<double> motion_of(const State& state) {
  std::vector<double> y = state.q;
  for (const auto* part : {&state.v, &state.x}) y.insert(y.end(), part->begin(), part->end());
  return y;
}

void put_motion(std::span<const double> y, State& state) {
  auto from = y.begin();
  for (std::vector<double>* part : {&state.q, &state.v, &state.x}) {
    std::copy_n(from, part->size(), part->begin());
    from += static_cast<std::ptrdiff_t>(part->size());
  }
}

}  // namespace koppel

#include <koppel/study/observed.hpp>

#include <algorithm>
#include <cassert>

#include <koppel/analysis/structure/dae.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

Exprs named_outputs(const Equations& e, const std::vector<std::string>& names) {
  Exprs out;
  for (const std::string& name : names) {
    const auto it = std::find_if(e.outputs.begin(), e.outputs.end(),
                                 [&](const auto& output) { return output.name == name; });
    assert(it != e.outputs.end());  // who asks has added it
    out.push_back(it->value);
  }
  return out;
}

// The multipliers of [g; a] as they stand in outputs, and what they are: parts of z, 0 where a row
// is left out.
struct Multipliers {
  Exprs symbols, values;
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

SolvedFunction make_observed(const Equations& e, const RightHandSideTerms& rates,
                             const std::vector<std::string>& names) {
  const Multipliers multipliers = multipliers_of(e, solution_symbols(rates));
  const Exprs asked = named_outputs(e, names);
  return SolvedFunction(rates, substitute(asked, multipliers.symbols, multipliers.values));
}

std::vector<double> given_of(const State& state) {
  std::vector<double> out = state.p;
  out.insert(out.end(), state.u.begin(), state.u.end());
  return out;
}

}  // namespace koppel

#include <koppel/problem/series_system.hpp>

#include <algorithm>
#include <climits>
#include <cmath>
#include <random>

#include <koppel/base/lazy.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/graph/traverse.hpp>
#include <koppel/problem/series_elimination.hpp>

namespace koppel {
namespace {

// t, then the derivatives of all unknowns.
std::vector<Expr> variables_of(const Dae& dae) {
  std::vector<Expr> variables = {dae.t};
  for (const Dae::Unknown& unknown : dae.unknowns) {
    variables.insert(variables.end(), unknown.derivative.begin(), unknown.derivative.end());
  }
  return variables;
}

std::vector<Expr> residuals_of(const Dae& dae) {
  std::vector<Expr> residuals;
  for (const NamedExpr& e : dae.residuals) residuals.push_back(e.value);
  return residuals;
}

// Of t, the derivatives of all unknowns and what is given.
Function compile(const SeriesTerms& terms, const std::vector<Expr>& outputs,
                 const CompileOptions& options) {
  std::vector<Expr> inputs = variables_of(terms.dae);
  inputs.insert(inputs.end(), terms.dae.given.begin(), terms.dae.given.end());
  return Function(inputs, outputs, options);
}

// Whether J depends on an unknown of the highest order that stage 0 solves for.
bool depends_on_highest(const SeriesTerms& terms, const SparseExpr& J) {
  std::vector<Expr> highest;
  for (std::size_t j = 0; j < terms.dae.unknowns.size(); ++j) {
    const auto& derivative = terms.dae.unknowns[j].derivative;
    const auto d = static_cast<std::size_t>(terms.structure.d[j]);
    if (d < derivative.size()) highest.push_back(derivative[d]);
  }
  return depends_on(J.values, highest);
}

bool find_switches(const Dae& dae) {
  const std::vector<Expr> residuals = residuals_of(dae), variables = variables_of(dae);
  return may_sleep(residuals, std::span<const Expr>(variables).subspan(1));  // without t
}

}  // namespace

SeriesSystem::SeriesSystem(SeriesTerms terms) : terms_(std::move(terms)) {
  const SparseExpr J = system_jacobian(terms_.dae, terms_.structure);
  J_pattern_ = J.pattern;
  is_quasilinear_ = !depends_on_highest(terms_, J);
  has_switches_ = find_switches(terms_.dae);
  for (const int c : terms_.structure.c) max_c_ = std::max(max_c_, c);
  for (const int d : terms_.structure.d) max_d_ = std::max(max_d_, d);
  J_ = compile(terms_, J.values, {});
  compile_factors(J);
  // Where there are factors, J itself is for the few points where these will not do.
  if (!factors_ && decide_native(terms_.options.native) == Native::Cc) {
    J_ = compile(terms_, J.values, terms_.options);
  }
}

// The same order of pivots for tape and native code, and so the same round-off.
std::vector<std::vector<double>> SeriesSystem::sample_jacobian() const {
  constexpr int kSamples = 3;
  constexpr double kAway = 0.1;
  std::vector<std::vector<double>> samples;
  if (terms_.start.empty()) return samples;
  std::mt19937 random(1);
  // Away from the start, which often is a special place, and at the start: where all of the motion
  // is special, as of a symmetric mechanism, entries may be zero that are none elsewhere.
  for (int s = 0; s <= kSamples; ++s) {
    std::vector<double> in = terms_.start;
    for (std::size_t i = 0; i < in.size() && s < kSamples; ++i) {
      const double part = 2 * (static_cast<double>(random()) / 4294967296.0) - 1;
      in[i] += kAway * part * std::max(1.0, std::abs(in[i]));
    }
    in.insert(in.end(), terms_.given.begin(), terms_.given.end());
    std::vector<double> values = (*J_)(in);
    if (std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
      samples.push_back(std::move(values));
    }
  }
  return samples;
}

void SeriesSystem::compile_factors(const SparseExpr& J) {
  const std::vector<std::vector<double>> samples = sample_jacobian();
  std::optional<SeriesElimination> elimination = eliminate(terms_.dae, J, samples);
  if (!elimination && samples.size() > 1) {  // the start may be a singular configuration
    elimination = eliminate(terms_.dae, J, MatrixSamples(samples).first(samples.size() - 1));
  }
  if (!elimination) return;
  std::vector<Expr> outputs = elimination->entries;
  outputs.insert(outputs.end(), J.values.begin(), J.values.end());
  factors_ = compile(terms_, outputs, terms_.options);
  solution_ = std::move(elimination->solution);
  std::size_t next = 1;  // after t
  for (const Dae::Unknown& unknown : terms_.dae.unknowns) {
    solution_.unknowns.push_back({next, unknown.derivative.size()});
    next += unknown.derivative.size();
  }
}

std::shared_ptr<const Series> SeriesSystem::compiled(int order) const {
  const std::lock_guard lock(making());  // it is read from the graph, which other parts let grow
  std::shared_ptr<const Series>& series = (*cache_)[order];
  if (series == nullptr) {
    SeriesStages stages{{INT_MAX}, terms_.structure.c};  // time is known to all orders
    for (std::size_t j = 0; j < terms_.dae.unknowns.size(); ++j) {
      for (std::size_t l = 0; l < terms_.dae.unknowns[j].derivative.size(); ++l) {
        stages.variable_leads.push_back(terms_.structure.d[j] - static_cast<int>(l));
      }
    }
    series = std::make_shared<const Series>(variables_of(terms_.dae), terms_.dae.given,
                                            residuals_of(terms_.dae), order, terms_.options, stages,
                                            solution_);
  }
  return series;
}

}  // namespace koppel

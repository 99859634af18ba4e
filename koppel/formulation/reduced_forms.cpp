#include <koppel/formulation/reduced_forms.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/formulation/constrained_rates.hpp>
#include <koppel/formulation/reduction.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

// The rate of x is x′, or has a name of its own.
int find_velocity(const Equations& e, const std::string& name) {
  for (std::size_t j = 0; j < e.num_v(); ++j) {
    const std::string_view v = e.v[j].name();
    if (v == name || v == name + '\'') return static_cast<int>(j);
  }
  std::vector<std::string> names;
  std::string list;
  for (const Expr& v : e.v) {
    std::string coordinate(v.name());
    if (coordinate.ends_with('\'')) coordinate.pop_back();
    list += (list.empty() ? "" : ", ") + coordinate;
    names.push_back(std::move(coordinate));
  }
  const std::string meant = suggest(name, names);
  throw Error(
      "formulation.unknown-coordinate",
      fmt::format("'{}' is named as independent, but '{}' has no such coordinate.", name, e.model),
      (meant.empty() ? "" : fmt::format("Did you mean '{}'? ", meant)) + "There are: " + list +
          ".");
}

// C v + c = 0, C v̇ + γ = 0. With feedback, γ has 2α ġ + β² g and α (a v + b) in it.
ConstrainedTerms make_terms(const Equations& e, const Given& given,
                            const FormulationOptions* feedback) {
  ConstrainedTerms terms{e.t, e.q, e.v, e.x, e.K,  *e.M, constraint_matrix(e),
                         {},  e.f, {},  e.r, given};
  const Exprs rate = constraint_rates(e);
  const Exprs a_gamma = rate_of(e, std::span(rate).subspan(e.num_g()));
  for (std::size_t i = 0; i < e.num_rows(); ++i) {
    const bool is_holonomic = i < e.num_g();
    const std::size_t k = is_holonomic ? i : i - e.num_g();
    terms.c.push_back(is_holonomic ? e.g_t[k] : e.b[k]);
    Expr gamma = is_holonomic ? e.gamma[k] : a_gamma[k];
    if (feedback != nullptr) {
      const double alpha = feedback->alpha, beta = feedback->beta;
      gamma += is_holonomic ? 2 * alpha * rate[i] + beta * beta * e.g[k] : alpha * rate[i];
    }
    terms.gamma.push_back(gamma);
  }
  return terms;
}

}  // namespace

void check_mass(const Equations& e, const State& state) {
  if (state.q.size() != e.num_q() || state.v.size() != e.num_v() || state.x.size() != e.x.size()) {
    return;  // a state of parameters and inputs only
  }
  const Matrix M = MatrixFunction(e, *e.M)(state);
  const Eigen::LLT<Eigen::MatrixXd> factor(
      Eigen::Map<const Eigen::MatrixXd>(M.values.data(), M.rows, M.columns));
  if (factor.info() == Eigen::Success) return;
  throw Error("formulation.singular-mass",
              fmt::format("'explicit' inverts the mass matrix, which is singular for '{}' in '{}' "
                          "coordinates.",
                          e.model, e.coordinates),
              "Use implicit, partition, qr or svd, or other coordinates.");
}

std::vector<int> find_independent(const Equations& e, const std::vector<std::string>& names) {
  std::vector<int> out;
  for (const std::string& coordinate : names) {
    out.push_back(find_velocity(e, coordinate));
  }
  if (out.empty()) return out;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  if (const std::size_t freedoms = e.num_v() - e.num_rows(); out.size() != freedoms) {
    throw Error("formulation.wrong-number",
                fmt::format("{} coordinates are named as independent; '{}' has {} velocities and "
                            "{} independent constraints.",
                            out.size(), e.model, e.num_v(), e.num_rows()),
                fmt::format("Name {}, or none: then they are chosen by pivoting.", freedoms));
  }
  return out;
}

RightHandSide make_reduced_rhs(const Equations& e, const Given& given, const FormulationInfo& info,
                               const std::vector<int>& independent,
                               const FormulationOptions& options) {
  const auto reduction = [reduce = info.reduce, independent] {
    return reduce(independent);  // also when the formulation that was asked for is gone
  };
  const ConstrainedTerms terms = make_terms(e, given, info.has_feedback ? &options : nullptr);
  return RightHandSide(make_constrained_rates(terms, reduction, options.compile));
}

}  // namespace koppel

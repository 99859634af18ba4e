#include <koppel/formulation/source.hpp>

#include <algorithm>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>

namespace koppel {
namespace {

[[noreturn]] void reject_unknown(const Equations& e, const std::string& name) {
  std::vector<std::string> names;
  std::string all;
  for (const Equations::Row& row : e.rows) {
    if (std::ranges::find(names, row.owner.name) != names.end()) continue;
    names.push_back(row.owner.name);
    all += (all.empty() ? "" : ", ") + names.back();
  }
  const std::string meant = suggest(name, names);
  throw Error(
      "formulation.unknown-constraint",
      "'" + e.model + "' has no constraint '" + name + "' in '" + e.coordinates + "' coordinates.",
      (meant.empty() ? "" : "Did you mean '" + meant + "'? ") +
          (all.empty() ? "It has none." : "Constraints are of: " + all + "."));
}

}  // namespace

// Where the step is known, errors shall fall by a fifth in it; critical damping: β = α.
FormulationOptions with_feedback(FormulationOptions options) {
  if (options.alpha == 0) options.alpha = options.step > 0 ? 0.2 / options.step : 10;
  if (options.beta == 0) options.beta = options.alpha;
  return options;
}

void Source::choose_rows(const Formulation& formulation) {
  if (formulation.parts.empty()) return;
  row_info.assign(e.rows.size(), &formulation.info());
  for (const FormulationPart& part : formulation.parts) {
    bool is_found = false;
    for (std::size_t i = 0; i < e.rows.size(); ++i) {
      if (e.rows[i].name != part.of && e.rows[i].owner.name != part.of) continue;
      is_found = true;
      row_info[i] = part.info;
    }
    if (!is_found) reject_unknown(e, part.of);
  }
  for (const FormulationInfo* info : row_info) {
    whole.states = std::min(whole.states, info->states);
    whole.has_feedback = whole.has_feedback || info->has_feedback;
    whole.closes_positions = whole.closes_positions || info->closes_positions;
  }
}

Stated state_constraints(const Source& s, const FormulationInfo& info) {
  using States = FormulationInfo::States;
  Stated out;
  const double alpha = s.options.alpha, beta = s.options.beta;
  bool has_accelerations = false, has_rates = false;
  for (std::size_t i = 0; i < s.e.rows.size(); ++i) {
    const FormulationInfo& row = s.info_of(i, info);
    has_accelerations |= row.states == States::Accelerations;
    has_rates |= row.states == States::Velocities ||
                 (row.states == States::Accelerations && row.has_feedback);
  }
  Exprs g_rates, a_rates;  // g̈ and d/dt(a v + b)
  if (has_accelerations) {
    g_rates = s.times_rate(s.e.G);
    a_rates = s.times_rate(s.e.a);
    const Exprs terms = s.alpha_terms();
    for (std::size_t i = 0; i < g_rates.size(); ++i) g_rates[i] += s.e.gamma[i];
    for (std::size_t i = 0; i < a_rates.size(); ++i) a_rates[i] += terms[i];
  }
  const Exprs& g = s.e.g;
  const Exprs g_rate = has_rates ? s.g_rate() : Exprs(g.size());
  const bool has_av = has_rates || !has_accelerations || s.is_mixed();
  const Exprs av = has_av ? s.nonholonomic() : Exprs(s.e.num_a());
  for (std::size_t i = 0; i < g.size(); ++i) {
    const FormulationInfo& row = s.info_of(i, info);
    if (row.states == States::Positions) {
      out.g.push_back(g[i]);
      out.index.push_back(3);
    } else if (row.states == States::Velocities) {
      out.g.push_back(row.has_feedback ? g_rate[i] + alpha * g[i] : g_rate[i]);
      out.index.push_back(2);
    } else {
      out.g.push_back(row.has_feedback ? g_rates[i] + (2 * alpha * g_rate[i] + beta * beta * g[i])
                                       : g_rates[i]);
      out.index.push_back(1);
    }
  }
  for (std::size_t i = 0; i < av.size(); ++i) {
    const FormulationInfo& row = s.info_of(g.size() + i, info);
    const bool is_velocity = row.states != States::Accelerations;
    out.a.push_back(is_velocity        ? av[i]
                    : row.has_feedback ? a_rates[i] + alpha * av[i]
                                       : a_rates[i]);
    out.index.push_back(is_velocity ? 2 : 1);
  }
  // Multipliers hang together by the accelerations: where some are uncertain by δ/h², all are.
  if (s.is_mixed() && !out.index.empty()) {
    std::ranges::fill(out.index, *std::ranges::max_element(out.index));
  }
  out.closed = s.closed_rows(info);
  if (!out.closed.empty()) {
    Exprs all(g.size());
    for (const std::size_t i : out.closed) {
      const auto number = static_cast<std::size_t>(s.e.rows[i].number);
      all[i] = auxiliary_symbol(*s.e.graph, "eta", number);
      out.eta.push_back(all[i]);
      out.eta_rows.push_back(g[i]);
    }
    out.q_rate_less = multiply(s.e.K, multiply_transposed(s.e.G, all));
  }
  return out;
}

}  // namespace koppel

#include <koppel/formulation/source.hpp>

namespace koppel {

// Where the step is known, errors shall fall by a fifth in it; critical damping: β = α.
FormulationOptions with_feedback(FormulationOptions options) {
  if (options.alpha == 0) options.alpha = options.step > 0 ? 0.2 / options.step : 10;
  if (options.beta == 0) options.beta = options.alpha;
  return options;
}

Stated state_constraints(const Source& s, const FormulationInfo& info) {
  using States = FormulationInfo::States;
  Stated out;
  const double alpha = s.options.alpha, beta = s.options.beta;
  if (info.states == States::Positions) {
    out.g = s.e.g;
    out.a = s.nonholonomic();
    out.index_lambda = 3;
    out.index_mu = 2;
  } else if (info.states == States::Velocities) {
    out.g = s.g_rate();
    out.a = s.nonholonomic();
    out.index_lambda = out.index_mu = 2;
    const Exprs& g = s.e.g;
    if (info.has_feedback) {
      for (std::size_t i = 0; i < out.g.size(); ++i) out.g[i] += alpha * g[i];
    }
    if (info.closes_positions) {
      for (std::size_t i = 0; i < g.size(); ++i) {
        const auto number = static_cast<std::size_t>(s.e.rows[i].number);
        out.eta.push_back(auxiliary_symbol(*s.e.graph, "eta", number));
      }
      out.eta_rows = g;
      out.q_rate_less = multiply(s.e.K, multiply_transposed(s.e.G, out.eta));
    }
  } else {
    out.g = s.times_rate(s.e.G);
    out.a = s.times_rate(s.e.a);
    const Exprs terms = s.alpha_terms();
    for (std::size_t i = 0; i < out.g.size(); ++i) out.g[i] += s.e.gamma[i];
    for (std::size_t i = 0; i < out.a.size(); ++i) out.a[i] += terms[i];
    if (info.has_feedback) {
      const Exprs &g = s.e.g, g_rate = s.g_rate(), av = s.nonholonomic();
      for (std::size_t i = 0; i < g.size(); ++i) {
        out.g[i] += 2 * alpha * g_rate[i] + beta * beta * g[i];
      }
      for (std::size_t i = 0; i < av.size(); ++i) out.a[i] += alpha * av[i];
    }
  }
  return out;
}

}  // namespace koppel

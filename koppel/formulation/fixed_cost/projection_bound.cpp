#include <koppel/formulation/fixed_cost/projection_bound.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <koppel/expr/graph/graph.hpp>
#include <koppel/formulation/fixed_cost/fixed_cost_terms.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

Exprs symbols(Graph& graph, const char* name, std::size_t count) {
  Exprs out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(graph.symbol(std::string(name) + '[' + std::to_string(i) + ']'));
  }
  return out;
}

Exprs with_time(const Equations& e) {
  Exprs out = e.q;
  out.push_back(e.t);
  return out;
}

Function make_state(const Descriptor& d, FixedCostOptions options) {
  options.projects = true;
  options.with_projector = true;
  const FixedCostTerms terms = make_fixed_cost_terms(d, options);
  Exprs out = multiply(d.equations->K, d.equations->v);
  out.insert(out.end(), terms.projector.begin(), terms.projector.end());
  return Function(terms.inputs, out);
}

// Inputs: t, q, p, and the two directions with their last component for time.
Function make_second(const Descriptor& d) {
  const Equations& e = d.equations;
  const Exprs x = with_time(e), a = symbols(*e.graph, "bound.a", x.size()),
              b = symbols(*e.graph, "bound.b", x.size());
  const Exprs first = jacobian_times_vector(e.g, x, a);
  Exprs inputs = x;
  for (const Exprs* part : std::initializer_list<const Exprs*>{&e.p, &a, &b}) {
    inputs.insert(inputs.end(), part->begin(), part->end());
  }
  return Function(inputs, jacobian_times_vector(first, x, b));
}

double largest(std::span<const double> x) {
  double out = 0;
  for (const double value : x) out = std::max(out, std::abs(value));
  return out;
}

}  // namespace

void ProjectionConstants::include(const ProjectionConstants& other) {
  C0 = std::max(C0, other.C0);
  C1 = std::max(C1, other.C1);
  C2 = std::max(C2, other.C2);
}

bool ProjectionConstants::holds(double h) const {
  return h * C1 < 1 && (1 - h * C1) * (1 - h * C1) > 4 * h * h * h * C0 * C2;
}

double ProjectionConstants::limit(double h) const {
  if (!holds(h)) return std::numeric_limits<double>::infinity();
  const double s = 1 - h * C1, product = h * h * h * C0;
  // Without the difference of nearly equal numbers.
  return 2 * product / (s + std::sqrt(s * s - 4 * product * C2));
}

ProjectionBound::ProjectionBound(const Descriptor& d, const FixedCostOptions& options)
    : num_q_(d.equations->num_q()),
      num_y_(d.equations->num_q() + d.equations->num_v() + d.equations->x.size() +
             d.equations->num_rows()),
      num_rows_(d.equations->num_g()),
      given_(d.state.u),
      state_(make_state(d, options)),
      second_(make_second(d)) {
  given_.insert(given_.end(), d.state.p.begin(), d.state.p.end());
}

std::vector<double> ProjectionBound::second(std::span<const double> place,
                                            std::span<const double> a, double a_t,
                                            std::span<const double> b, double b_t) const {
  std::vector<double> in(place.begin(), place.end());
  in.insert(in.end(), a.begin(), a.end());
  in.push_back(a_t);
  in.insert(in.end(), b.begin(), b.end());
  in.push_back(b_t);
  return second_(in);
}

ProjectionConstants ProjectionBound::at(double t, double h, std::span<const double> y) const {
  std::vector<double> in = {t, h};
  in.insert(in.end(), y.begin(), y.begin() + static_cast<std::ptrdiff_t>(num_y_));
  in.insert(in.end(), given_.begin(), given_.end());
  const std::vector<double> values = state_(in);
  const std::span<const double> u = std::span(values).first(num_q_);
  const auto P = [&](std::size_t k) { return std::span(values).subspan((1 + k) * num_q_, num_q_); };

  double A1 = 0, A2 = 0, A3 = 0;
  for (const double x : {0.0, 1.0}) {
    std::vector<double> place;
    for (std::size_t i = 0; i < num_q_; ++i) place.push_back(y[i] + x * h * u[i]);
    place.push_back(t + x * h);
    const std::size_t num_p = second_.num_inputs() - 3 * (num_q_ + 1);
    place.insert(place.end(), given_.end() - static_cast<std::ptrdiff_t>(num_p), given_.end());
    A1 = std::max(A1, largest(second(place, u, 1, u, 1)) / 2);
    std::vector<double> rows3(num_rows_), rows2(num_rows_);
    for (std::size_t k = 0; k < num_rows_; ++k) {
      const std::vector<double> one = second(place, u, 1, P(k), 0);
      for (std::size_t i = 0; i < num_rows_; ++i) rows3[i] += std::abs(one[i]);
      for (std::size_t l = 0; l < num_rows_; ++l) {
        const std::vector<double> two = second(place, P(k), 0, P(l), 0);
        for (std::size_t i = 0; i < num_rows_; ++i) rows2[i] += std::abs(two[i]);
      }
    }
    A3 = std::max(A3, largest(rows3));
    A2 = std::max(A2, largest(rows2) / 2);
  }
  return {A3 * A1 + h * A2 * A1 * A1, A3 + 2 * h * A2 * A1, A2};
}

}  // namespace koppel

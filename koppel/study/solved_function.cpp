#include <koppel/study/solved_function.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

bool all_finite(std::span<const double> x) {
  return std::all_of(x.begin(), x.end(), [](double value) { return std::isfinite(value); });
}

void put(std::span<const double> values, std::vector<double>& in, std::size_t& at) {
  std::copy(values.begin(), values.end(), in.begin() + static_cast<std::ptrdiff_t>(at));
  at += values.size();
}

bool needs(std::span<const Expr> R, const Exprs& z) {
  for (const Expr& symbol : symbols_of(R)) {
    if (std::find(z.begin(), z.end(), symbol) != z.end()) return true;
  }
  return false;
}

}  // namespace

// All that is compiled, as expressions.
struct SolvedFunction::Parts {
  Parts(const RightHandSideTerms& terms, std::span<const Expr> outputs)
      : R(outputs.begin(), outputs.end()) {
    Graph& graph = *terms.t.graph();
    const Exprs all = solution_symbols(terms);
    if (needs(outputs, all)) z = all;
    const Exprs& p = terms.given.symbols;
    Exprs rho;
    if (!z.empty()) {
      system = join({terms.b, terms.A.values});
      rho = terms.b;
      const Sparsity& A = terms.A.pattern;
      for (std::size_t j = 0; j < z.size(); ++j) {
        for (int k = A.column_start[j]; k < A.column_start[j + 1]; ++k) {
          const auto at = static_cast<std::size_t>(k);
          rho[static_cast<std::size_t>(A.row[at])] -= terms.A.values[at] * z[j];
        }
      }
    }
    const Exprs dy = make_symbols(graph, "variation.y", terms.y.size());
    const Exprs dp = make_symbols(graph, "variation.p", p.size());
    const Exprs dz = make_symbols(graph, "variation.z", z.size());
    const Exprs w = make_symbols(graph, "weight.out", R.size());
    const Exprs mu = make_symbols(graph, "weight.z", z.size());
    const Exprs point = join({{terms.t}, terms.y, p});
    in_system = point;
    in_outputs = join({point, z});
    in_forward = join({in_outputs, dy, dp});
    in_forward_outputs = join({in_forward, dz});
    in_weights = join({in_outputs, w});
    in_backward = join({in_weights, mu});
    const Exprs x = join({terms.y, p}), dx = join({dy, dp});
    forward = jacobian_times_vector(rho, x, dx);
    forward_outputs = jacobian_times_vector(R, join({x, z}), join({dx, dz}));
    weights = vector_times_jacobian(w, R, z);
    backward = vector_times_jacobian(join({w, mu}), join({R, rho}), x);
    sums = WeightSums(std::span(backward).subspan(terms.y.size()));
    backward.resize(terms.y.size());
    backward.insert(backward.end(), sums.sums().begin(), sums.sums().end());
  }

  Exprs R, z, system, forward, forward_outputs, weights, backward;
  WeightSums sums;
  Exprs in_system, in_outputs, in_forward, in_forward_outputs, in_weights, in_backward;
};

std::vector<Expr> solution_symbols(const RightHandSideTerms& terms) {
  return make_symbols(*terms.t.graph(), "solution", terms.b.size());
}

std::vector<Expr> rates_of(const RightHandSideTerms& terms) {
  const Exprs z = solution_symbols(terms);
  Exprs out;
  for (std::size_t i = 0; i < terms.y.size(); ++i) {
    const int from = terms.z_of[i];
    out.push_back(from < 0 ? terms.rate[i] : z[static_cast<std::size_t>(from)]);
  }
  return out;
}

SolvedFunction::SolvedFunction(const RightHandSideTerms& terms, std::span<const Expr> R,
                               CompileOptions options)
    : SolvedFunction(terms, Parts(terms, R), options) {}

SolvedFunction::SolvedFunction(const RightHandSideTerms& terms, const Parts& parts,
                               CompileOptions options)
    : num_y_(terms.y.size()),
      num_given_(terms.given.symbols.size()),
      num_out_(parts.R.size()),
      num_z_(parts.z.size()),
      sums_(parts.sums),
      system_(parts.in_system, parts.system, options),
      outputs_(parts.in_outputs, parts.R, options),
      forward_(parts.in_forward, parts.forward, options),
      forward_outputs_(parts.in_forward_outputs, parts.forward_outputs, options),
      weights_(parts.in_weights, parts.weights, options),
      backward_(parts.in_backward, parts.backward, options) {
  if (num_z_ == 0) return;
  A_ = terms.A.pattern;
  transposed_ = Transposed(A_);
  const Sparsity& pattern = transposed_.pattern;
  is_symmetric_ = pattern.row == A_.row && pattern.column_start == A_.column_start;
  for (std::size_t k = 0; is_symmetric_ && k < transposed_.from.size(); ++k) {
    is_symmetric_ =
        terms.A.values[k] == terms.A.values[static_cast<std::size_t>(transposed_.from[k])];
  }
}

SolvedFunction::Workspace SolvedFunction::make_workspace() const {
  Workspace work;
  work.in.resize(std::max({forward_outputs_.num_inputs(), backward_.num_inputs()}));
  work.values.resize(system_.num_outputs());
  work.z.resize(num_z_);
  work.dz.resize(num_z_);
  work.mu.resize(num_z_);
  work.cotangent.resize(num_y_ + num_sums());
  work.system = system_.make_workspace();
  work.outputs = outputs_.make_workspace();
  work.forward = forward_.make_workspace();
  work.forward_outputs = forward_outputs_.make_workspace();
  work.weights = weights_.make_workspace();
  work.backward = backward_.make_workspace();
  if (num_z_ == 0) return work;
  work.solver.emplace(A_);
  if (is_symmetric_) return work;
  work.transposed.emplace(transposed_.pattern);
  work.transposed_values.resize(transposed_.from.size());
  return work;
}

void SolvedFunction::take(std::span<const double> given, Workspace& work) const {
  std::size_t at = 1 + num_y_;
  put(given, work.in, at);
}

bool SolvedFunction::evaluate(double t, std::span<const double> y, std::span<double> out,
                              Workspace& work) const {
  std::size_t at = 0;
  work.in[at++] = t;
  put(y.first(num_y_), work.in, at);
  at += num_given_;
  const std::span<const double> in = work.in;
  if (num_z_ > 0) {
    system_.evaluate(in.first(at), work.values, work.system);
    if (!all_finite(work.values)) return false;
    const std::span<const double> values = work.values;
    if (!work.solver->factor(values.subspan(num_z_))) return false;
    work.is_transposed_factored = false;
    std::copy_n(values.begin(), num_z_, work.z.begin());
    work.solver->solve(work.z);
    put(work.z, work.in, at);
  }
  outputs_.evaluate(in.first(at), out.first(num_out_), work.outputs);
  return all_finite(out.first(num_out_));
}

void SolvedFunction::tangent(std::span<const double> dy, std::span<const double> dgiven,
                             std::span<double> dout, Workspace& work) const {
  std::size_t at = outputs_.num_inputs();
  put(dy.first(num_y_), work.in, at);
  put(dgiven, work.in, at);
  const std::span<const double> in = work.in;
  if (num_z_ > 0) {
    forward_.evaluate(in.first(at), work.dz, work.forward);
    work.solver->solve(work.dz);
    put(work.dz, work.in, at);
  }
  forward_outputs_.evaluate(in.first(at), dout.first(num_out_), work.forward_outputs);
}

bool SolvedFunction::adjoint(std::span<const double> w, std::span<double> w_y,
                             std::span<double> sums, Workspace& work) const {
  std::size_t at = outputs_.num_inputs();
  put(w.first(num_out_), work.in, at);
  const std::span<const double> in = work.in;
  if (num_z_ > 0) {
    weights_.evaluate(in.first(at), work.mu, work.weights);
    if (!is_symmetric_ && !work.is_transposed_factored) {
      transposed_.take(std::span<const double>(work.values).subspan(num_z_),
                       work.transposed_values);
      if (!work.transposed->factor(work.transposed_values)) return false;
      work.is_transposed_factored = true;
    }
    (is_symmetric_ ? *work.solver : *work.transposed).solve(work.mu);
    put(work.mu, work.in, at);
  }
  backward_.evaluate(in.first(at), work.cotangent, work.backward);
  for (std::size_t i = 0; i < num_y_; ++i) w_y[i] += work.cotangent[i];
  for (std::size_t i = 0; i < num_sums(); ++i) sums[i] += work.cotangent[num_y_ + i];
  return true;
}

}  // namespace koppel

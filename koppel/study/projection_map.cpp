#include <koppel/study/projection_map.hpp>

#include <algorithm>

#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// g, then ġ and a v + b, of the rows that are kept.
Exprs rows_of(const ProjectorTerms& terms) {
  Exprs out;
  for (const int row : terms.kept) {
    const auto i = static_cast<std::size_t>(row);
    if (i < terms.position.size()) out.push_back(terms.position[i]);
  }
  for (const int row : terms.kept) out.push_back(terms.velocity[static_cast<std::size_t>(row)]);
  return out;
}

Exprs state_of(const ProjectorTerms& terms) {
  return join({terms.q, terms.v, terms.given.symbols});
}

Exprs changes_of(const ProjectorTerms& terms) {
  return make_symbols(*terms.t.graph(), "variation.s", state_of(terms).size());
}

Exprs weights_of(const ProjectorTerms& terms) {
  return make_symbols(*terms.t.graph(), "weight.row", rows_of(terms).size());
}

}  // namespace

ProjectionMap::ProjectionMap(const ProjectorTerms& terms, CompileOptions options)
    : projector_(terms, options),
      num_q_(terms.q.size()),
      num_v_(terms.v.size()),
      num_given_(terms.given.symbols.size()),
      num_rows_(terms.kept.size()),
      num_g_(rows_of(terms).size() - terms.kept.size()),
      pattern_(terms.matrix.pattern),
      matrices_(join({{terms.t}, state_of(terms)}), join({terms.matrix.values, terms.K.values}),
                options),
      forward_(join({{terms.t}, state_of(terms), changes_of(terms)}),
               jacobian_times_vector(rows_of(terms), state_of(terms), changes_of(terms)), options),
      backward_(join({{terms.t}, state_of(terms), weights_of(terms)}),
                vector_times_jacobian(weights_of(terms), rows_of(terms), state_of(terms)),
                options) {
  const Sparsity& K = terms.K.pattern;
  for (std::size_t j = 0; j < static_cast<std::size_t>(K.num_columns); ++j) {
    for (int k = K.column_start[j]; k < K.column_start[j + 1]; ++k) {
      K_.push_back({static_cast<std::size_t>(K.row[static_cast<std::size_t>(k)]), j});
    }
  }
}

ProjectionMap::Workspace ProjectionMap::make_workspace() const {
  return {projector_.make_workspace(),
          std::vector<double>(std::max(forward_.num_inputs(), backward_.num_inputs())),
          std::vector<double>(matrices_.num_outputs()),
          std::vector<double>(forward_.num_outputs()),
          std::vector<double>(backward_.num_outputs()),
          std::vector<double>(num_v_ + num_rows_),
          std::vector<double>(num_g_ + num_rows_),
          matrices_.make_workspace(),
          forward_.make_workspace(),
          backward_.make_workspace(),
          LinearSolver<double>(pattern_)};
}

bool ProjectionMap::project(double t, std::span<double> q, std::span<double> v,
                            std::span<const double> given, Workspace& work) const {
  std::copy(given.begin(), given.end(),
            work.projector.in.end() - static_cast<std::ptrdiff_t>(num_given_));
  return projector_.project(t, q, v, Projection::Full, work.projector);
}

bool ProjectionMap::stand_at(double t, std::span<const double> q, std::span<const double> v,
                             std::span<const double> given, Workspace& work) const {
  if (num_rows_ == 0) return true;
  auto to = work.in.begin();
  *to++ = t;
  to = std::copy(q.begin(), q.end(), to);
  to = std::copy(v.begin(), v.end(), to);
  std::copy(given.begin(), given.end(), to);
  const std::span<const double> in = work.in;
  matrices_.evaluate(in.first(matrices_.num_inputs()), work.matrix, work.matrices);
  return work.solver.factor(
      std::span<const double>(work.matrix).first(static_cast<std::size_t>(pattern_.num_entries())));
}

void ProjectionMap::find_changes(std::span<const double> dq, std::span<const double> dv,
                                 std::span<const double> dgiven, Workspace& work) const {
  auto to = work.in.begin() + static_cast<std::ptrdiff_t>(matrices_.num_inputs());
  to = std::copy(dq.begin(), dq.end(), to);
  to = std::copy(dv.begin(), dv.end(), to);
  std::copy(dgiven.begin(), dgiven.end(), to);
  const std::span<const double> in = work.in;
  forward_.evaluate(in.first(forward_.num_inputs()), work.changes, work.forward);
}

void ProjectionMap::tangent(std::span<double> dq, std::span<double> dv,
                            std::span<const double> dgiven, Workspace& work) const {
  if (num_rows_ == 0) return;
  find_changes(dq, dv, dgiven, work);
  std::fill(work.right.begin(), work.right.end(), 0.0);
  for (std::size_t i = 0; i < num_g_; ++i) work.right[num_v_ + i] = -work.changes[i];
  work.solver.solve(work.right);
  const double* K = work.matrix.data() + pattern_.num_entries();
  for (std::size_t k = 0; k < K_.size(); ++k) dq[K_[k].row] += K[k] * work.right[K_[k].column];

  find_changes(dq, dv, dgiven, work);
  std::fill(work.right.begin(), work.right.end(), 0.0);
  for (std::size_t i = 0; i < num_rows_; ++i) work.right[num_v_ + i] = -work.changes[num_g_ + i];
  work.solver.solve(work.right);
  for (std::size_t j = 0; j < num_v_; ++j) dv[j] += work.right[j];
}

void ProjectionMap::take_back(std::span<double> w_q, std::span<double> w_v,
                              std::span<double> w_given, Workspace& work) const {
  std::copy(work.row_weights.begin(), work.row_weights.end(),
            work.in.begin() + static_cast<std::ptrdiff_t>(matrices_.num_inputs()));
  const std::span<const double> in = work.in;
  backward_.evaluate(in.first(backward_.num_inputs()), work.weighted, work.backward);
  const double* from = work.weighted.data();
  for (double& w : w_q) w -= *from++;
  for (double& w : w_v) w -= *from++;
  for (double& w : w_given) w -= *from++;
}

// (1) transposed: its matrix is symmetric.
void ProjectionMap::adjoint(std::span<double> w_q, std::span<double> w_v, std::span<double> w_given,
                            Workspace& work) const {
  if (num_rows_ == 0) return;
  std::fill(work.right.begin(), work.right.end(), 0.0);
  std::copy(w_v.begin(), w_v.end(), work.right.begin());
  work.solver.solve(work.right);
  std::fill(work.row_weights.begin(), work.row_weights.end(), 0.0);
  for (std::size_t i = 0; i < num_rows_; ++i) work.row_weights[num_g_ + i] = work.right[num_v_ + i];
  take_back(w_q, w_v, w_given, work);

  std::fill(work.right.begin(), work.right.end(), 0.0);
  const double* K = work.matrix.data() + pattern_.num_entries();
  for (std::size_t k = 0; k < K_.size(); ++k) work.right[K_[k].column] += K[k] * w_q[K_[k].row];
  work.solver.solve(work.right);
  std::fill(work.row_weights.begin(), work.row_weights.end(), 0.0);
  for (std::size_t i = 0; i < num_g_; ++i) work.row_weights[i] = work.right[num_v_ + i];
  take_back(w_q, w_v, w_given, work);
}

}  // namespace koppel

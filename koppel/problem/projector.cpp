#include <koppel/problem/projector.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {
namespace {

constexpr std::string_view kProjectionNames[] = {"none", "once", "full"};

// t, q, v, given.
std::vector<Expr> inputs_of(const ProjectorTerms& terms) {
  std::vector<Expr> inputs = {terms.t};
  for (const auto* part : {&terms.q, &terms.v, &terms.given.symbols}) {
    inputs.insert(inputs.end(), part->begin(), part->end());
  }
  return inputs;
}

RareInputs given_of(const ProjectorTerms& terms) {
  return {1 + terms.q.size() + terms.v.size(), terms.given.symbols.size(), {}};
}

std::vector<Expr> concatenate(const std::vector<Expr>& a, const std::vector<Expr>& b) {
  std::vector<Expr> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

double largest(std::span<const double> x) {
  double size = 0;
  for (const double value : x) size = std::max(size, std::abs(value));
  return size;
}

}  // namespace

std::string_view name_of(Projection projection) {
  return kProjectionNames[static_cast<std::size_t>(projection)];
}

std::optional<Projection> read_projection(std::string_view text) {
  const auto* const found =
      std::find(std::begin(kProjectionNames), std::end(kProjectionNames), text);
  if (found == std::end(kProjectionNames)) return {};
  return static_cast<Projection>(found - std::begin(kProjectionNames));
}

Projector::Projector(const ProjectorTerms& terms, CompileOptions options)
    : num_q_(terms.q.size()),
      num_v_(terms.v.size()),
      num_g_(terms.position.size()),
      num_h_(terms.h.size()),
      num_rows_(terms.kept.size()),
      kept_(terms.kept),
      given_(terms.given.values),
      matrix_pattern_(terms.matrix.pattern),
      invariant_pattern_(terms.invariant_matrix.pattern),
      residuals_(inputs_of(terms), concatenate(terms.position, terms.velocity), options,
                 given_of(terms)),
      matrices_(inputs_of(terms), concatenate(terms.matrix.values, terms.K.values), options,
                given_of(terms)),
      invariants_(inputs_of(terms), concatenate(terms.h, terms.invariant_matrix.values), options,
                  given_of(terms)) {
  const Sparsity& K = terms.K.pattern;
  for (int j = 0; j < K.num_columns; ++j) {
    const auto column = static_cast<std::size_t>(j);
    for (int k = K.column_start[column]; k < K.column_start[column + 1]; ++k) {
      K_row_.push_back(K.row[static_cast<std::size_t>(k)]);
      K_column_.push_back(j);
    }
  }
}

Projector::Workspace Projector::make_workspace() const {
  Workspace work{std::vector<double>(matrices_.num_inputs()),
                 residuals_.make_workspace(),
                 matrices_.make_workspace(),
                 invariants_.make_workspace(),
                 std::vector<double>(residuals_.num_outputs()),
                 std::vector<double>(matrices_.num_outputs()),
                 std::vector<double>(invariants_.num_outputs()),
                 std::vector<double>(std::max(num_v_ + num_rows_, num_q_ + num_h_)),
                 std::vector<double>(num_q_),
                 std::vector<double>(num_v_),
                 LinearSolver<double>(matrix_pattern_),
                 LinearSolver<double>(invariant_pattern_),
                 0};
  std::copy(given_.begin(), given_.end(),
            work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  return work;
}

void Projector::put(double t, std::span<const double> q, std::span<const double> v,
                    Workspace& work) const {
  work.in[0] = t;
  std::copy(q.begin(), q.end(), work.in.begin() + 1);
  std::copy(v.begin(), v.end(), work.in.begin() + 1 + static_cast<std::ptrdiff_t>(num_q_));
}

bool Projector::factor(Workspace& work) const {
  matrices_.evaluate(work.in, work.matrix, work.matrices);
  ++work.num_factorizations;
  return work.solver.factor(std::span<const double>(work.matrix)
                                .first(static_cast<std::size_t>(matrix_pattern_.num_entries())));
}

void Projector::restore_invariants(double t, std::span<double> q, Workspace& work) const {
  if (num_h_ == 0) return;
  put(t, q, work.v, work);
  invariants_.evaluate(work.in, work.invariant_values, work.invariants);
  const std::span<const double> values = work.invariant_values;
  const std::span<double> right = std::span(work.right).first(num_q_ + num_h_);
  std::fill(right.begin(), right.end(), 0.0);
  for (std::size_t i = 0; i < num_h_; ++i) right[num_q_ + i] = -values[i];
  if (!work.invariant_solver.factor(values.subspan(num_h_))) return;
  work.invariant_solver.solve(right);
  for (std::size_t i = 0; i < num_q_; ++i) q[i] += right[i];
}

bool Projector::project(double t, std::span<double> q, std::span<double> v, Projection mode,
                        Workspace& work) const {
  if (mode == Projection::None || !is_needed()) return true;
  // Far more than Newton's method needs from the end of a step.
  const int max_iterations = mode == Projection::Once ? 1 : 15;
  std::copy(v.begin(), v.end(), work.v.begin());
  const std::span<double> right = std::span(work.right).first(num_v_ + num_rows_);
  // First of all: constraints may depend on a coordinate that an invariant gives.
  restore_invariants(t, q, work);
  bool is_closed = num_rows_ == 0;
  double last = INFINITY, moved = INFINITY;  // by the last correction, relative to coordinates
  for (int iteration = 0; num_rows_ > 0 && iteration < max_iterations; ++iteration) {
    put(t, q, v, work);
    residuals_.evaluate(work.in, work.values, work.residuals);
    std::fill(right.begin(), right.end(), 0.0);
    double residual = 0;
    for (std::size_t i = 0; i < num_rows_; ++i) {
      const auto row = static_cast<std::size_t>(kept_[i]);
      if (row >= num_g_) continue;
      right[num_v_ + i] = -work.values[row];
      residual = std::max(residual, std::abs(work.values[row]));
    }
    if (!std::isfinite(residual)) return false;
    constexpr double kRoundOff = 1e-15;
    if (iteration > 0 && (residual < kRoundOff || residual > 0.5 * last)) {
      // No better is to be had in this arithmetic: rows of large mechanisms are large numbers.
      constexpr double kNothing = 1e-12;
      is_closed = residual < 1e-9 || moved < kNothing;
      break;
    }
    last = residual;
    if (!factor(work)) return false;
    work.solver.solve(right);
    std::copy(q.begin(), q.end(), work.q.begin());
    const double* K = work.matrix.data() + matrix_pattern_.num_entries();
    for (std::size_t k = 0; k < K_row_.size(); ++k) {
      work.q[static_cast<std::size_t>(K_row_[k])] +=
          K[k] * right[static_cast<std::size_t>(K_column_[k])];
    }
    double change = 0;
    for (std::size_t i = 0; i < num_q_; ++i) change = std::max(change, std::abs(work.q[i] - q[i]));
    moved = change / largest(work.q);
    std::copy(work.q.begin(), work.q.end(), q.begin());
    restore_invariants(t, q, work);
  }
  if (mode == Projection::Once) is_closed = true;
  if (!is_closed) return false;
  if (num_rows_ == 0) return true;

  // Velocities. Their rows are those of the new position; the matrix of the last one serves, since
  // it only measures what is near. A second step takes away what it left.
  const int rounds = mode == Projection::Once ? 1 : 2;
  for (int round = 0; round < rounds; ++round) {
    put(t, q, v, work);
    residuals_.evaluate(work.in, work.values, work.residuals);
    std::fill(right.begin(), right.end(), 0.0);
    for (std::size_t i = 0; i < num_rows_; ++i) {
      right[num_v_ + i] = -work.values[num_g_ + static_cast<std::size_t>(kept_[i])];
    }
    work.solver.solve(right);
    for (std::size_t i = 0; i < num_v_; ++i) v[i] += right[i];
  }
  return largest(v) < INFINITY;
}

Projector::Violation Projector::violation(double t, std::span<const double> q,
                                          std::span<const double> v, Workspace& work) const {
  const Residuals all = residuals(t, q, v, work);
  return {largest(all.position), largest(all.velocity)};
}

Projector::Residuals Projector::residuals(double t, std::span<const double> q,
                                          std::span<const double> v, Workspace& work) const {
  put(t, q, v, work);
  residuals_.evaluate(work.in, work.values, work.residuals);
  const std::span<const double> values = work.values;
  return {values.first(num_g_), values.subspan(num_g_)};
}

}  // namespace koppel

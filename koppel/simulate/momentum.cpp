#include <koppel/simulate/momentum.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/equations/evaluator.hpp>

namespace koppel {
namespace {

// Whether column j of A has no entries but zeros.
bool is_empty(const SparseExpr& A, std::size_t j) {
  if (A.pattern.num_columns == 0) return true;
  const auto first = A.values.begin() + A.pattern.column_start[j];
  const auto last = A.values.begin() + A.pattern.column_start[j + 1];
  return std::all_of(first, last, [](Expr value) { return value.is_constant(0); });
}

// Whether q̇_j = v_j, and v_j occurs in no other rate.
bool is_own_rate(const SparseExpr& K, std::size_t j) {
  const int begin = K.pattern.column_start[j], end = K.pattern.column_start[j + 1];
  return end == begin + 1 &&
         K.pattern.row[static_cast<std::size_t>(begin)] == static_cast<int>(j) &&
         K.values[static_cast<std::size_t>(begin)].is_constant(1);
}

std::vector<Expr> find_momenta(const Equations& e) {
  std::vector<Expr> out;
  if (e.num_q() != e.num_v()) return out;
  const std::vector<Expr> energies = {e.kinetic, e.potential};
  const SparseExpr by_q = jacobian(energies, e.q), by_v = jacobian({&e.kinetic, 1}, e.v);
  for (std::size_t j = 0; j < e.num_q(); ++j) {
    if (!is_own_rate(e.K, j) || !is_empty(by_q, j) || !is_empty(e.G, j) || !is_empty(e.a, j) ||
        is_empty(by_v, j)) {
      continue;
    }
    out.push_back(by_v.values[static_cast<std::size_t>(by_v.pattern.column_start[j])]);
  }
  return out;
}

}  // namespace

std::optional<double> momentum_error(const Simulation& simulation) {
  const Equations& e = simulation.equations;
  const std::vector<Expr> momenta = find_momenta(e);
  if (momenta.empty()) return {};
  const VectorFunction function(e, momenta);
  const Trajectory& trajectory = simulation.trajectory;
  State state = start_of(e);
  std::vector<double> first;
  double deviation = 0, size = 0;
  for (std::size_t row = 0; row < trajectory.num_rows(); ++row) {
    state.t = trajectory.time()[row];
    for (std::size_t i = 0; i < state.q.size(); ++i) {
      state.q[i] = trajectory.column(simulation.observation->columns_of_q()[i])[row];
      state.v[i] = trajectory.column(simulation.observation->first_velocity() + i)[row];
    }
    const std::vector<double> p = function(state);
    if (first.empty()) first = p;
    for (std::size_t k = 0; k < p.size(); ++k) {
      deviation = std::max(deviation, std::abs(p[k] - first[k]));
      size = std::max(size, std::abs(p[k]));
    }
  }
  return deviation / (size > 0 ? size : 1);
}

}  // namespace koppel

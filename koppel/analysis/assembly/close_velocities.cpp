#include <koppel/analysis/assembly/close_velocities.hpp>

#include <koppel/analysis/algebra/metric.hpp>

namespace koppel {

void close_velocities(const Evaluator& evaluator, State& state) {
  const PullRows none{sparse::SparseMatrix(0, static_cast<Eigen::Index>(state.v.size())),
                      Eigen::VectorXd()};
  const Eigen::VectorXd rates =
      -dense::concatenate({dense::view(evaluator.g_t(state)), dense::view(evaluator.b(state))});
  state.v = dense::to_vector(nearest_velocity(mass_metric(evaluator, state),
                                              sparse::all_constraints(evaluator, state), rates,
                                              none, dense::view(state.v)));
}

}  // namespace koppel

#include <koppel/study/least_squares.hpp>

#include <algorithm>
#include <exception>
#include <memory>

#include <ceres/c_api.h>
#include <ceres/solver.h>

#include <koppel/base/needed_library.hpp>

namespace koppel {
namespace {

// What is used of Ceres. It brings twenty libraries along, for sparse systems and for logs, which
// take a third of the time in which the program starts. Its interface for C has no bounds and no
// options; these are reached by the names that the C++ ABI gives them (Itanium C++ ABI, 5.1), with
// the object as the first argument.
struct Ceres : NeededLibrary {
  Ceres()
      : NeededLibrary(KOPPEL_CERES_LIBRARY, {"study.no-library", "Ceres, which fits parameters,",
                                             "Install " KOPPEL_CERES_LIBRARY "."}) {
    constexpr int kFatal = 3;
    *minloglevel = kFatal;  // what goes wrong is told by the result
  }

  using SetBound = void(ceres_problem_t*, double* x, int index, double bound);
  using Solve = void(const ceres::Solver::Options&, ceres_problem_t*, ceres::Solver::Summary*);

  decltype(::ceres_create_problem)* create_problem = find("ceres_create_problem");
  decltype(::ceres_free_problem)* free_problem = find("ceres_free_problem");
  decltype(::ceres_problem_add_residual_block)* add_residual_block =
      find("ceres_problem_add_residual_block");
  SetBound* set_lower_bound = find("_ZN5ceres7Problem22SetParameterLowerBoundEPdid");
  SetBound* set_upper_bound = find("_ZN5ceres7Problem22SetParameterUpperBoundEPdid");
  Solve* solve = find("_ZN5ceres5SolveERKNS_6Solver7OptionsEPNS_7ProblemEPNS0_7SummaryE");
  int* minloglevel = find_variable<int>("_ZN3fLI17FLAGS_minloglevelE");
};

const Ceres& library() {
  static const Ceres loaded;
  return loaded;
}

// Ceres sees the free ones of x only.
struct Free {
  const LeastSquares& problem;
  std::vector<double> x = {};           // all
  std::vector<std::size_t> which = {};  // are free
  std::vector<double> J = {};           // with all columns
  std::exception_ptr thrown = {};

  Free(const LeastSquares& all, const std::vector<double>& start) : problem(all), x(start) {
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto& held = problem.held;
      if (std::find(held.begin(), held.end(), static_cast<int>(j)) == held.end()) {
        which.push_back(j);
      }
    }
    J.resize(problem.num_residuals * x.size());
  }

  void take(const double* free) {
    for (std::size_t k = 0; k < which.size(); ++k) x[which[k]] = free[k];
  }
  bool evaluate(const double* free, double* r, double* slopes) {
    take(free);
    const std::size_t m = problem.num_residuals;
    if (slopes == nullptr) return problem.residuals(x, {r, m}, {});
    if (!problem.residuals(x, {r, m}, J)) return false;
    for (std::size_t i = 0; i < m; ++i) {
      for (const std::size_t j : which) *slopes++ = J[i * x.size() + j];
    }
    return true;
  }
};

// Ceres calls back from C: what is thrown waits outside of it.
int evaluate(void* data, double** x, double* r, double** jacobians) {
  Free& free = *static_cast<Free*>(data);
  if (free.thrown) return false;
  try {
    return free.evaluate(x[0], r, jacobians != nullptr ? jacobians[0] : nullptr);
  } catch (...) {
    free.thrown = std::current_exception();
    return false;
  }
}

ceres::Solver::Options options_of(const LeastSquares& problem) {
  ceres::Solver::Options with;
  with.linear_solver_type = ceres::DENSE_QR;
  with.logging_type = ceres::SILENT;
  with.max_num_iterations = problem.max_iterations;
  with.function_tolerance = 1e-14;
  with.gradient_tolerance = 1e-12;
  with.parameter_tolerance = 1e-10;
  // Larger ones would let round-off move what is not seen.
  with.max_trust_region_radius = 1e10;
  return with;
}

}  // namespace

LeastSquaresEnd solve(const LeastSquares& problem, std::vector<double>& x) {
  const Ceres& ceres = library();
  Free free(problem, x);
  if (free.which.empty()) return {LeastSquaresEnd::Converged, ""};
  std::vector<double> at;
  for (const std::size_t j : free.which) at.push_back(x[j]);

  const std::unique_ptr<ceres_problem_t, decltype(ceres.free_problem)> solver(
      ceres.create_problem(), ceres.free_problem);
  double* block = at.data();
  int size = static_cast<int>(at.size());
  ceres.add_residual_block(solver.get(), evaluate, &free, nullptr, nullptr,
                           static_cast<int>(problem.num_residuals), 1, &size, &block);
  for (int k = 0; k < size && !problem.bounds.empty(); ++k) {
    const Range& range = problem.bounds[free.which[static_cast<std::size_t>(k)]];
    if (!(range.low < range.high)) continue;
    ceres.set_lower_bound(solver.get(), block, k, range.low);
    ceres.set_upper_bound(solver.get(), block, k, range.high);
  }
  ceres::Solver::Summary summary;
  ceres.solve(options_of(problem), solver.get(), &summary);
  free.take(block);
  x = free.x;
  if (free.thrown) std::rethrow_exception(free.thrown);
  using enum LeastSquaresEnd::Kind;
  const ceres::TerminationType end = summary.termination_type;
  return {end == ceres::CONVERGENCE      ? Converged
          : end == ceres::NO_CONVERGENCE ? TooManyIterations
                                         : Failed,
          summary.message};
}

}  // namespace koppel

// IDA of SUNDIALS [Hindmarsh et al. 2005] with KLU on the equations of ggl.hpp.
#include <algorithm>
#include <cmath>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <koppel/integrate/sundials/handles.hpp>
#include <problems/ggl.hpp>

namespace koppel::problems {
namespace {

#if SUNDIALS_VERSION_MAJOR >= 7
bool silence(void*) { return true; }  // the context is silent
#else
bool silence(void* ida) {
  const auto ignore = [](int, const char*, const char*, char*, void*) {};
  return IDASetErrHandlerFn(ida, ignore, nullptr) == IDA_SUCCESS;
}
#endif

// What IDA's callbacks see.
struct User {
  const Ggl& ggl;
  double tolerance, first_step;
  void* ida;
};

int residual(double, N_Vector y, N_Vector y_rate, N_Vector F, void* data) {
  const User& user = *static_cast<const User*>(data);
  user.ggl.residual(values_of(y).data(), values_of(y_rate).data(), values_of(F).data());
  return 0;
}

int jacobian(double, double c, N_Vector y, N_Vector y_rate, N_Vector, SUNMatrix J, void* data,
             N_Vector, N_Vector, N_Vector) {
  const Ggl& ggl = static_cast<const User*>(data)->ggl;
  std::copy(ggl.column_start().begin(), ggl.column_start().end(), SM_INDEXPTRS_S(J));
  std::copy(ggl.row().begin(), ggl.row().end(), SM_INDEXVALS_S(J));
  ggl.jacobian(values_of(y).data(), values_of(y_rate).data(), c, SM_DATA_S(J));
  return 0;
}

// Of the norm: multipliers need to be known to tolerance/h only.
int weights(N_Vector y, N_Vector weights, void* data) {
  const User& user = *static_cast<const User*>(data);
  double h = 0;
  IDAGetCurrentStep(user.ida, &h);
  if (h == 0) h = user.first_step;
  const auto x = values_of(y), w = values_of(weights);
  const auto num_differential = 2 * static_cast<std::size_t>(user.ggl.num_q());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double size = user.tolerance * std::max(std::abs(x[i]), 1.0);
    w[i] = (i < num_differential ? 1 : std::min(h, 1.0)) / size;
  }
  return 0;
}

}  // namespace

void Ggl::set_start(std::span<const double> q, std::span<const double> v, std::span<const double> a,
                    std::span<const double> lambda) {
  start_.assign(q.begin(), q.end());
  start_.insert(start_.end(), v.begin(), v.end());
  start_.insert(start_.end(), lambda.begin(), lambda.end());
  start_.resize(static_cast<std::size_t>(size()), 0.0);
  start_rate_.assign(v.begin(), v.end());
  start_rate_.insert(start_rate_.end(), a.begin(), a.end());
  start_rate_.resize(static_cast<std::size_t>(size()), 0.0);
}

bool integrate_ida(const Ggl& ggl, std::vector<double>& y, double end, double tolerance) {
  const auto size = static_cast<std::size_t>(ggl.size());
  const SundialsContext context;
  const SundialsVector at = make_sundials_vector(size, context);
  const SundialsVector rate = make_sundials_vector(size, context);
  const SundialsVector is_differential = make_sundials_vector(size, context);
  std::copy(ggl.start().begin(), ggl.start().end(), values_of(at.get()).begin());
  std::copy(ggl.start_rate().begin(), ggl.start_rate().end(), values_of(rate.get()).begin());
  const auto num_differential = 2 * static_cast<std::size_t>(ggl.num_q());
  for (std::size_t i = 0; i < size; ++i) {
    values_of(is_differential.get())[i] = i < num_differential;
  }
  const auto entries = static_cast<sunindextype>(ggl.row().size());
  const SundialsMatrix J(SUNSparseMatrix(ggl.size(), ggl.size(), entries, CSC_MAT, context));
  const SundialsSolver solver(SUNLinSol_KLU(at.get(), J.get(), context));

  // IDA's own first step, tolerance/|ẏ|, would be so short for Andrews' mechanism below 1e-9 that
  // round-off stops it.
  const double first_step = 1e-3 * end * std::sqrt(tolerance);
  // The part of the tolerance to which Newton's method is exact. With IDA's default, 0.33, errors
  // are up to ten times larger on the slider crank and Bricard's mechanism; on Andrews' about
  // equal.
  constexpr double kNewton = 0.03;
  void* ida = IDACreate(context);
  User user{ggl, tolerance, first_step, ida};
  bool ok =
      silence(ida) &&
      IDAInit(ida, residual, 0, at.get(), rate.get()) == IDA_SUCCESS &&
      IDASetUserData(ida, &user) == IDA_SUCCESS && IDAWFtolerances(ida, weights) == IDA_SUCCESS &&
      IDASetNonlinConvCoef(ida, kNewton) == IDA_SUCCESS &&
      IDASetLinearSolver(ida, solver.get(), J.get()) == IDA_SUCCESS &&
      IDASetJacFn(ida, jacobian) == IDA_SUCCESS &&
      IDASetId(ida, is_differential.get()) == IDA_SUCCESS &&
      IDASetSuppressAlg(ida, SUNTRUE) == IDA_SUCCESS && IDASetStopTime(ida, end) == IDA_SUCCESS &&
      IDASetInitStep(ida, first_step) == IDA_SUCCESS &&
      IDASetMaxNumSteps(ida, 100'000) == IDA_SUCCESS;
  double t = 0;
  ok = ok && IDASolve(ida, end, &t, at.get(), rate.get(), IDA_NORMAL) >= 0;
  IDAFree(&ida);
  const auto values = values_of(at.get());
  y.assign(values.begin(), values.end());
  return ok;
}

}  // namespace koppel::problems

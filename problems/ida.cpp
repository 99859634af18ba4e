// IDA of SUNDIALS [Hindmarsh et al. 2005] with KLU on the equations of rods.hpp.
#include <algorithm>

#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <koppel/integrate/sundials/handles.hpp>
#include <problems/rods.hpp>

namespace koppel::problems {
namespace {

int residual(double, N_Vector y, N_Vector y_rate, N_Vector F, void* data) {
  static_cast<const Rods*>(data)->residual(values_of(y).data(), values_of(y_rate).data(),
                                           values_of(F).data());
  return 0;
}

int jacobian(double, double c, N_Vector y, N_Vector, N_Vector, SUNMatrix J, void* data, N_Vector,
             N_Vector, N_Vector) {
  const Rods& rods = *static_cast<const Rods*>(data);
  std::copy(rods.column_start().begin(), rods.column_start().end(), SM_INDEXPTRS_S(J));
  std::copy(rods.row().begin(), rods.row().end(), SM_INDEXVALS_S(J));
  rods.jacobian(values_of(y).data(), c, SM_DATA_S(J));
  return 0;
}

}  // namespace

bool integrate_ida(const Rods& rods, std::vector<double>& y, double end, double tolerance) {
  const auto size = static_cast<std::size_t>(rods.size());
  const SundialsContext context;
  const SundialsVector at = make_sundials_vector(size, context);
  const SundialsVector rate = make_sundials_vector(size, context);
  const SundialsVector absolute = make_sundials_vector(size, context);
  const SundialsVector is_differential = make_sundials_vector(size, context);
  std::copy(rods.start().begin(), rods.start().end(), values_of(at.get()).begin());
  std::copy(rods.start_rate().begin(), rods.start_rate().end(), values_of(rate.get()).begin());
  const auto num_differential = 2 * static_cast<std::size_t>(rods.num_q());
  for (std::size_t i = 0; i < size; ++i) {
    const bool differential = i < num_differential;
    values_of(is_differential.get())[i] = differential;
    values_of(absolute.get())[i] = differential ? tolerance : 1.0;
  }
  const auto entries = static_cast<sunindextype>(rods.row().size());
  const SundialsMatrix J(SUNSparseMatrix(rods.size(), rods.size(), entries, CSC_MAT, context));
  const SundialsSolver solver(SUNLinSol_KLU(at.get(), J.get(), context));

  void* ida = IDACreate(context);
  bool ok = IDASetErrHandlerFn(ida, ignore_message, nullptr) == IDA_SUCCESS &&
            IDAInit(ida, residual, 0, at.get(), rate.get()) == IDA_SUCCESS &&
            IDASetUserData(ida, const_cast<Rods*>(&rods)) == IDA_SUCCESS &&
            IDASVtolerances(ida, tolerance, absolute.get()) == IDA_SUCCESS &&
            IDASetLinearSolver(ida, solver.get(), J.get()) == IDA_SUCCESS &&
            IDASetJacFn(ida, jacobian) == IDA_SUCCESS &&
            IDASetId(ida, is_differential.get()) == IDA_SUCCESS &&
            IDASetSuppressAlg(ida, SUNTRUE) == IDA_SUCCESS &&
            IDASetStopTime(ida, end) == IDA_SUCCESS &&
            IDASetMaxNumSteps(ida, 100'000) == IDA_SUCCESS;
  double t = 0;
  ok = ok && IDASolve(ida, end, &t, at.get(), rate.get(), IDA_NORMAL) >= 0;
  IDAFree(&ida);
  const auto values = values_of(at.get());
  y.assign(values.begin(), values.end());
  return ok;
}

}  // namespace koppel::problems

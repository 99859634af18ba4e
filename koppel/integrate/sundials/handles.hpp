// Objects of SUNDIALS with owners, and its messages kept from the terminal.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sundials/sundials_context.h>
#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_logger.h>
#include <sundials/sundials_matrix.h>

#include <koppel/integrate/advance.hpp>

namespace koppel {

// Silent: outcomes are told by return values. (Version 7 has its messages here; before, each integrator has its own.)
struct SundialsContext {
#if SUNDIALS_VERSION_MAJOR >= 7
  SundialsContext() {
    SUNContext_Create(SUN_COMM_NULL, &handle);  // no MPI, also where the library has it
    SUNContext_ClearErrHandlers(handle);
    SUNLogger logger = nullptr;
    SUNContext_GetLogger(handle, &logger);
    SUNLogger_SetErrorFilename(logger, "");
    SUNLogger_SetWarningFilename(logger, "");
  }
#else
  SundialsContext() { SUNContext_Create(nullptr, &handle); }
#endif
  ~SundialsContext() { SUNContext_Free(&handle); }
  SundialsContext(const SundialsContext&) = delete;
  SundialsContext& operator=(const SundialsContext&) = delete;
  operator SUNContext() const { return handle; }

  SUNContext handle = nullptr;
};

struct SundialsDelete {
  void operator()(_generic_N_Vector* vector) const { N_VDestroy(vector); }
  void operator()(_generic_SUNMatrix* matrix) const { SUNMatDestroy(matrix); }
  void operator()(_generic_SUNLinearSolver* solver) const { SUNLinSolFree(solver); }
};
using SundialsVector = std::unique_ptr<_generic_N_Vector, SundialsDelete>;
using SundialsMatrix = std::unique_ptr<_generic_SUNMatrix, SundialsDelete>;
using SundialsSolver = std::unique_ptr<_generic_SUNLinearSolver, SundialsDelete>;

inline SundialsVector make_sundials_vector(std::size_t size, SUNContext context) {
  return SundialsVector(N_VNew_Serial(static_cast<sunindextype>(size), context));
}
inline std::span<double> values_of(N_Vector vector) {
  return {N_VGetArrayPointer(vector), static_cast<std::size_t>(N_VGetLength(vector))};
}

// Notices steps that no longer advance, one after another: SUNDIALS itself would go on for ever.
class StallWatch {
 public:
  bool stalls(const Step& step, double t_end) {
    const bool advances = step.t1 - step.t0 > smallest_step(step.t0, t_end) || step.t1 == t_end;
    count_ = advances ? 0 : count_ + 1;
    return count_ > 20;
  }

 private:
  int count_ = 0;
};

}  // namespace koppel

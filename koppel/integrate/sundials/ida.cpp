// BDF of variable order on F(t, y, ẏ) = 0 of index up to 2, by IDA of SUNDIALS
// [Hindmarsh et al. 2005] with exact sparse Jacobians and KLU. Algebraic variables are left out of
// the error test where the index is 2. The start is consistent as it is given.
//
// Steps of a multistep method cannot be projected without harm to its history: drift is left to the
// formulation (ggl has none).
#include <algorithm>
#include <cmath>

#include <ida/ida.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/implicit_system.hpp>
#include <koppel/integrate/sundials/handles.hpp>

namespace koppel {
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
  const Segment& segment;
  ImplicitSystem system;
  double h;  // about the next step
};

int evaluate_residual(double t, N_Vector y, N_Vector y_rate, N_Vector F, void* data) {
  User& user = *static_cast<User*>(data);
  return user.system.residual(t, values_of(y), values_of(y_rate), values_of(F)) ? 0 : 1;
}

int evaluate_jacobian(double t, double c, N_Vector y, N_Vector y_rate, N_Vector, SUNMatrix J,
                      void* data, N_Vector, N_Vector, N_Vector) {
  User& user = *static_cast<User*>(data);
  if (!user.system.jacobian(t, values_of(y), values_of(y_rate))) return 1;
  const Sparsity& pattern = user.segment.problem.residual->pattern();
  std::copy(pattern.column_start.begin(), pattern.column_start.end(), SM_INDEXPTRS_S(J));
  std::copy(pattern.row.begin(), pattern.row.end(), SM_INDEXVALS_S(J));
  const auto by_y = user.system.by_y(), by_rate = user.system.by_rate();
  double* const values = SM_DATA_S(J);
  for (std::size_t k = 0; k < by_y.size(); ++k) values[k] = by_y[k] + c * by_rate[k];
  return 0;
}

// Newton's method converges in the norm with these weights: that of ImplicitSystem, in which the
// multipliers of a small step need not be known better than they can be.
int evaluate_weights(N_Vector y, N_Vector weights, void* data) {
  const User& user = *static_cast<User*>(data);
  const IntegrateOptions& options = user.segment.options;
  const auto x = values_of(y), w = values_of(weights);
  for (std::size_t i = 0; i < x.size(); ++i) {
    w[i] = 1 / (options.tolerance * std::max(std::abs(x[i]), options.absolute_scale));
    if (user.system.exponent(i) > 0) w[i] *= std::min(user.h, 1.0);
  }
  return all_finite(w) ? 0 : -1;
}

class IdaStep : public Step {
 public:
  IdaStep(void* ida, N_Vector scratch) : Step(0, 0), ida_(ida), scratch_(scratch) {}
  void evaluate(double t, std::span<double> y) const override {
    IDAGetDky(ida_, t, 0, scratch_);
    const auto values = values_of(scratch_);
    std::copy(values.begin(), values.end(), y.begin());
  }

 private:
  void* ida_;
  N_Vector scratch_;
};

std::string_view reason_of(int flag) {
  switch (flag) {
    case IDA_CONV_FAIL:
    case IDA_CONSTR_FAIL: return kNoConvergence;
    case IDA_LSETUP_FAIL:
    case IDA_LSOLVE_FAIL: return kSingular;
    case IDA_ERR_FAIL: return kTooRough;
    case IDA_RES_FAIL:
    case IDA_REP_RES_ERR:
    case IDA_FIRST_RES_FAIL: return "the residual is not finite";
    default: return "IDA gives up";
  }
}

class Ida {
 public:
  Ida(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        user_{segment, ImplicitSystem(segment, outcome.statistics), 0},
        y_(make_sundials_vector(outcome.y.size(), context_)),
        y_rate_(make_sundials_vector(outcome.y.size(), context_)),
        scratch_(make_sundials_vector(outcome.y.size(), context_)),
        is_differential_(make_sundials_vector(outcome.y.size(), context_)),
        ida_(IDACreate(context_)) {
    const Sparsity& pattern = segment.problem.residual->pattern();
    J_.reset(SUNSparseMatrix(pattern.num_rows, pattern.num_columns,
                             std::max(1, pattern.num_entries()), CSC_MAT, context_));
    solver_.reset(SUNLinSol_KLU(y_.get(), J_.get(), context_));
  }
  Ida(const Ida&) = delete;
  Ida& operator=(const Ida&) = delete;
  ~Ida() { IDAFree(&ida_); }

  double run();

 private:
  bool set_up();
  double starting_step(bool knows_rates) const;
  void add_statistics();

  const Segment& segment_;
  Outcome& outcome_;
  User user_;
  SundialsContext context_;
  SundialsVector y_, y_rate_, scratch_, is_differential_;
  SundialsMatrix J_;
  SundialsSolver solver_;
  void* ida_;
};

// Where the method, of order 1 at first, is well within the tolerance; without rates, so short that
// they do not matter.
double Ida::starting_step(bool knows_rates) const {
  const double length = segment_.t_end - outcome_.t;
  if (!knows_rates) return 1e-9 * length;
  const double rate = user_.system.relative_rate(outcome_.y, values_of(y_rate_.get()));
  const double h = 0.1 * std::sqrt(segment_.options.tolerance) / std::max(rate, 1e-3 / length);
  return std::min(h, 1e-3 * length);
}

bool Ida::set_up() {
  const auto is_differential = values_of(is_differential_.get());
  for (std::size_t i = 0; i < is_differential.size(); ++i) {
    is_differential[i] = user_.system.is_differential(i) ? 1 : 0;
  }
  return silence(ida_) &&
         IDAInit(ida_, evaluate_residual, outcome_.t, y_.get(), y_rate_.get()) == IDA_SUCCESS &&
         IDASetUserData(ida_, &user_) == IDA_SUCCESS &&
         IDAWFtolerances(ida_, evaluate_weights) == IDA_SUCCESS &&
         IDASetLinearSolver(ida_, solver_.get(), J_.get()) == IDA_SUCCESS &&
         IDASetJacFn(ida_, evaluate_jacobian) == IDA_SUCCESS &&
         IDASetId(ida_, is_differential_.get()) == IDA_SUCCESS &&
         IDASetSuppressAlg(ida_, segment_.problem.index >= 2) == IDA_SUCCESS &&
         IDASetStopTime(ida_, segment_.t_end) == IDA_SUCCESS &&
         IDASetMaxNumSteps(ida_, -1) == IDA_SUCCESS &&
         IDASetMaxStep(ida_, segment_.options.max_step) == IDA_SUCCESS &&
         IDASetInitStep(ida_, user_.h) == IDA_SUCCESS;
}

double Ida::run() {
  const auto y = values_of(y_.get());
  const bool knows_rates =
      user_.system.starting_rates(outcome_.t, outcome_.y, values_of(y_rate_.get()));
  std::copy(outcome_.y.begin(), outcome_.y.end(), y.begin());
  user_.h = starting_step(knows_rates);
  if (!set_up()) {
    fail(outcome_, "IDA cannot be started");
    return 0;
  }
  IdaStep step(ida_, scratch_.get());
  StallWatch watch;
  while (outcome_.t < segment_.t_end) {
    double t = outcome_.t;
    const int flag = IDASolve(ida_, segment_.t_end, &t, y_.get(), y_rate_.get(), IDA_ONE_STEP);
    if (flag < 0 || !all_finite(y)) {
      fail(outcome_, reason_of(flag));
      break;
    }
    step.t0 = outcome_.t;
    step.t1 = outcome_.t = flag == IDA_TSTOP_RETURN ? segment_.t_end : t;
    std::copy(y.begin(), y.end(), outcome_.y.begin());
    if (step.t0 < step.t1 && !finish_step(segment_, step, outcome_)) break;
    if (watch.stalls(step, segment_.t_end)) {
      fail(outcome_, kTooRough, kAtAnyStep);
      break;
    }
    IDAGetCurrentStep(ida_, &user_.h);
  }
  add_statistics();
  return 0;  // a multistep method starts anew with order 1
}

void Ida::add_statistics() {
  long errors = 0, failures = 0, iterations = 0, set_ups = 0;
  int order = 0;
  IDAGetNumErrTestFails(ida_, &errors);
  IDAGetNumNonlinSolvConvFails(ida_, &failures);
  IDAGetNumNonlinSolvIters(ida_, &iterations);
  IDAGetNumLinSolvSetups(ida_, &set_ups);
  IDAGetLastOrder(ida_, &order);
  Statistics& statistics = outcome_.statistics;
  statistics.rejected += errors + failures;
  statistics.iterations += iterations;
  statistics.factorizations += set_ups;
  statistics.order = std::max(statistics.order, order);
}

}  // namespace

double run_ida(const Segment& segment, Outcome& outcome) { return Ida(segment, outcome).run(); }

}  // namespace koppel

// BDF of variable order on ẏ = φ(t, y), by CVODE of SUNDIALS [Hindmarsh et al. 2005] with the exact
// Jacobian. That is dense, and so are its factors: for some hundred states and more, use a residual
// with radau5 or ida.
//
// CVODE itself projects every step onto the constraints, with its history consistent with that
// [Eich 1993].
#include <algorithm>
#include <cmath>

#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/explicit_system.hpp>
#include <koppel/integrate/sundials/handles.hpp>

namespace koppel {
namespace {

#if SUNDIALS_VERSION_MAJOR >= 7
bool silence(void*) { return true; }  // the context is silent
#else
bool silence(void* cvode) {
  const auto ignore = [](int, const char*, const char*, char*, void*) {};
  return CVodeSetErrHandlerFn(cvode, ignore, nullptr) == CV_SUCCESS;
}
#endif

// What CVODE's callbacks see.
struct User {
  const Segment& segment;
  Statistics& statistics;
  ExplicitSystem system;
  RightHandSide::Workspace work;  // for Jacobians
  std::vector<double> projected;  // of the problem's size
};

int evaluate_rates(double t, N_Vector y, N_Vector y_rate, void* data) {
  return static_cast<User*>(data)->system.rate(t, values_of(y), values_of(y_rate)) ? 0 : 1;
}

int evaluate_jacobian(double t, N_Vector y, N_Vector, SUNMatrix J, void* data, N_Vector, N_Vector,
                      N_Vector) {
  User& user = *static_cast<User*>(data);
  ++user.statistics.jacobians;
  const auto y_values = values_of(y);
  const std::span<double> by_y(SM_DATA_D(J), y_values.size() * y_values.size());
  return user.segment.problem.rhs->jacobian(t, y_values, by_y, user.work) ? 0 : 1;
}

int evaluate_weights(N_Vector y, N_Vector weights, void* data) {
  const IntegrateOptions& options = static_cast<User*>(data)->segment.options;
  const auto x = values_of(y), w = values_of(weights);
  for (std::size_t i = 0; i < x.size(); ++i) {
    w[i] = 1 / (options.tolerance * std::max(std::abs(x[i]), options.absolute_scale));
  }
  return all_finite(w) ? 0 : -1;
}

// The correction that takes y onto the constraints.
int project(double t, N_Vector y, N_Vector correction, double, N_Vector, void* data) {
  User& user = *static_cast<User*>(data);
  const auto x = values_of(y), c = values_of(correction);
  std::copy(x.begin(), x.end(), user.projected.begin());
  if (!user.system.project(t, user.projected)) return 1;
  for (std::size_t i = 0; i < x.size(); ++i) c[i] = user.projected[i] - x[i];
  return 0;
}

class CvodeStep : public Step {
 public:
  CvodeStep(void* cvode, N_Vector scratch, ExplicitSystem& system)
      : Step(0, 0), cvode_(cvode), scratch_(scratch), system_(system) {}
  void evaluate(double t, std::span<double> y) const override {
    evaluate_states(t, y);
    system_.solve_multipliers(t, y);
  }
  void evaluate_some(double t, std::span<const int> places, std::span<double> y) const override {
    system_.are_states(places) ? evaluate_states(t, y) : evaluate(t, y);
  }
  void evaluate_states(double t, std::span<double> y) const {
    CVodeGetDky(cvode_, t, 0, scratch_);
    const auto values = values_of(scratch_);
    std::copy(values.begin(), values.end(), y.begin());
  }

 private:
  void* cvode_;
  N_Vector scratch_;
  ExplicitSystem& system_;
};

std::string_view reason_of(int flag) {
  switch (flag) {
    case CV_CONV_FAILURE: return kNoConvergence;
    case CV_LSETUP_FAIL:
    case CV_LSOLVE_FAIL: return kSingular;
    case CV_ERR_FAILURE: return kTooRough;
    case CV_RHSFUNC_FAIL:
    case CV_FIRST_RHSFUNC_ERR:
    case CV_REPTD_RHSFUNC_ERR:
    case CV_UNREC_RHSFUNC_ERR: return kNoRates;
    case CV_PROJFUNC_FAIL:
    case CV_REPTD_PROJFUNC_ERR: return kNoProjection;
    default: return "CVODE gives up";
  }
}

class Cvode {
 public:
  Cvode(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        user_{segment, outcome.statistics, ExplicitSystem(segment, outcome.statistics),
              segment.problem.rhs->make_workspace(), std::vector<double>(outcome.y.size())},
        y_(make_sundials_vector(user_.system.size(), context_)),
        scratch_(make_sundials_vector(user_.system.size(), context_)),
        cvode_(CVodeCreate(CV_BDF, context_)) {
    const auto n = static_cast<sunindextype>(user_.system.size());
    J_.reset(SUNDenseMatrix(n, n, context_));
    solver_.reset(SUNLinSol_Dense(y_.get(), J_.get(), context_));
  }
  Cvode(const Cvode&) = delete;
  Cvode& operator=(const Cvode&) = delete;
  ~Cvode() { CVodeFree(&cvode_); }

  double run();

 private:
  bool set_up();
  void add_statistics();

  const Segment& segment_;
  Outcome& outcome_;
  User user_;
  SundialsContext context_;
  SundialsVector y_, scratch_;
  SundialsMatrix J_;
  SundialsSolver solver_;
  void* cvode_;
};

bool Cvode::set_up() {
  const bool ok = silence(cvode_) &&
                  CVodeInit(cvode_, evaluate_rates, outcome_.t, y_.get()) == CV_SUCCESS &&
                  CVodeSetUserData(cvode_, &user_) == CV_SUCCESS &&
                  CVodeWFtolerances(cvode_, evaluate_weights) == CV_SUCCESS &&
                  CVodeSetLinearSolver(cvode_, solver_.get(), J_.get()) == CV_SUCCESS &&
                  CVodeSetJacFn(cvode_, evaluate_jacobian) == CV_SUCCESS &&
                  CVodeSetStopTime(cvode_, segment_.t_end) == CV_SUCCESS &&
                  CVodeSetMaxNumSteps(cvode_, -1) == CV_SUCCESS &&
                  CVodeSetMaxStep(cvode_, segment_.options.max_step) == CV_SUCCESS;
  if (!ok || !user_.system.does_project()) return ok;
  return CVodeSetProjFn(cvode_, project) == CV_SUCCESS &&
         CVodeSetProjErrEst(cvode_, SUNFALSE) == CV_SUCCESS;
}

double Cvode::run() {
  const auto y = values_of(y_.get());
  const std::size_t n = y.size();
  std::copy_n(outcome_.y.begin(), n, y.begin());
  if (!set_up()) {
    fail(outcome_, "CVODE cannot be started");
    return 0;
  }
  CvodeStep step(cvode_, scratch_.get(), user_.system);
  StallWatch watch;
  while (outcome_.t < segment_.t_end) {
    double t = outcome_.t;
    const int flag = CVode(cvode_, segment_.t_end, y_.get(), &t, CV_ONE_STEP);
    if (flag < 0 || !all_finite(y)) {
      fail(outcome_, reason_of(flag));
      break;
    }
    step.t0 = outcome_.t;
    step.t1 = outcome_.t = flag == CV_TSTOP_RETURN ? segment_.t_end : t;
    std::copy(y.begin(), y.end(), outcome_.y.begin());
    user_.system.solve_multipliers(outcome_.t, outcome_.y);
    if (step.t0 < step.t1 && !finish_step(segment_, step, outcome_)) break;
    if (watch.stalls(step, segment_.t_end)) {
      fail(outcome_, kTooRough, kAtAnyStep);
      break;
    }
  }
  add_statistics();
  return 0;  // a multistep method starts anew with order 1
}

void Cvode::add_statistics() {
  long errors = 0, failures = 0, iterations = 0, set_ups = 0;
  int order = 0;
  CVodeGetNumErrTestFails(cvode_, &errors);
  CVodeGetNumNonlinSolvConvFails(cvode_, &failures);
  CVodeGetNumNonlinSolvIters(cvode_, &iterations);
  CVodeGetNumLinSolvSetups(cvode_, &set_ups);
  CVodeGetLastOrder(cvode_, &order);
  Statistics& statistics = outcome_.statistics;
  statistics.rejected += errors + failures;
  statistics.iterations += iterations;
  statistics.factorizations += set_ups;
  statistics.order = std::max(statistics.order, order);
}

}  // namespace

double run_cvode(const Segment& segment, Outcome& outcome) { return Cvode(segment, outcome).run(); }

}  // namespace koppel

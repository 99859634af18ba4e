// An importer of Model Exchange with a real solver: CVODE of SUNDIALS, step by step or from one
// time of communication to the next. Events are heeded or not.
#pragma once

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <stdexcept>
#include <vector>

#include "tests/export/fmu2.hpp"

namespace koppel::testing {

struct ImportOptions {
  int method = CV_BDF;  // or CV_ADAMS
  bool one_step = true;
  bool ends_steps = true;  // tells the FMU of completed steps, and heeds the events it asks for
  double tolerance = 1e-6;
  double end = 1;
  int num_communications = 100;  // where it does not go step by step
  long max_steps = 10'000'000;
};

struct Imported {
  long evaluations = 0, steps = 0, events = 0;
  std::vector<double> states;  // at the end
};

class CvodeImporter {
 public:
  CvodeImporter(Fmu2& fmu, const ImportOptions& options) : fmu_(fmu), options_(options) {
    EventInfo info{};
    check(fmu.call("fmi2EnterEventMode"));
    check(fmu.call("fmi2NewDiscreteStates", &info));
    check(fmu.call("fmi2EnterContinuousTimeMode"));
    size_ = count_states(fmu);
    SUNContext_Create(nullptr, &context_);
    y_ = N_VNew_Serial(static_cast<sunindextype>(size_), context_);
    check(fmu.call("fmi2GetContinuousStates", data(), size_));
    cvode_ = CVodeCreate(options.method, context_);
    check(CVodeInit(cvode_, rate, 0, y_));
    check(CVodeSStolerances(cvode_, options.tolerance, options.tolerance));
    check(CVodeSetUserData(cvode_, this));
    check(CVodeSetMaxNumSteps(cvode_, options.max_steps));
    check(CVodeSetMaxHnilWarns(cvode_, -1));
    const auto n = static_cast<sunindextype>(size_);
    matrix_ = SUNDenseMatrix(n, n, context_);
    solver_ = SUNLinSol_Dense(y_, matrix_, context_);
    check(CVodeSetLinearSolver(cvode_, solver_, matrix_));
    check(CVodeSetStopTime(cvode_, options.end));
  }
  CvodeImporter(const CvodeImporter&) = delete;
  CvodeImporter& operator=(const CvodeImporter&) = delete;
  ~CvodeImporter() {
    CVodeFree(&cvode_);
    SUNLinSolFree(solver_);
    SUNMatDestroy(matrix_);
    N_VDestroy(y_);
    SUNContext_Free(&context_);
  }

  Imported run() {
    double t = 0;
    for (int k = 1; t < options_.end; ++k) {
      const double next =
          options_.one_step ? options_.end : options_.end * k / options_.num_communications;
      if (CVode(cvode_, next, y_, &t, options_.one_step ? CV_ONE_STEP : CV_NORMAL) < 0) {
        throw std::runtime_error("CVODE gave up at t = " + std::to_string(t));
      }
      if (++out_.steps > options_.max_steps) throw std::runtime_error("too many steps");
      end_step(t);
    }
    out_.states.assign(data(), data() + size_);
    return out_;
  }

 private:
  static void check(int status) {
    if (status != 0) throw std::runtime_error("an importer's call failed");
  }
  static std::size_t count_states(const Fmu2& fmu) {
    std::size_t count = 0;
    for (const pugi::xml_node v : fmu.root().child("ModelVariables")) {
      if (v.child("Real").attribute("derivative")) ++count;
    }
    return count;
  }
  double* data() { return N_VGetArrayPointer(y_); }

  static int rate(double t, N_Vector y, N_Vector derivative, void* self) {
    auto& me = *static_cast<CvodeImporter*>(self);
    ++me.out_.evaluations;
    check(me.fmu_.call("fmi2SetTime", t));
    check(me.fmu_.call("fmi2SetContinuousStates", N_VGetArrayPointer(y), me.size_));
    return me.fmu_.call("fmi2GetDerivatives", N_VGetArrayPointer(derivative), me.size_);
  }

  void end_step(double t) {
    if (!options_.ends_steps && t < options_.end) return;
    check(fmu_.call("fmi2SetTime", t));
    check(fmu_.call("fmi2SetContinuousStates", data(), size_));
    if (!options_.ends_steps) return;
    int has_event = 0, terminate = 0;
    check(fmu_.call("fmi2CompletedIntegratorStep", 1, &has_event, &terminate));
    if (!has_event) return;
    ++out_.events;
    EventInfo info{};
    check(fmu_.call("fmi2EnterEventMode"));
    check(fmu_.call("fmi2NewDiscreteStates", &info));
    check(fmu_.call("fmi2EnterContinuousTimeMode"));
    if (!info.values_changed) return;
    check(fmu_.call("fmi2GetContinuousStates", data(), size_));
    check(CVodeReInit(cvode_, t, y_));
  }

  Fmu2& fmu_;
  ImportOptions options_;
  std::size_t size_ = 0;
  SUNContext context_ = nullptr;
  N_Vector y_ = nullptr;
  void* cvode_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver solver_ = nullptr;
  Imported out_;
};

}  // namespace koppel::testing

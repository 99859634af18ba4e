// One inverse simulation. For sources of this folder only.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/control/checks/inverse_health.hpp>
#include <koppel/control/checks/met_events.hpp>
#include <koppel/control/checks/solution_checks.hpp>
#include <koppel/control/inputs/row_correction.hpp>
#include <koppel/control/inverse.hpp>
#include <koppel/control/servo/flat.hpp>
#include <koppel/control/servo/reduced_servo.hpp>
#include <koppel/control/servo/servo_problem.hpp>
#include <koppel/simulate/assembled_model.hpp>
#include <koppel/simulate/sampler.hpp>

namespace koppel {

// Stage by stage.
class InverseRun {
 public:
  InverseRun(const Model& model, const InverseOptions& options, const SimulateCallbacks& callbacks)
      : model_(model), options_(options), callbacks_(callbacks), end_(options.end) {}

  Inverse go();

 private:
  void tell(std::string message);

  // In the coordinates asked for. Else in natural ones where the model has them: constant mass
  // matrices and quadratic constraints are the fewest operations. Methods that step do better with
  // angular velocities: the servo constraints determine those of a body that turns, and their
  // rates; vectors in it have further rates, which would be differences of steps.
  std::string coordinates() const;
  void prepare();
  void check_smoothness();
  void find_start();
  void tell_other_start();

  // Near a singular point derivatives are large, and steps in time fail: the first node is the
  // start.
  void leave_singular_start();

  // The start with what the references and the equations make of it.
  State consistent_start() const;

  // q, v and x of a point of the servo problem.
  void set_state(std::span<const double> y, State& state) const;
  void check_internal_dynamics();

  // Inputs as Taylor polynomials where they are algebraic; else splines through the rows.
  void verify_inputs();
  std::string reason(FlatSolution::Status status) const;

  // "'z0' is", "'l' and 'lambda of cable' are"
  std::string undetermined(const DaePoint& point, double tolerance) const;
  std::string undetermined_at_start() const;
  void follow();
  void stop();
  void follow_samples(Sampler& sampler);
  bool is_flat() const { return find_reduced_method(options_.method) == nullptr; }

  void choose_way();
  double step() const { return options_.step.value_or((end_ - now_.state.t) / 100); }

  Integrator integrator() const;
  void make_reduced();

  // Differences of differences of steps: at a high index round-off grows as they become shorter.
  std::string why_steps_fail(const Outcome& outcome) const;
  Observer observer(Sampler& sampler);
  void step_reduced(Sampler& sampler);
  void follow_bounded(Sampler& sampler);
  void integrate_internal(Sampler& sampler);
  void fail(std::string text);
  void fail_at(FlatSolution::Status status);
  // Whether the motion goes on: it has not jumped, or may.
  bool check_jump();

  // False: stop.
  bool check_row(std::span<const double> row);
  bool check_events(std::span<const double> row);

  // Of the equations of motion, where steps solved others in their place.
  void measure_residual();
  void judge();
  void summarize();

  // Of the bounded solution: what collocation of order 4 reaches with some hundred intervals.
  static constexpr double kBoundedTolerance = 1e-8;

  // How the solution is followed: sample by sample where it is algebraic; by Taylor series of the
  // servo problem, or integrators on its extension to index 1, where there are internal dynamics;
  // as a boundary value problem; or in steps of a reduced form.
  enum class Way { Samples, Series, Internal, Bounded, Steps } way_ = Way::Samples;

  const Model& model_;
  const InverseOptions& options_;
  const SimulateCallbacks& callbacks_;
  double end_;         // that can be reached
  std::string rough_;  // why it is before the end asked for
  Inverse out_;
  AssembledModel now_;  // at the model's start
  State start_;         // of the solution
  std::optional<ServoProblem> servo_;
  std::optional<FlatSolution> solution_;
  ReducedServo reduced_;  // where a method steps in time
  std::optional<SolutionChecks> checks_;
  std::optional<MetEvents> events_;
  std::optional<RowCorrection> correction_;
  std::optional<ResidualProbe> probe_;
  RowResidual residual_;  // that the probe found
  bool has_jumped_ = false;
  std::vector<double> q_;
};

}  // namespace koppel

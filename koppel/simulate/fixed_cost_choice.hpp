// Which coordinates and which integrator take steps of fixed cost, where the user leaves them open
// (`fixed-cost` in the place of the integrator's name): by measurement. Candidates run to the
// model's end with the step asked for, and are compared with an accurate run:
//
//   natural or joint coordinates, those first whose steps have fewer operations
//   rattle (order 2, keeps energy) first, unless something moves faster than the step; then
//   rosenbrock (order 2, L-stable) is
//
// Taken is the first one that holds (its run is `done`, health_watch.hpp) with errors below 1e-3 of
// the motion; else, of those that hold, one that is three times as accurate as those before it.
//
//   formulation                integrators
//   open, minimal              rattle, rosenbrock
//   ggl                        rattle, linear-implicit
//   index1                     rosenbrock, linear-implicit
//   any other                  linear-implicit
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

// `fixed-cost` where the integrator is open.
Integrator or_fixed_cost(const Integrator& integrator);

// A run of a method to the end, or as far as so many steps and so much time go.
struct MethodTrial : Method {
  double step = 0;
  double asked = 0;    // the end of the model's run
  double end = 0;      // the end of the trial
  double reached = 0;  // with results that count
  Outcome::Status status = Outcome::Status::Done;
  std::string text;         // why it is not done
  std::string subject;      // the part of the model that this is about, if any
  bool only_damps = false;  // it is doubtful for energy that is lost, and nothing else
  double position_violation = 0, velocity_violation = 0;
  double energy_error = 0;      // of the balance, over the energy that moved; NaN: there is none
  std::optional<double> error;  // against the accurate run (deviation.hpp), up to `compared`
  double compared = 0;
  const char* error_of = "outputs";  // energies, where there are no outputs

  bool holds() const { return status == Outcome::Status::Done; }
};
inline constexpr long kMaxTrialSteps = 1'000'000;
inline constexpr double kMaxTrialSeconds = 10;

// "10 s: done; outputs within 0.02 %, constraints within 3e-13, energy balance within 0.0044 %"
std::string describe(const MethodTrial& trial);

// Tries methods on one model against one accurate run, which is made when it is needed first.
class MethodTrials {
 public:
  // References to both are kept. `options` has the end and, for fixed steps, the step.
  MethodTrials(const Model& model, const SimulateOptions& options);

  // With coordinates and integrator of these options. Throws Error for what is wrong with the
  // model.
  MethodTrial run(const SimulateOptions& with);

 private:
  void find_reference();
  Sampling sampling() const;

  const Model& model_;
  const SimulateOptions& options_;
  double end_;  // how far trials go
  bool has_looked_ = false;
  std::optional<Trajectory> reference_;
};

struct MethodChoice {
  SimulateOptions options;          // what was asked for, with the choice
  MethodTrial trial;                // of the choice
  std::vector<MethodTrial> others;  // that were tried

  std::string text() const;  // in a sentence
};

// Throws Error `simulate.wrong-step` without step, and what simulate() does where no candidate can
// be tried.
MethodChoice choose_fixed_cost(const Model& model, const SimulateOptions& options);
// With that choice where `fixed-cost` was asked for; else as they are.
SimulateOptions with_fixed_cost(const Model& model, const SimulateOptions& options);

// The same with dop853 before the others, whose steps inside the step are accurate.
MethodChoice choose_accurate(const Model& model, const SimulateOptions& options);

// Where the choice does not hold: the longest shorter step at which one does, of 1, 2 and 5 times
// powers of ten; none, where a thousandth does not either, or looking takes too long.
std::optional<double> find_step_that_holds(const Model& model, SimulateOptions options);

}  // namespace koppel

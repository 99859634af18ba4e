// Methods side by side: coordinates × formulations × integrators × tolerances on one model, each by
// simulate(), against one reference.
//
//   Comparison c = compare(model, {.formulations = {"index1", "qr"}, .integrators = {"dop853"}});
//
// The reference is a run at a very tight tolerance; how far it can be trusted is how much a second
// one, a hundred times less tight, differs from it. Errors below that are not told apart. The error
// of a run is the largest deviation of an output at any sample, relative to the largest value of
// outputs of its unit. Pairs that make no sense are skipped with a word.
//
// A model that follows a signal (`tracking`) is compared with other ways to follow it
// (model/following_ways.hpp), by fixed-cost steps. There is no reference then: runs are judged by
// how they follow.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/simulate/following.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

struct CompareOptions {
  // Crossed. Empty: the coordinates that would be chosen, all formulations, and integrators of
  // different kinds.
  std::vector<std::string> coordinates, formulations, integrators;
  std::vector<double> tolerances = {1e-8};  // of adaptive steps
  std::vector<double> steps;                // of fixed ones; integrators that can, use them
  double end = 10;
  Projection projection = Projection::Full;
  double baumgarte = 0;  // as in SimulateOptions, for runs with a step
  int samples = 501;
  double max_seconds = 20;  // for one run
  Native native = Native::Auto;
  // Other models of the same mechanism, with outputs of the same names; each with the formulation
  // that is chosen for it.
  std::vector<const Model*> beside;

  // Throws Error for unknown names and for values that make no sense.
  void validate(const Model& model) const;
};

// One run and how it went.
struct Compared {
  std::string model;  // of those beside, or another way to follow; empty: the model itself
  std::string coordinates, formulation, integrator;
  double tolerance = 0, step = 0;                  // one of them is 0
  Outcome::Status status = Outcome::Status::Done;  // stopped: took too long
  std::string text;                                // why it did not come to the end, or is doubtful
  double reached = 0;
  double setup_seconds = 0, seconds = 0;
  long steps = 0, rejected = 0, evaluations = 0;
  double position_drift = 0, velocity_drift = 0;
  std::optional<double> energy_error;             // where energy is conserved
  std::optional<double> momentum_error;           // where a coordinate is cyclic (momentum.hpp)
  std::optional<double> error;                    // where there are outputs to compare
  std::vector<double> times, violations, errors;  // over time
  std::vector<Following> following;               // one for each tracking
};

struct Skipped {
  std::string coordinates, formulation, integrator, why;
};

struct Comparison {
  std::string model;
  double end = 0;
  std::string projection;
  std::string reference;       // what it is; empty: there is none
  double reference_error = 0;  // estimated
  std::vector<Compared> runs;  // by tolerance, those that came to the end first, the fastest first
  std::vector<Skipped> skipped;
  int recommended = -1;     // of runs: one that is done, in good health; −1: there is none
  std::string reason;       // in a sentence
  bool is_stopped = false;  // before all methods were tried
};

// `watch` is told before every run what it is; false stops the comparison.
Comparison compare(const Model& model, const CompareOptions& options,
                   const std::function<bool(const std::string&)>& watch = {});

// "qr/dop853", with model and coordinates where runs differ in them.
std::string label_of(const Compared& run, const Comparison& in);
// The same, with tolerance or step where the method has several.
std::string full_label_of(const Compared& run, const Comparison& in);

// A table for a terminal of 80 columns, what did not come to the end, and the recommendation.
std::string to_text(const Comparison& comparison);
std::string to_json(const Comparison& comparison);

// Columns over time: the violation of positions of every run.
Trajectory drift_of(const Comparison& comparison);
// Columns over digits, −log₁₀ of the error: seconds of every method. Empty with one tolerance.
Trajectory work_of(const Comparison& comparison);

}  // namespace koppel

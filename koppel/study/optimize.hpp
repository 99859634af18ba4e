// Parameters that make a criterion of a run as small as possible, within bounds and limits:
//
//   minimise  Σ minimize_i(θ)   over  low ≤ θ ≤ high   subject to  limits_k(θ) ≤ bound_k (1)
//
//   Optimum o = optimize(model, {.run = {.end = 2}, .minimize = {parse_criterion("F:max")},
//                                .over = {parse_range("a=0.3:0.5")}});
//   o.best.at[0];  o.best.value;
//
// by sequential quadratic programming [Kraft 1988] with exact gradients (sensitivity.hpp); where
// runs fail beside the way, on from the best point by the method of moving asymptotes [Svanberg
// 2002]. Both find a minimum near the start: several starts find others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <koppel/study/samples.hpp>
#include <koppel/study/sensitivity.hpp>

namespace koppel {

struct Limit {
  Criterion criterion;
  double bound = 0;
  bool is_upper = true;  // at most the bound; else at least
};
// "rod.angle:max <= 0.5", "F:min >= 0". Throws Error `study.bad-limit`, `study.bad-criterion`.
Limit parse_limit(const std::string& text);
std::string to_string(const Limit& limit);

struct OptimizeOptions {
  SimulateOptions run = {};
  std::vector<Criterion> minimize = {};  // their sum
  bool maximizes = false;                // it instead
  std::vector<Limit> limits = {};
  std::vector<Range> over = {};  // low and high of each parameter
  // The values of the model, and so many points of a Latin hypercube less one.
  std::size_t starts = 1;
  std::uint64_t seed = 1;
  int max_evaluations = 200;  // for each start
  double tolerance = 1e-6;    // of parameters, relative to their ranges

  // Throws Error `study.bad-option`, `study.bad-range`.
  void validate() const;
};

// One run with its derivatives, at a point.
struct Evaluation {
  std::vector<double> at;
  double value = 0;                               // of the goal; not finite: the run failed
  std::vector<double> gradient;                   // by the parameters
  std::vector<double> limits;                     // what is to be ≤ 0
  std::vector<std::vector<double>> limit_slopes;  // by the parameters
  std::string why;                                // it failed

  bool is_good() const { return why.empty(); }
};

struct Optimum {
  // How it ended: Converged, or the best point so far.
  enum class End { Converged, TooManyEvaluations, Stopped, Nothing } end = End::Nothing;
  std::vector<std::string> parameters;
  Evaluation first, best;  // of the model's values, and the best that keeps the limits
  bool is_feasible = false;
  long evaluations = 0, failures = 0;
  std::string failure;                 // the reason of the first
  std::vector<std::string> at_bounds;  // "a: low"
  std::vector<std::string> active;     // limits that are met with equality
  std::vector<std::string> missed;     // limits that are not kept, and by how much
  struct FromStart {
    std::vector<double> start, end;
    double value = 0;
    bool is_feasible = false, is_converged = false;
  };
  std::vector<FromStart> starts;
  // The largest derivative of (1) along a direction that bounds and active limits leave free, times
  // the range of its parameter: 0 at a minimum.
  double remaining_slope = 0;
  // Where slopes jump at the minimum, as those of |x| do at 0: what is left of them by the best
  // mean of the slopes on both sides. Looked for where a slope remains and no limit is active.
  std::optional<double> slope_at_kink;
};

struct OptimizeCallbacks {
  // After every evaluation; false stops.
  std::function<bool(const Evaluation&, long number)> evaluated;
  // What is known already of a point, from an optimisation that was interrupted.
  std::function<std::optional<Evaluation>(const std::vector<double>& at)> known;
};

// Whether the question makes sense: options, names of parameters and quantities. Throws Error as
// optimize() does, before anything runs.
void check_question(const Model& model, const std::vector<ParameterOrigin>& origins,
                    const OptimizeOptions& options);

// Throws as StudiedParameters and simulate() do for the model's own values; other points whose run
// fails are told in the result.
Optimum optimize(const Model& model, const std::vector<ParameterOrigin>& origins,
                 const OptimizeOptions& options, const OptimizeCallbacks& callbacks = {});
Optimum optimize(const Model& model, const OptimizeOptions& options,
                 const OptimizeCallbacks& callbacks = {});  // no parameter follows from others

const char* name_of(Optimum::End end);
std::string to_text(const Optimum& optimum, const OptimizeOptions& options);
std::string to_json(const Optimum& optimum, const OptimizeOptions& options);

}  // namespace koppel

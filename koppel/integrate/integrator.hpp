// Integrators: they advance a Problem from a start to an end, and know nothing of mechanics.
//
//   Outcome out = integrate(problem, "radau5", {0, y0}, 10, {.tolerance = 1e-8},
//                           [](const Step& step) { …; return true; });
//
// Where the problem has events, the integration ends with the first of them that happens, at any
// time within a step; integrate again to go on, from that point or another and with its sides.
//
// The observer sees every accepted step, with dense output of the integrator's own order, and may
// stop the integration by returning false. Breakpoints of the problem are hit exactly: the segments
// between them are integrated one after the other.
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/integrate/variant.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

struct Start {
  double t = 0;
  std::vector<double> y;        // consistent
  std::vector<int> sides = {};  // of the event functions, −1, 0 or 1; empty: as they are at y
  // Where the step that an event cut short would have ended: fixed-cost steps return to the clock.
  std::optional<double> tick = {};
};

class Step;

// Looks at a step before it is accepted. An integrator that can try a shorter one asks it, and
// tries; one that cannot leaves the judgement to the observer.
class StepJudge {
 public:
  virtual ~StepJudge() = default;
  virtual bool accepts(const Step& step) = 0;
};

struct IntegrateOptions {
  // Relative, and absolute for values below `absolute_scale`: |error_i| ≤ tolerance · max(|y_i|,
  // absolute_scale).
  double tolerance = 1e-8;
  double absolute_scale = 1;
  std::optional<double> step = {};  // fixed; adaptive where there is none
  double max_step = 0;              // 0: no limit
  long max_steps = 100'000'000;
  int order = 0;  // of Taylor series; 0: from the tolerance
  // After every step, for right-hand sides. Steps of fixed cost project once where this is not
  // None.
  Projection projection = Projection::Full;
  StepJudge* judge = nullptr;  // none: every step is good that the tolerance allows

  // Throws Error `integrate.bad-option` for values that make no sense.
  void validate() const;
};

// An accepted step, valid during the call of the observer.
class Step {
 public:
  Step(double from, double to) : t0(from), t1(to) {}
  virtual ~Step() = default;
  // y at t0 ≤ t ≤ t1; at both ends to round-off what the integrator has there.
  virtual void evaluate(double t, std::span<double> y) const = 0;
  // The unknowns at these places of y (in ascending order), as accurate as the step; the others may
  // be anything. For who needs few of them, often.
  virtual void evaluate_some(double t, std::span<const int> /*places*/, std::span<double> y) const {
    evaluate(t, y);
  }
  // y where a shorter step from t0 ends at t, for steps that can be taken at any length and whose
  // dense output is less accurate than they are. False: evaluate() is the best there is.
  virtual bool shorten(double /*t*/, std::span<double> /*y*/) const { return false; }
  // Of what evaluate() gives between the ends.
  virtual int order() const { return 3; }

  double t0, t1;
};

using Observer = std::function<bool(const Step&)>;

struct Statistics {
  long steps = 0, rejected = 0;
  long evaluations = 0;  // of the right-hand side, the residual, or of whole series
  long jacobians = 0, factorizations = 0, iterations = 0;
  int order = 0;  // the highest that was used
};

struct Outcome {
  enum class Status {
    Done,
    Stopped,   // by the observer
    Failed,    // see text
    Event,     // the problem's event `event`, and others of `sides`: t and y are just after
    Doubtful,  // came to its end, but should not be trusted: the verdict of who watched it
  };
  Status status = Status::Done;
  double t = 0;           // reached
  std::vector<double> y;  // there
  std::string text;       // what went wrong, in a sentence, and what may help
  int event = -1;
  std::vector<int> sides;  // of the event functions, at the end; −2 or 2: it has just happened
  std::optional<double> tick = {};  // where the fixed-cost step would have ended that an event cut
  bool is_singular = false;         // failed because a matrix is singular: other rows may serve
  Statistics statistics;
};

const char* name_of(Outcome::Status status);  // done, stopped, failed, doubtful; an event: done

struct Segment;  // segment.hpp

// Explicit Runge-Kutta steps of a right-hand side.
enum class ExplicitRule { None, Classical4, DormandPrince8 };

// A row of the table of integrators.
struct IntegratorInfo {
  std::string_view name;
  std::string_view description;
  enum class Form { RightHandSide, Residual, Series, Steps, FixedCost };
  Form form = Form::RightHandSide;
  int max_index = 0;  // of a residual
  bool has_fixed_step = true, has_adaptive_step = false;
  double (*run)(const Segment&, Outcome&) = nullptr;
  std::string_view formulation;  // that it is given where there are constraints, and none is named
  bool is_explicit = false;      // motions that die away fast limit the step
  bool is_stiff_solver = false;  // adaptive, and they do not
  StepRule rule = {};            // of steps
  ExplicitRule explicit_rule = ExplicitRule::None;
  bool is_backward_difference = false;  // converges where the index is above 3, too
  FixedCostOptions::Rule fixed_cost_rule = {};
  FixedCostOptions::Jacobian jacobian = FixedCostOptions::Jacobian::Exact;  // where none is named
  bool names_jacobian = false;  // its variants say what is kept of the Jacobian
  bool pulls_hands = false;     // steps that hold while hands pull (model/grip.hpp)
  ReadVariant read = read_no_variant;
  std::string_view variants = {};  // what may stand behind the name and a colon, for people
};
std::span<const IntegratorInfo> integrators();

// An integrator with its options, as a value: what "radau5", "generalized-alpha:0.5" or
// "linear-implicit:J2" says. Text is read where it is made, once.
class Integrator {
 public:
  Integrator() = default;  // open: to be chosen, as "" and "auto" say
  // Throws Error `integrate.unknown-integrator`, with a suggestion, and
  // `integrate.unknown-variant`.
  template <std::convertible_to<std::string_view> Text>
  Integrator(const Text& text) {  // NOLINT(google-explicit-constructor)
    read(text);
  }

  // To be chosen, and of those whose steps have a fixed cost where `fixed-cost` was said.
  bool is_open() const { return info_ == nullptr; }
  bool wants_fixed_cost() const { return wants_fixed_cost_; }
  const IntegratorInfo& info() const;  // of one that is not open
  bool is_fixed_cost() const {
    return !is_open() && info_->form == IntegratorInfo::Form::FixedCost;
  }
  bool is_series() const { return !is_open() && info_->form == IntegratorInfo::Form::Series; }
  // Explicit Runge-Kutta steps.
  bool has_stages() const { return !is_open() && info_->explicit_rule != ExplicitRule::None; }
  // The same that choose their steps.
  bool has_adaptive_stages() const { return has_stages() && info_->has_adaptive_step; }
  bool is(std::string_view name) const { return !is_open() && info_->name == name; }
  std::string text() const;  // empty where it is open

  IntegratorVariant variant;
  // Reads more of it, as behind a colon.
  void add_variant(std::string_view text);
  // Of fixed-cost steps, with the projection asked for.
  FixedCostOptions fixed_cost(Projection projection) const;

  bool operator==(const Integrator&) const = default;

 private:
  void read(std::string_view text);

  const IntegratorInfo* info_ = nullptr;
  bool wants_fixed_cost_ = false;
};
// One of those whose steps have a fixed cost, to be chosen.
inline constexpr std::string_view kFixedCost = "fixed-cost";

// The row of an integrator. Throws as Integrator does.
const IntegratorInfo& find_integrator(std::string_view text);
// Those with steps of fixed cost, for messages.
std::string names_of_fixed_cost();
// Whether the integrator can take the problem; else a sentence that says why not.
std::optional<std::string> why_not(const IntegratorInfo& integrator, const Problem& problem);

Outcome integrate(const Problem& problem, const Integrator& integrator, const Start& start,
                  double end, const IntegrateOptions& options = {}, const Observer& observer = {});

}  // namespace koppel

// TracedMotion: a run that can be differentiated. It remembers its steps, and sends changes through
// them forwards or weights backwards (step_map.hpp), through events too (jump_map.hpp).
//
//   TracedMotion motion(model, {.run = {.end = 10}, .outputs = {"bob.y"}, .times = {10}});
//   motion.samples()[0].values[0];                     // bob.y at 10 s
//   motion.backward(weights).given;                    // its derivatives by all parameters
//
// Steps are those of `dop853`, `rk4`, `taylor` or of fixed cost. Derivatives are those of the steps
// as they were taken, exact to round-off; they differ from those of the motion as the steps do, by
// the tolerance (step_map.hpp).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <koppel/base/matrix.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/extreme_search.hpp>
#include <koppel/study/jump_map.hpp>
#include <koppel/study/no_derivatives.hpp>
#include <koppel/study/state_tape.hpp>

namespace koppel {

// When an event happened, and what that time changes by in a direction.
struct EventTime {
  int event;  // its place among those of the equations
  double t;
  double change = 0;
};

// Two events that happened at once, and together (jump_map.hpp), and what the time from the first
// to the other changes by in a direction.
struct Coincidence {
  int first, other;
  double t;
  double change = 0;
};

struct TraceOptions {
  SimulateOptions run = {};
  std::vector<std::string> outputs = {};     // of the model, by name
  std::vector<std::size_t> integrated = {};  // of these outputs: ∫ dt over the run
  // Where they are sampled, ascending, beside the start and the end. Fixed-cost steps sample at the
  // nearest end of a step; or, without extremes, at those ends around each of the times that are
  // needed to interpolate (readings).
  std::vector<double> times = {};
  bool interpolates = false;
  // Of these outputs the largest (or smallest) values over the run: where they are is found, and
  // sampled too.
  std::vector<Extreme> extremes = {};
  // States that are kept at a time, in numbers (state_tape.hpp).
  std::size_t memory = StateTape::kMost;
};

class TracedMotion {
 public:
  // Throws as simulate() does, and Error `study.integrator`, `study.jump`.
  TracedMotion(const Model& given, const TraceOptions& options);
  // Of what is prepared already, without integrals and extremes.
  TracedMotion(Prepared prepared, const TraceOptions& options);
  ~TracedMotion();

  // How the run went; what follows is there when it is done or doubtful.
  Outcome::Status status() const { return status_; }
  const std::string& text() const { return text_; }
  const Choice& choice() const { return choice_; }
  const Equations& equations() const { return *equations_; }
  const State& start() const { return start_; }
  long num_steps() const;
  std::size_t bytes() const;  // what its states take while they are gone through
  double end() const { return end_; }
  bool is_ended_by_event() const;  // by one that stops the run
  const std::vector<std::string>& messages() const { return messages_; }

  // At a time, or the limit from before or after it: at an event, or the end that one makes, the
  // limits move with its time.
  enum class Side { At, Before, After };
  struct Sample {
    std::size_t stretch = 0, node = 0;
    double t = 0;
    Side side = Side::At;
    bool is_extreme = false;
    std::vector<double> values = {};  // of the outputs

    double clock() const;
  };
  // The start, those of the times asked for that were reached, extremes, and the end, ascending.
  const std::vector<Sample>& samples() const { return samples_; }
  // Where it interpolates, what is at each of these times: Σ wᵢ yᵢ of samples from the first on,
  // and the same sum of their changes. One sample, where a step ends then; between the ends of
  // fixed-cost steps the cubic through four of them, from one side of all events.
  struct Reading {
    double t;
    std::size_t first;
    std::vector<double> weights;
  };
  const std::vector<Reading>& readings() const { return readings_; }
  // Which samples are the extremes that were asked for.
  const std::vector<std::size_t>& extreme_samples() const { return extreme_samples_; }
  const std::vector<double>& integrals() const { return integrals_; }
  const std::vector<EventTime>& events() const { return events_; }  // that happened, in order
  const std::vector<Coincidence>& coincidences() const { return coincidences_; }
  // Throws Error `study.contradiction` and `study.integrator` where there are none
  // (no_derivatives.hpp).
  void refuse_without_derivatives(const NamedDirections& directions) const;
  // When rates jumped first at a switch of a law by the state.
  std::optional<double> first_jump() const { return first_jump_; }

  // A direction: changes of (q, v, x) at the start, and of parameters and inputs.
  struct Direction {
    std::vector<double> start, given;
  };
  struct Changes {
    std::vector<std::vector<double>> values;  // of the outputs at each sample
    std::vector<double> integrals;
    std::vector<double> events;  // of the times of events
    double end = 0;              // of the end of the run, where an event ends it
    std::vector<double> apart;   // of coincidences
  };
  std::vector<Changes> forward(const std::vector<Direction>& directions) const;

  // Weights of values at samples, of integrals and of the end; what they become at the start.
  struct Weights {
    struct OfValue {
      std::size_t sample, output;
      double weight;
    };
    std::vector<OfValue> values;
    std::vector<double> integrals;  // empty: none
    std::vector<double> events;     // of their times; empty: none
    double end = 0;
    std::vector<double> apart = {};  // of coincidences; empty: none
  };
  std::vector<Direction> backward(const std::vector<Weights>& weights) const;

  // The directions of changes ∂p/∂θ of the parameters, with what they make of the start
  // (start_tangent.hpp) of equations that the run is of.
  std::vector<Direction> directions(const Matrix& start_by_p,
                                    const std::vector<std::vector<double>>& of_parameters) const;

 private:
  struct Stretch;
  class Recording;
  class MovingStep;
  class FirstReactions;

  Shared<Equations> equations_;
  Choice choice_;
  State start_;
  Outcome::Status status_ = Outcome::Status::Done;
  std::string text_;
  std::vector<std::string> messages_;
  double end_ = 0;
  std::unique_ptr<StepMap> map_;
  std::optional<SolvedFunction> observation_;
  std::optional<SolvedFunction> reactions_;  // at the starts of stretches, where steps need them
  std::vector<std::unique_ptr<Stretch>> stretches_;
  std::vector<Sample> samples_;
  std::vector<Reading> readings_;
  std::size_t first_integral_ = 0;  // its place in y
  std::vector<std::size_t> extreme_samples_;
  std::vector<double> integrals_;
  std::vector<EventTime> events_;
  std::vector<Coincidence> coincidences_;
  std::optional<double> first_jump_;
  std::vector<State> passed_;       // singular configurations
  std::vector<SwitchTime> unseen_;  // that fixed-cost steps do not follow
};

std::vector<TracedMotion::Direction> make_directions(
    const Matrix& start_by_p, const std::vector<std::vector<double>>& of_parameters,
    const Equations& equations);

}  // namespace koppel

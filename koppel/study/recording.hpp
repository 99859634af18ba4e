// The run of a TracedMotion, as it is recorded. For sources of this folder only.
#pragma once

#include <koppel/study/switch_times.hpp>
#include <koppel/study/switch_watch.hpp>
#include <koppel/study/traced_motion.hpp>

namespace koppel {

// A part of the run between events.
struct TracedMotion::Stretch {
  Stretch(std::size_t size, std::vector<double> with, std::size_t memory)
      : given(std::move(with)), tape(size, memory) {}

  std::vector<double> given;  // parameters and inputs
  StateTape tape;
  std::optional<JumpMap> jump;  // by the event at its end
  std::vector<int> happened;    // the events
  bool ends = false;            // with the run

  // Its first ends of steps, that move by a part of the time of the event before it: fixed-cost
  // steps return to the clock. Changes there are as seen at times that stay, by these rates.
  struct Node {
    double part;
    std::vector<double> rates;
  };
  std::vector<Node> nodes;
  std::vector<double>
      reaction_drift;  // of its first reactions by time alone, where steps need them
  double part_of(std::size_t node) const { return node < nodes.size() ? nodes[node].part : 0; }

  // Samples at its time, on either side, move with it: their outputs' rates there.
  struct Moving {
    std::size_t sample;
    std::vector<double> rates;
  };
  std::vector<Moving> moving;
};

// The model with the integrals that are asked for as states.
Model with_integrals(Model model, const TraceOptions& options);

class TracedMotion::Recording {
 public:
  // References are kept.
  Recording(const Model& model, const TraceOptions& options);
  Recording(Prepared prepared, const TraceOptions& options);

  // Before another run: steps end at these places, and no others are looked for.
  void expect(std::span<const ExtremePlace> extremes);
  // Steps end at these times too.
  void add_nodes(std::span<const double> times);
  void run();
  // A time at which a switch was led over, where the run ended: it needs a node there.
  std::optional<double> missed() const { return missed_; }
  // For each of the extremes that were asked for.
  const std::vector<ExtremePlace>& extremes() const { return extremes_.places(); }
  bool has_node(const ExtremePlace& place) const;
  bool can_add_nodes() const { return !prepared_.choice.integrator.is_fixed_cost(); }
  // With samples at these places too.
  void hand_over(std::span<const ExtremePlace> extremes, TracedMotion& to);

 private:
  void make_map();
  void begin_stretch(double t, std::span<const double> y);
  bool note(const Step& step);
  std::span<const double> expansion_of(const Step& step);
  void look_for_extremes(const Step& step);
  void find_samples(std::span<const ExtremePlace> extremes, TracedMotion& to) const;
  Sample sample_at(const ExtremePlace& place) const;
  // Nodes of a stretch that tell what is at a time, whose nearest node is given.
  struct Window {
    double t;
    std::size_t stretch, first, count;
  };
  Window window_at(double t, std::size_t stretch, std::size_t nearest) const;
  void find_moving(const std::vector<Sample>& samples);
  // True where the motion goes on after an event.
  bool go_on(Outcome& outcome);
  // True where it may go on after these.
  bool pass(const std::vector<int>& happened, Outcome& outcome);
  JumpMap::Rates rates_function() const;
  // Of the end of the last step by its length, for fixed-cost steps.
  std::vector<double> rates_of_last_step();
  void find_moving_nodes(const Outcome& outcome);
  // At the time of a switch: changes go through it where the rates jump.
  void pass_time(const SwitchTime& at, Outcome& outcome);
  void formulate_anew();
  void take_state(const Outcome& outcome);
  State state_at(const Step& step, double t);
  void look_for_unseen(const Step& step);

  const TraceOptions& options_;
  Prepared prepared_;
  std::optional<Evaluator> evaluator_;  // where there are events
  std::unique_ptr<StepMap> map_;
  // Of fixed-cost steps where there are events.
  std::optional<SolvedFunction> rates_;
  std::optional<ProjectionMap> projection_;
  std::optional<SolvedFunction> switch_rates_;  // of fixed-cost steps that meet switches
  std::vector<double> step_start_;              // y where the last step began
  std::optional<SolvedFunction> reactions_;     // where fixed-cost steps depend on them
  std::optional<SolvedFunction> observation_;
  std::optional<SolvedFunction::Workspace> observed_;
  std::vector<std::unique_ptr<Stretch>> stretches_;
  State state_;  // at the beginning of the present stretch
  std::vector<double> y_, values_, coefficients_;
  ExtremeSearch extremes_;
  bool are_extremes_known_ = false;
  std::vector<SwitchTime> switches_, unseen_;  // by fixed-cost steps, where rates jump
  std::vector<State> passed_;                  // singular configurations
  std::vector<std::string> messages_;
  std::optional<double> first_jump_;
  std::optional<std::string> left_zero_;
  std::optional<MissedSwitches> missing_;
  std::optional<double> missed_;
  Outcome outcome_;
};

}  // namespace koppel

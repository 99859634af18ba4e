// Runs of the varied equations (varied_equations.hpp): derivatives by any integrator that the model
// can be integrated with, to its tolerance, one run for each direction. For sources of this folder
// only.
//
// Steps are as short as the motion and its change need. Where parameters are far from 1, so are
// changes: directions are scaled by who asks. Events act on changes by jump_map.hpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/study/observed.hpp>
#include <koppel/study/switch_times.hpp>
#include <koppel/study/switch_watch.hpp>
#include <koppel/study/traced_motion.hpp>
#include <koppel/study/varied_equations.hpp>

namespace koppel {

class VariedRun {
 public:
  // Of a model to which the integrals are added as states (traced_motion.hpp). References are
  // kept. Throws as prepare() does, and Error `study.integrator` for fixed-cost steps.
  VariedRun(const Model& model, const TraceOptions& options);

  const Prepared& prepared() const { return prepared_; }

  struct Result {
    Outcome::Status status = Outcome::Status::Done;
    std::string text;
    long steps = 0;
    double end = 0, end_change = 0;  // the latter where an event ends the run
    // Outputs and their changes at the times asked for that were reached, and at the end.
    std::vector<double> times;
    std::vector<std::vector<double>> values, changes;
    std::vector<double> integrals, integral_changes;
    std::vector<double> extremes, extreme_changes;
    std::vector<EventTime> events;
    std::vector<Coincidence> coincidences;
  };
  Result go(const TracedMotion::Direction& direction);

 private:
  void go_once(const TracedMotion::Direction& direction);
  void formulate_at(const State& state);
  Start start_at(const State& state);
  bool note(const Step& step);
  void sample(double t, std::span<const double> y);
  // At the end of a stretch, whose time changes by that much: extremes found there move with it,
  // as will those that are found at the beginning of the next.
  void move_extremes(double t, double change_of_time, std::span<const double> rates_before,
                     std::span<const double> before, std::span<const double> given_before);
  void begin_stretch(double t, double change_of_time, std::span<const double> rates_after,
                     std::span<const double> after, std::span<const double> given_after);
  bool go_on(Outcome& outcome);
  // False where the run ends.
  bool pass(const std::vector<int>& happened, Outcome& outcome);
  void pass_time(const SwitchTime& at, Outcome& outcome);
  JumpMap::Rates rates_function() const;
  std::vector<double> parts(std::span<const double> y, bool of_changes) const;
  std::span<const double> observe(double t, std::span<const double> y);

  const TraceOptions& options_;
  Prepared prepared_;
  Shared<Equations> varied_;
  std::optional<Evaluator> evaluator_;             // of the motion, where there are events
  std::optional<SolvedFunction> rates_, outputs_;  // of the motion, where its times may move
  std::optional<SolvedFunction> observed_, solution_;
  std::optional<SolvedFunction::Workspace> observing_;
  Problem problem_;
  State state_;  // of the motion, at the beginning of the present stretch
  std::vector<double> dp_, values_, y_, given_;
  std::optional<ExtremeSearch> extremes_;
  double stretch_start_ = 0;
  std::vector<double> shift_;  // of outputs at that time, as it moves; empty: it does not
  std::vector<SwitchTime> switches_;
  std::size_t next_time_ = 0;
  std::optional<std::string> left_zero_;
  std::optional<MissedSwitches> missing_;
  std::optional<double> missed_;
  std::vector<double> passed_;  // times of events and switches
  Result result_;
};

}  // namespace koppel

// One forward simulation. For sources of this folder only.
#pragma once

#include <optional>
#include <string>

#include <koppel/analysis/rank/kept_rows.hpp>
#include <koppel/results/health.hpp>
#include <koppel/simulate/health_watch.hpp>
#include <koppel/simulate/preparation.hpp>
#include <koppel/simulate/sampler.hpp>
#include <koppel/simulate/sampling_clock.hpp>

namespace koppel {

// Stage by stage.
class ForwardRun {
 public:
  // References to all of them are kept.
  ForwardRun(const Model& model, const SimulateOptions& options, const SimulateCallbacks& callbacks,
             const Controls& controls)
      : model_(model),
        options_(options),
        callbacks_(callbacks),
        controls_(controls),
        now_(model, options, [this](std::string text) { tell(std::move(text)); }) {}

  // Up to the integration.
  Prepared prepared();
  // Keeps a message, and passes it on.
  void tell(std::string message);
  Simulation go();

 private:
  void prepare();

  // Joints that the coordinates satisfy by themselves have no multipliers.
  void tell_missing_reactions();

  // The first samples of controllers. False: the run shall end.
  bool start_clock();

  // Where the integration has to stop next: just before a jump, at a sample, or at the end.
  double next_stop() const;

  // True where what is prescribed has jumped, and the motion goes on from there.
  bool go_on_after_jump(Outcome& outcome, Sampler& sampler);

  // True where a controller's sample is due, and the motion goes on from there.
  bool go_on_after_sample(Outcome& outcome, Sampler& sampler);

  // From now_.state, which is made consistent to round-off, after the controllers that are due.
  bool restart(Outcome& outcome, Sampler& sampler, const std::string& after);

  // Parts of a problem are compiled when they are first used. A first step that is thrown away
  // moves that out of the time of integration.
  void warm_up();
  void integrate_all();
  void note_events(const Outcome& outcome);
  void make_watch();
  // What the watch has found makes a run doubtful, or is why it failed.
  void take_verdict(Outcome& outcome);

  // The start itself, and the stretch that leads away from it where it is singular.
  bool begin(Sampler& sampler, const Observer& observer);
  IntegrateOptions integrate_options() const;
  void take_state(double t, std::span<const double> y);

  // True where an event happened and the motion goes on from there.
  bool go_on_after_event(Outcome& outcome, Sampler& sampler);

  // Whether so many events have happened within so little time that there is no end of it.
  bool repeats(double t) const;

  // Where constraints repeat each other, which of them can be left out may depend on the position.
  // True where others are left out now, and the integration can go on from where it failed.
  bool choose_rows_anew(const Outcome& outcome, Sampler& sampler);
  // Of constraints that repeat each other all along, those that are kept may come close to
  // depending on each other while others would not: steps shrink there, and the motion is lost.
  // Whether others serve better from the end of this step on.
  bool do_rows_fade(const Step& step);
  bool go_on_with_other_rows(const Outcome& outcome, Sampler& sampler);
  void leave_out_instead(RankReport rank, const Outcome& outcome, Sampler& sampler);

  // Whether all constraints depend on each other there, and not only those that are kept.
  bool is_singular(const Step& step, double t);
  void judge_wrong_ways(Outcome& outcome);
  // One more reason.
  void doubt(const Health::Reason& reason, Outcome& outcome);
  void note_undefined(const Sampler& sampler, Outcome& outcome);
  void check_derivatives() const;
  void summarize();

  const Model& model_;
  const SimulateOptions& options_;
  const SimulateCallbacks& callbacks_;
  const Controls& controls_;
  Simulation out_;
  Preparation now_;  // what is integrated, from its start on
  std::optional<HealthWatch> watch_;
  std::optional<SamplingClock> clock_;
  Statistics statistics_;
  int num_swaps_ = 0;                            // of constraints that are left out
  double chosen_pivot_ = 0;                      // of those that are kept, when they were chosen
  std::optional<RankReport> other_rows_;         // to leave out from here on
  KeptRows kept_rows_;
  std::optional<Health::Reason> jumping_event_;  // the first
};

}  // namespace koppel

// Where an integration has ended before its time and goes on: after an event or a jump of what is
// prescribed, or with other rows left out.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/impulse.hpp>
#include <koppel/analysis/motion/position_jump.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/simulate/angle_jumps.hpp>
#include <koppel/simulate/forward_run.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/problem_state.hpp>

namespace koppel {

bool ForwardRun::start_clock() {
  clock_.emplace(controls_, now_.equations, now_.state);
  if (clock_->is_empty()) return true;
  const bool goes_on = clock_->act(now_.state);
  now_.start.y = start_values(now_.problem, *now_.evaluator, now_.state);
  return goes_on;
}

double ForwardRun::next_stop() const {
  double stop = std::min(options_.end, clock_->next());
  for (const Jump& jump : now_.jumps) {
    if (jump.t <= now_.start.t) continue;
    stop = std::min(stop, std::nextafter(jump.t, now_.start.t));
    break;
  }
  return stop;
}

bool ForwardRun::go_on_after_sample(Outcome& outcome, Sampler& sampler) {
  if (outcome.status != Outcome::Status::Done || !(outcome.t < options_.end)) return false;
  if (clock_->next() > outcome.t) return false;
  take_state(outcome.t, outcome.y);
  return restart(outcome, sampler, "a controller's sample");
}

bool ForwardRun::go_on_after_jump(Outcome& outcome, Sampler& sampler) {
  if (outcome.status != Outcome::Status::Done || !(outcome.t < options_.end)) return false;
  double after = outcome.t;
  std::string moved;  // what changes positions
  for (const Jump& jump : now_.jumps) {
    if (std::nextafter(jump.t, now_.start.t) != outcome.t) continue;
    out_.summary.events.push_back({jump.name, time_to_tell(jump.t)});
    after = std::nextafter(jump.t, options_.end);
    if (jump.is_position) moved = jump.name;
  }
  if (after == outcome.t) return false;  // not at a jump
  take_state(outcome.t, outcome.y);
  if (moved.empty()) {
    now_.state.t = after;
    now_.state.v = velocities_after_jump(*now_.evaluator, now_.state);
    return restart(outcome, sampler, "the jump");
  }
  const Assembly assembly =
      assemble_after_jump(*now_.evaluator, place_bodies(model_, now_.equations), now_.state, after);
  if (!assembly) {
    outcome.status = Outcome::Status::Failed;
    outcome.text =
        fmt::format("the mechanism cannot follow the jump of '{}': {}", moved, assembly.text);
    return false;
  }
  now_.state = assembly.state;
  return restart(outcome, sampler, "the jump of '" + moved + "'");
}

bool ForwardRun::restart(Outcome& outcome, Sampler& sampler, const std::string& after) {
  if (!clock_->act(now_.state)) {
    outcome.status = Outcome::Status::Stopped;
    return false;
  }
  Projector::Workspace work = now_.problem.projector->make_workspace();
  if (!now_.problem.projector->project(now_.state.t, now_.state.q, now_.state.v, Projection::Full,
                                       work)) {
    outcome.status = Outcome::Status::Failed;
    outcome.text = fmt::format("the constraints cannot be satisfied after {}", after);
    return false;
  }
  now_.start = {now_.state.t, start_values(now_.problem, *now_.evaluator, now_.state),
                outcome.sides, outcome.tick};
  sampler.watch(now_.problem, now_.num_rows());
  watch_->expect_impulses(now_.impulses);
  watch_->go_on(now_.problem, now_.start.t, now_.start.y);
  return now_.start.t < options_.end;
}

void ForwardRun::take_state(double t, std::span<const double> y) {
  take_motion(now_.problem, t, y, now_.state);
}

bool ForwardRun::go_on_after_event(Outcome& outcome, Sampler& sampler) {
  if (outcome.status != Outcome::Status::Event) return false;
  const std::vector<Equations::Event>& events = now_.equations->events;
  const std::vector<int> happened = take_happened(outcome.sides);
  const std::string names = names_of(events, happened);
  bool stops = false, changes = false;
  take_state(outcome.t, outcome.y);
  const double t = time_to_tell(outcome.t);
  for (const int number : happened) {
    const Equations::Event& event = events[static_cast<std::size_t>(number)];
    if (!jumping_event_) {
      jumping_event_ = reason_of_jumping_event(now_.equations, event, now_.state);
    }
    out_.summary.events.push_back({event.name, t});
    stops = stops || event.stops;
    changes = changes || !event.changes.empty();
  }
  if (stops) {
    tell(fmt::format("{} ended the run at t = {:.8g} s.", names, outcome.t));
    return false;
  }
  const auto fail = [&](std::string text) {
    outcome.status = Outcome::Status::Failed;
    outcome.text = std::move(text);
    return false;
  };
  if (repeats(outcome.t)) {
    return fail(
        fmt::format("{} {} again and again: the impacts come to rest, and lasting contact is not "
                    "modelled; let the event stop the run, or use a contact force instead",
                    names, happened.size() == 1 ? "happens" : "happen"));
  }
  const State before = now_.state;
  if (auto problem = happen(happened, outcome.sides, *now_.evaluator, now_.state)) {
    return fail(std::move(*problem));
  }
  if (!clock_->call(happened, before, now_.state)) {
    outcome.status = Outcome::Status::Stopped;
    return false;
  }
  if (changes) {
    out_.observation->set_values(now_.state);
    try {
      now_.make_problem();
    } catch (const Error& error) {  // such as a drive that jumps, with the new values
      return fail(fmt::format("after {}: {}", names, error.what()));
    }
  }
  // An impact turns back to the side it came from.
  for (const int number : happened) {
    const auto i = static_cast<std::size_t>(number);
    if (events[i].restitution) outcome.sides[i] *= -1;
  }
  return restart(outcome, sampler, names);
}

bool ForwardRun::repeats(double t) const {
  constexpr std::size_t kMany = 100;
  constexpr double kSoon = 1e-6;  // of the run, for all of them
  const std::vector<Summary::Event>& events = out_.summary.events;
  return events.size() > kMany && t - events[events.size() - kMany].t < kSoon * options_.end;
}

bool ForwardRun::choose_rows_anew(const Outcome& outcome, Sampler& sampler) {
  if (outcome.status != Outcome::Status::Failed) return false;
  if (now_.rank.redundant_rows.empty() || outcome.t <= now_.start.t) return false;
  take_state(outcome.t, outcome.y);
  RankReport rank = analyze_rank(*now_.evaluator, now_.state);
  if (rank.redundant_rows == now_.rank.redundant_rows || rank.rank != now_.rank.rank) {
    return false;
  }
  leave_out_instead(std::move(rank), outcome, sampler);
  return true;
}

void ForwardRun::leave_out_instead(RankReport rank, const Outcome& outcome, Sampler& sampler) {
  constexpr int kMostTold = 3;
  if (++num_swaps_ <= kMostTold) {
    tell(fmt::format("at t = {:.6g} s other constraints became redundant and are left out.",
                     outcome.t));
  }
  // From a state that satisfies those that were left out to round-off, too.
  close_positions(*now_.evaluator, now_.state);
  now_.state.v = velocities_after_jump(*now_.evaluator, now_.state);
  now_.take(std::move(rank));
  now_.make_problem();
  now_.start.sides = outcome.sides;
  sampler.watch(now_.problem, now_.num_rows());
  watch_->go_on(now_.problem, now_.start.t, now_.start.y);
}

bool ForwardRun::do_rows_fade(const Step& step) {
  constexpr double kFaded = 0.2;      // of what it was when they were chosen
  constexpr double kBetter = 3.0;     // times
  constexpr double kMostOpen = 1e-3;  // a tenth of a pivot that is large enough
  constexpr int kMostSwaps = 1000;
  if (now_.rank.redundant_rows.empty() || num_swaps_ > kMostSwaps) return false;
  // The program of such a step has its rows once and for all.
  if (now_.choice.integrator.info().form == IntegratorInfo::Form::FixedCost) return false;
  if (now_.rank.rank == 0) return false;  // none is kept
  std::vector<double> y(static_cast<std::size_t>(now_.problem.size()));
  step.evaluate(step.t1, y);
  take_state(step.t1, y);
  const double pivot = kept_rows_.pivot(*now_.evaluator, now_.state, now_.rank.redundant_rows);
  if (chosen_pivot_ == 0) chosen_pivot_ = pivot;
  if (pivot > kFaded * chosen_pivot_) return false;
  // What the tolerance of the run leaves open of redundant rows makes them look independent.
  RankReport rank;
  for (double tolerance = 1e-8; tolerance < kMostOpen; tolerance *= 10) {
    rank = analyze_rank(*now_.evaluator, now_.state, {.tolerance = tolerance, .here_only = true});
    if (rank.rank <= now_.rank.rank) break;
  }
  if (rank.rank != now_.rank.rank || rank.redundant_rows == now_.rank.redundant_rows) return false;
  const double other = kept_rows_.pivot(*now_.evaluator, now_.state, rank.redundant_rows);
  if (other < kBetter * pivot) return false;
  chosen_pivot_ = other;
  other_rows_ = std::move(rank);
  return true;
}

bool ForwardRun::go_on_with_other_rows(const Outcome& outcome, Sampler& sampler) {
  if (!other_rows_ || outcome.status != Outcome::Status::Stopped) return false;
  take_state(outcome.t, outcome.y);
  RankReport rank = std::move(*other_rows_);
  other_rows_.reset();
  leave_out_instead(std::move(rank), outcome, sampler);
  return true;
}

bool ForwardRun::is_singular(const Step& step, double t) {
  if (now_.rank.redundant_rows.empty()) return true;
  std::vector<double> y(static_cast<std::size_t>(now_.problem.size()));
  const auto rank_at = [&](double time) {
    step.evaluate(time, y);
    take_state(time, y);
    return analyze_rank(*now_.evaluator, now_.state, {.here_only = true});
  };
  const RankReport there = rank_at(t), before = rank_at(step.t0);
  constexpr double kSmall = 0.2;  // the time of a passage is known to the tolerance only
  return there.rank < before.rank || there.smallest_pivot < kSmall * before.smallest_pivot;
}

}  // namespace koppel

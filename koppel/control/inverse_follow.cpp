// Following the solution of an inverse simulation: sample by sample, by series, in steps, or as a
// boundary value problem.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include <koppel/base/seconds_since.hpp>
#include <koppel/control/bounded/bounded.hpp>
#include <koppel/control/inverse_run.hpp>
#include <koppel/expr/code/native.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void InverseRun::follow() {
  const std::vector<Column>& columns = out_.observation->columns();
  out_.trajectory = Trajectory(columns);
  SimulateCallbacks callbacks = callbacks_;
  callbacks.row = [&](std::span<const double> row) {
    return check_row(row) && (!callbacks_.row || callbacks_.row(row));
  };
  Sampler sampler(*out_.observation, options_.sampling, now_.state.t, options_.end, callbacks,
                  out_.trajectory);
  if (callbacks_.begin) callbacks_.begin(columns);
  const bool is_reduced = way_ != Way::Samples && way_ != Way::Series;
  const Problem& problem = is_reduced ? reduced_.problem : servo_->problem;
  sampler.watch(problem, now_.num_rows());
  probe_.emplace(*now_.evaluator, start_, problem, servo_->problem.breakpoints);
  const Clock::time_point before = Clock::now();
  switch (way_) {
    case Way::Samples: follow_samples(sampler); break;
    case Way::Series: integrate_internal(sampler); break;
    case Way::Bounded: follow_bounded(sampler); break;
    case Way::Steps:
    case Way::Internal: step_reduced(sampler); break;
  }
  if (std::string text = take_native_failure(); !text.empty()) tell(std::move(text));
  if (!rough_.empty() && out_.status == Outcome::Status::Done) fail(rough_);
  out_.summary.wall_seconds = seconds_since(before);
  out_.summary.max_position_violation = sampler.violation_at_steps().position;
  out_.summary.max_velocity_violation = sampler.violation_at_steps().velocity;
}

void InverseRun::stop() {
  if (out_.status == Outcome::Status::Done) out_.status = Outcome::Status::Stopped;
}

void InverseRun::follow_samples(Sampler& sampler) {
  std::vector<double> y(static_cast<std::size_t>(servo_->problem.size()));
  long count = 0;
  const auto residual_every = static_cast<long>(1 + sampler.times().size() / 200);
  for (const double t : sampler.times()) {
    if (t < solution_->time()) continue;
    if (t > end_) break;
    if (const FlatSolution::Status status = solution_->move_to(t);
        status != FlatSolution::Status::Ok) {
      return fail_at(status);
    }
    if (!check_jump()) return;
    solution_->get(y);
    // Enough of them to see, few enough to cost nothing.
    if (count % residual_every == 0) checks_->note_residual(solution_->point());
    (*correction_)(t, y);
    if (!sampler.add_row(t, y)) return stop();
    ++count;
    if (callbacks_.progress && !callbacks_.progress({t, options_.end, count})) return stop();
  }
}

bool InverseRun::check_jump() {
  if (!solution_->jump() || has_jumped_) return true;
  const FlatSolution::MotionJump& jump = *solution_->jump();
  has_jumped_ = true;
  std::string text = fmt::format(
      "the motion that has the prescribed outputs jumps at t = {:.6g} s, '{}' by {:.3g}: at index "
      "{} it depends on derivatives of forces, and these are not smooth enough there. The inputs "
      "would need an impulse.",
      jump.t, servo_->problem.labels[jump.place], jump.size, servo_->index);
  if (options_.across_jumps) {
    tell(std::move(text));
    return true;
  }
  fail(std::move(text));
  return false;
}

std::string InverseRun::why_steps_fail(const Outcome& outcome) const {
  if (reduced_.index <= 3) return outcome.text + '.';
  return fmt::format(
      "a step fails. The method '{}' leaves index {} of the {} of this problem, where round-off "
      "grows as 1/h^{}: take a longer `step`, a lower order, or the method flat or "
      "minimal-extension:twice.",
      options_.method, reduced_.index, servo_->index, reduced_.index - 1);
}

Observer InverseRun::observer(Sampler& sampler) {
  return [&](const Step& step) {
    const CorrectedStep corrected(step, *correction_);
    probe_->look_at(corrected);
    return sampler(corrected);
  };
}

void InverseRun::step_reduced(Sampler& sampler) {
  std::vector<double> first = reduced_.start;
  (*correction_)(start_.t, first);
  if (!sampler.begin(start_.t, first)) return stop();
  IntegrateOptions options;
  options.tolerance = options_.tolerance;
  if (way_ == Way::Steps || options_.step) options.step = step();
  options.projection = Projection::None;
  out_.summary.integrator = integrator().text();
  out_.summary.step = options.step.value_or(0);
  const Outcome outcome = integrate(reduced_.problem, integrator(), {start_.t, reduced_.start},
                                    end_, options, observer(sampler));
  out_.summary.steps = outcome.statistics.steps;
  out_.summary.order = outcome.statistics.order;
  if (outcome.status == Outcome::Status::Stopped) return stop();
  if (outcome.status == Outcome::Status::Failed) {
    sampler.finish(outcome.t, outcome.y);
    fail(why_steps_fail(outcome));
  }
}

void InverseRun::follow_bounded(Sampler& sampler) {
  std::vector<double> times = {start_.t};
  for (const double t : sampler.times()) {
    if (t > times.back() && t < end_) times.push_back(t);
  }
  times.push_back(end_);
  const BoundedSolution found = solve_bounded(reduced_, times, kBoundedTolerance);
  if (!found.is_found) return fail("the bounded solution cannot be found: " + found.text + '.');
  out_.summary.integrator = "collocation";
  out_.summary.steps = found.num_intervals;
  out_.summary.order = 4;
  tell(
      fmt::format("the bounded solution leaves the equilibrium along {} unstable motions and "
                  "returns along {} stable ones; its error is estimated as {:.2g}.",
                  found.num_unstable, found.num_stable, found.error));
  set_state(found.y.front(), start_);
  for (std::size_t n = 0; n < found.t.size(); ++n) {
    if (!std::binary_search(times.begin(), times.end(), found.t[n])) continue;
    std::vector<double> y = found.y[n];
    (*correction_)(found.t[n], y);
    if (!sampler.add_row(found.t[n], y)) return stop();
  }
}

void InverseRun::integrate_internal(Sampler& sampler) {
  std::vector<double> y(static_cast<std::size_t>(servo_->problem.size()));
  solution_->get(y);
  (*correction_)(start_.t, y);
  if (!sampler.begin(start_.t, y)) return stop();
  const Outcome outcome = integrate(servo_->problem, "taylor", {start_.t, y}, end_,
                                    {.tolerance = options_.tolerance}, observer(sampler));
  out_.summary.integrator = "taylor";
  out_.summary.steps = outcome.statistics.steps;
  out_.summary.order = outcome.statistics.order;
  if (outcome.status == Outcome::Status::Stopped) return stop();
  if (outcome.status == Outcome::Status::Failed) {
    fail(fmt::format("the internal dynamics cannot be integrated: {}.", outcome.text));
  }
}

void InverseRun::fail(std::string text) {
  out_.status = Outcome::Status::Failed;
  out_.text = std::move(text);
}

void InverseRun::fail_at(FlatSolution::Status status) {
  fail(
      fmt::format("the prescribed motion leads to a singular point at t = {:.6g} s, where {} not "
                  "determined ({}).",
                  solution_->time(), undetermined(solution_->point(), 1e-3), reason(status)));
}

bool InverseRun::check_events(std::span<const double> row) {
  const std::optional<std::string> met = events_->look_at(row);
  if (!met) return true;
  std::string text = fmt::format(
      "event '{}' happens by t = {:.6g} s, and the inputs are computed without what it changes.",
      *met, row[0]);
  if (options_.across_jumps) {
    tell(std::move(text));
    return true;
  }
  fail(text + " The results end there.");
  return false;
}

bool InverseRun::check_row(std::span<const double> row) {
  if (!check_events(row)) return false;
  q_.clear();
  for (const std::size_t column : out_.observation->columns_of_q()) q_.push_back(row[column]);
  const std::optional<std::string> wrong = checks_->check(row[0], q_);
  if (!wrong) return true;
  const bool is_first = out_.trajectory.num_rows() == 1;
  fail(*wrong + (is_first ? " Give starting values near the branch that is meant." : ""));
  return false;
}

}  // namespace koppel

#include <koppel/control/inverse_run.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/seconds_since.hpp>
#include <koppel/control/checks/verdict.hpp>
#include <koppel/control/inputs/shared_pieces.hpp>
#include <koppel/control/servo/assumptions.hpp>
#include <koppel/control/servo/internal_dynamics.hpp>
#include <koppel/control/servo/singular_start.hpp>
#include <koppel/control/servo/smoothness.hpp>
#include <koppel/equations/derive.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;

template <typename Items>
std::string join(const Items& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "'" : ", '") + std::string(item) + "'";
  return out;
}

}  // namespace

Inverse InverseRun::go() {
  const Clock::time_point start = Clock::now();
  prepare();
  check_smoothness();
  solution_.emplace(*servo_, end_);
  find_start();
  if (servo_->num_free > 0) check_internal_dynamics();
  choose_way();
  out_.observation.emplace(out_.equations, model_, now_.state);
  out_.observation->add_inputs(out_.equations);
  checks_.emplace(out_.equations, *servo_, now_.state.p);
  events_.emplace(out_.equations, *out_.observation, start_);
  correction_.emplace(InputSharing(*now_.evaluator, *servo_, start_));
  if (reduced_.index == 1 && way_ != Way::Bounded) {
    correction_->solve_rows(reduced_.problem, end_);
  }
  out_.summary.setup_seconds = seconds_since(start);
  if (callbacks_.chosen) callbacks_.chosen({});
  follow();
  measure_residual();
  if (options_.verify) verify_inputs();
  judge();
  summarize();
  return std::move(out_);
}

void InverseRun::tell(std::string message) {
  if (callbacks_.message) callbacks_.message(message);
  out_.summary.messages.push_back(std::move(message));
}

std::string InverseRun::coordinates() const {
  if (!options_.coordinates.empty() && options_.coordinates != "auto") {
    return options_.coordinates;
  }
  const std::vector<std::string> sets = coordinate_sets(model_);
  const bool has_natural = std::find(sets.begin(), sets.end(), "natural") != sets.end();
  return has_natural && is_flat() ? "natural" : sets[0];
}

void InverseRun::prepare() {
  now_.assemble(model_, coordinates());
  out_.equations = now_.equations;
  servo_.emplace(make_servo_problem(now_.independent, now_.state, {.native = options_.native},
                                    {now_.state.t, options_.end}));
}

void InverseRun::check_smoothness() {
  const Equations& e = out_.equations;
  for (const ReferenceJump& jump :
       find_jumps(e, now_.state.p, servo_->problem.breakpoints, servo_->order_of_reference,
                  now_.state.t, options_.end)) {
    const int needed = servo_->order_of_reference[jump.servo];
    const std::string text = describe(jump, e.s[jump.servo].name, needed, servo_->index);
    if (jump.order == needed) {
      tell(text);
      continue;
    }
    if (!options_.across_jumps) {
      end_ = jump.t;
      rough_ = text;
      return;
    }
    tell(text + " What is computed after that time belongs to a state that was reached by it.");
  }
}

void InverseRun::find_start() {
  FlatSolution::Status status = solution_->start(*now_.evaluator, now_.state, end_);
  if (status == FlatSolution::Status::Singular || solution_->time() > now_.state.t) {
    FlatSolution moving(*servo_, end_);
    const State guess = with_rates_of_references(*now_.evaluator, now_.state);
    if (moving.start(*now_.evaluator, guess, guess.t) == FlatSolution::Status::Ok) {
      now_.state = guess;
      status = solution_->start(*now_.evaluator, now_.state, end_);
    }
  }
  if (status != FlatSolution::Status::Ok) {
    std::string subject;
    if (const std::string why =
            describe_singular_start(*servo_, *now_.evaluator, now_.state, &subject);
        status == FlatSolution::Status::Singular && !why.empty()) {
      throw Error("control.no-relative-degree", why,
                  "Begin where inputs move the outputs, prescribe another output, or add an "
                  "input, as a hoist.")
          .about(subject);
    }
    throw Error("control.no-start",
                fmt::format("no motion of '{}' near its start has the prescribed outputs: {}.",
                            model_.name, reason(status)),
                "Give starting values near those that the references need.");
  }
  if (solution_->time() > now_.state.t) {
    if (!is_flat()) leave_singular_start();
    tell(
        fmt::format("the equations are singular at t = {:.6g} s, where {} not determined; the "
                    "results begin at t = {:.6g} s.",
                    now_.state.t, undetermined_at_start(), solution_->time()));
  }
  start_ = consistent_start();
  out_.start = start_;
  tell_other_start();
}

// Outputs follow their references from the start on, whatever initial values say.
void InverseRun::tell_other_start() {
  constexpr double kMet = 1e-6;
  constexpr int kMost = 3;
  std::vector<Expr> residuals;
  for (const Equations::Wish& wish : out_.equations->wishes) residuals.push_back(wish.residual);
  if (residuals.empty()) return;
  const std::vector<double> off = VectorFunction(out_.equations, residuals)(start_);
  std::string names;
  int count = 0;
  for (std::size_t i = 0; i < off.size(); ++i) {
    const Equations::Wish& wish = out_.equations->wishes[i];
    if (!wish.fixed || !(std::abs(off[i]) > kMet)) continue;
    if (++count <= kMost) {
      names += fmt::format("{}'{}' by {:.3g}", names.empty() ? "" : ", ", wish.name, off[i]);
    }
  }
  if (count == 0) return;
  if (count > kMost) names += fmt::format(" and {} more", count - kMost);
  tell("the motion that has the prescribed outputs does not start at the initial values: " + names +
       " away from them.");
}

void InverseRun::leave_singular_start() {
  const double first = std::min(now_.state.t + step(), end_);
  if (const FlatSolution::Status status = solution_->move_to(first);
      status != FlatSolution::Status::Ok) {
    throw Error("control.no-start",
                fmt::format("the motion of '{}' begins at a singular point and cannot be "
                            "followed to the first step at t = {:.6g} s: {}.",
                            model_.name, first, reason(status)),
                "Use the method flat, or another step.");
  }
}

State InverseRun::consistent_start() const {
  std::vector<double> y(static_cast<std::size_t>(servo_->problem.size()));
  solution_->get(y);
  State state = now_.state;
  state.t = solution_->time();
  set_state(y, state);
  return state;
}

void InverseRun::set_state(std::span<const double> y, State& state) const {
  const auto q = servo_->problem.q(y), v = servo_->problem.v(y);
  state.q.assign(q.begin(), q.end());
  state.v.assign(v.begin(), v.end());
  const auto x = y.subspan(q.size() + v.size(), now_.state.x.size());
  state.x.assign(x.begin(), x.end());
}

void InverseRun::check_internal_dynamics() {
  const InternalDynamics found = find_internal_dynamics(*servo_, solution_->point());
  out_.summary.internal_eigenvalues = found.eigenvalues;
  const std::string what = describe(found);
  if (options_.bounded && is_flat()) return tell(what + ": the bounded solution is looked for.");
  if (found.is_unstable()) {
    throw Error("control.unstable-internal-dynamics",
                what + ": they are unstable, and the inputs would grow without bound.",
                "Prescribe another output, nearer to where the inputs act, or ask for the "
                "bounded solution: `bounded`.");
  }
  tell(what + (found.is_marginal() ? ": they neither grow nor die away."
                                   : ": they are stable, and are integrated from the start."));
}

void InverseRun::verify_inputs() {
  if (out_.trajectory.num_rows() < 2) return;
  const double end = out_.trajectory.time().back();
  InputPieces pieces;
  State start = start_;
  std::string advice;
  if (is_flat() && servo_->num_free == 0) {
    constexpr int kTerms = 12;
    FlatSolution again(*servo_, end, kTerms);
    if (again.start(*now_.evaluator, now_.state, end) == FlatSolution::Status::Ok) {
      start.t = again.time();
      pieces = correction_->sharing().is_needed()
                   ? shared_pieces(*servo_, *now_.evaluator, start, correction_->sharing(), end)
                   : pieces_of(again, servo_->problem.num_u, servo_->problem.breakpoints, end);
    }
  } else {
    std::vector<std::vector<double>> values;
    for (std::size_t i = 0; i < out_.equations->u.size(); ++i) {
      const auto column = out_.trajectory.column(out_.observation->first_input() + i);
      values.emplace_back(column.begin(), column.end());
    }
    pieces = splines_through(out_.trajectory.time(), values);
    advice = is_flat() ? fmt::format(
                             "The inputs were taken as splines through {} rows: ask for "
                             "more `samples`.",
                             out_.trajectory.num_rows())
                       : "Take a shorter `step`, or the method flat.";
  }
  const double bound = options_.health.loosen * (is_flat() ? kVerified : kVerifiedSteps);
  Verification& v = out_.summary.verification.emplace(
      find_verdict(model_, out_, now_.rank, start, pieces, end, bound));
  v.advice = advice;
}

std::string InverseRun::reason(FlatSolution::Status status) const {
  switch (status) {
    case FlatSolution::Status::Singular: return "the equations are singular";
    case FlatSolution::Status::NotFinite: return "a value is not a finite number";
    default: return "Newton's method does not converge";
  }
}

std::string InverseRun::undetermined(const DaePoint& point, double tolerance) const {
  const Regularity found = check_regularity(servo_->dae, servo_->structure, point, tolerance);
  if (found.unknowns.empty()) return "the unknowns are";
  return join(found.unknowns) + (found.unknowns.size() == 1 ? " is" : " are");
}

std::string InverseRun::undetermined_at_start() const {
  return undetermined(make_point(servo_->dae, *now_.evaluator, now_.state), 1e-9);
}

void InverseRun::choose_way() {
  const Integrator& by = options_.integrator;
  if (!is_flat()) {
    way_ = Way::Steps;
  } else if (servo_->num_free == 0) {
    way_ = Way::Samples;
  } else if (options_.bounded) {
    way_ = Way::Bounded;
  } else {
    way_ = by.is_open() || by.is_series() ? Way::Series : Way::Internal;
  }
  if (way_ == Way::Steps || way_ == Way::Bounded || way_ == Way::Internal) make_reduced();
}

Integrator InverseRun::integrator() const {
  return options_.integrator.is_open() ? "implicit-euler" : options_.integrator;
}

void InverseRun::make_reduced() {
  const ReducedMethod& method =
      is_flat() ? most_general_method() : *find_reduced_method(options_.method);
  reduced_ = make_reduced_servo(now_.independent, method, start_, *servo_, *solution_,
                                {.native = options_.native});
  if (method.has_assumptions) {
    for (std::string& text : violated_assumptions(now_.independent, start_, *servo_, *solution_)) {
      tell(std::move(text));
    }
  }
  if (way_ == Way::Bounded) return;
  if (const auto why = why_not(integrator().info(), reduced_.problem)) {
    throw Error("control.wrong-integrator", *why + ".",
                "Use implicit-euler, bdf2, bdf3, bdf4, bdf5, radau5 or midpoint.");
  }
  if (reduced_.index > 3 && !integrator().info().is_backward_difference) {
    throw Error("control.wrong-integrator",
                fmt::format("the method '{}' leaves index {} of the {} of this problem; '{}' does "
                            "not converge above 3.",
                            method.name, reduced_.index, servo_->index, integrator().text()),
                "Use implicit-euler or bdf2 to bdf5; or the method flat or "
                "minimal-extension:twice, at any index.");
  }
}

void InverseRun::measure_residual() {
  InverseSummary& s = out_.summary;
  s.max_servo_error = checks_->max_servo_error();
  s.max_residual = checks_->max_residual();
  if (way_ == Way::Samples || way_ == Way::Bounded) return;
  residual_ = probe_->find();
  s.relative_residual = residual_.relative;
  s.max_residual = std::max(
      {residual_.largest, s.max_servo_error, s.max_position_violation, s.max_velocity_violation});
}

void InverseRun::judge() {
  if (!options_.health.is_watched || out_.status == Outcome::Status::Stopped) return;
  Health& health = out_.summary.health;
  health.reasons = exceeded_limits(
      {residual_, out_.summary.max_servo_error, checks_->time_of_servo_error(),
       path_length(out_.equations, start_.p, start_.t, end_), out_.summary.verification},
      options_.health.loosen);
  if (options_.health.judges_one_way && out_.status == Outcome::Status::Done) {
    const std::vector<Excess> beyond = find_limit_violations(out_.equations, out_.trajectory);
    if (const auto reason = reason_of_limits(beyond)) health.reasons.push_back(*reason);
    const std::vector<Excess> pushing = find_pushing_cables(out_.equations, out_.trajectory);
    if (const auto reason = reason_of_wrong_way(pushing)) health.reasons.push_back(*reason);
  }
  for (const Health::Reason& reason : health.reasons) {
    out_.text += (out_.text.empty() ? "" : " ") + reason.text;
  }
  if (out_.status == Outcome::Status::Failed) {
    health.state = Health::State::Failed;
  } else if (health.reasons.empty()) {
    health.state = Health::State::Good;
  } else {
    health.state = Health::State::Doubtful;
    out_.status = Outcome::Status::Doubtful;
  }
}

void InverseRun::summarize() {
  InverseSummary& s = out_.summary;
  s.model = model_.name;
  s.status = name_of(out_.status);
  s.start = now_.state.t;
  s.end = options_.end;
  s.dof = now_.rank.degrees_of_freedom;
  s.index = servo_->index;
  s.internal_dynamics = servo_->num_free;
  s.coordinates = out_.equations->coordinates;
  s.method = is_flat() ? "flat" : options_.method;
  if (is_flat() && servo_->num_free == 0) {
    s.steps = solution_->num_steps();
    s.order = solution_->order();
  }
  describe(out_.trajectory, out_.equations, s);
  s.unavoidable = correction_->unavoidable();
  for (const Excess& e : s.unavoidable) tell(describe_unavoidable(e));
  if (const std::string& why = correction_->sharing().obstacle();
      !why.empty() && !(s.limit_violations.empty() && s.pushing_cables.empty())) {
    tell("the inputs are shared out without regard to their limits: " + why + ".");
  }
  for (const Excess& e : s.limit_violations) tell(describe_limit_violation(e));
  for (const Excess& e : s.pushing_cables) tell(describe_pushing_cable(e));
}

}  // namespace koppel

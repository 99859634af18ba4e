#include <koppel/control/inverse.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/bounded/bounded.hpp>
#include <koppel/control/checks/inverse_health.hpp>
#include <koppel/control/checks/solution_checks.hpp>
#include <koppel/control/checks/verdict.hpp>
#include <koppel/control/inputs/row_correction.hpp>
#include <koppel/control/inputs/shared_pieces.hpp>
#include <koppel/control/servo/assumptions.hpp>
#include <koppel/control/servo/flat.hpp>
#include <koppel/control/servo/internal_dynamics.hpp>
#include <koppel/control/servo/reduced_servo.hpp>
#include <koppel/control/servo/servo_problem.hpp>
#include <koppel/control/servo/singular_start.hpp>
#include <koppel/control/servo/smoothness.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/simulate/sampler.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

const char* name_of(Outcome::Status status) {
  switch (status) {
    case Outcome::Status::Done: return "done";
    case Outcome::Status::Doubtful: return "doubtful";
    case Outcome::Status::Event:  // servo problems have none
    case Outcome::Status::Stopped: return "stopped";
    case Outcome::Status::Failed: return "failed";
  }
  return "";
}

template <typename Items>
std::string join(const Items& items) {
  std::string out;
  for (const auto& item : items) out += (out.empty() ? "'" : ", '") + std::string(item) + "'";
  return out;
}

// One inverse simulation, stage by stage.
class Run {
 public:
  Run(const Model& model, const InverseOptions& options, const SimulateCallbacks& callbacks)
      : model_(model), options_(options), callbacks_(callbacks), end_(options.end) {}

  Inverse go() {
    const Clock::time_point start = Clock::now();
    prepare();
    check_smoothness();
    solution_.emplace(*servo_, end_);
    find_start();
    if (servo_->num_free > 0) check_internal_dynamics();
    choose_way();
    out_.observation.emplace(out_.equations, model_, state_);
    out_.observation->add_inputs(out_.equations);
    checks_.emplace(out_.equations, *servo_, state_.p);
    correction_.emplace(InputSharing(*evaluator_, *servo_, start_));
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

 private:
  void tell(std::string message) {
    if (callbacks_.message) callbacks_.message(message);
    out_.summary.messages.push_back(std::move(message));
  }

  // In the coordinates asked for. Else in natural ones where the model has them: constant mass
  // matrices and quadratic constraints are the fewest operations. Methods that step do better with
  // angular velocities: the servo constraints determine those of a body that turns, and their
  // rates; vectors in it have further rates, which would be differences of steps.
  std::string coordinates() const {
    if (!options_.coordinates.empty() && options_.coordinates != "auto") {
      return options_.coordinates;
    }
    const std::vector<std::string> sets = coordinate_sets(model_);
    const bool has_natural = std::find(sets.begin(), sets.end(), "natural") != sets.end();
    return has_natural && is_flat() ? "natural" : sets[0];
  }

  void prepare() {
    out_.equations = derive(model_, coordinates());
    evaluator_.emplace(out_.equations);
    const Assembly assembly =
        assemble(*evaluator_, place_bodies(model_, out_.equations.coordinates));
    if (!assembly) throw Error("assembly.impossible", assembly.text);
    state_ = assembly.state;
    rank_ = analyze_rank(*evaluator_, state_);
    servo_.emplace(make_servo_problem(out_.equations, state_, rank_.redundant_rows,
                                      {.native = options_.native}));
  }

  std::size_t num_rows() const { return out_.equations.g.size() + out_.equations.mu.size(); }

  void check_smoothness() {
    const Equations& e = out_.equations;
    for (const Jump& jump : find_jumps(e, state_.p, servo_->problem.breakpoints,
                                       servo_->order_of_reference, state_.t, options_.end)) {
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

  void find_start() {
    const FlatSolution::Status status = solution_->start(*evaluator_, state_, end_);
    if (status != FlatSolution::Status::Ok) {
      if (const std::string why = describe_singular_start(*servo_, *evaluator_, state_);
          status == FlatSolution::Status::Singular && !why.empty()) {
        throw Error("control.no-relative-degree", why,
                    "Begin where inputs move the outputs, prescribe another output, or add an "
                    "input, as a hoist.");
      }
      throw Error("control.no-start",
                  fmt::format("no motion of '{}' near its start has the prescribed outputs: {}.",
                              model_.name, reason(status)),
                  "Give starting values near those that the references need.");
    }
    if (solution_->time() > state_.t) {
      if (!is_flat()) leave_singular_start();
      tell(
          fmt::format("the equations are singular at t = {:.6g} s, where {} not determined; the "
                      "results begin at t = {:.6g} s.",
                      state_.t, undetermined_at_start(), solution_->time()));
    }
    start_ = consistent_start();
    out_.start = start_;
  }

  // Near a singular point derivatives are large, and steps in time fail: the first node is the
  // start.
  void leave_singular_start() {
    const double first = std::min(state_.t + step(), end_);
    if (const FlatSolution::Status status = solution_->move_to(first);
        status != FlatSolution::Status::Ok) {
      throw Error("control.no-start",
                  fmt::format("the motion of '{}' begins at a singular point and cannot be "
                              "followed to the first step at t = {:.6g} s: {}.",
                              model_.name, first, reason(status)),
                  "Use the method flat, or another step.");
    }
  }

  // The start with what the references and the equations make of it.
  State consistent_start() const {
    std::vector<double> y(static_cast<std::size_t>(servo_->problem.size()));
    solution_->get(y);
    State state = state_;
    state.t = solution_->time();
    set_state(y, state);
    return state;
  }

  // q, v and x of a point of the servo problem.
  void set_state(std::span<const double> y, State& state) const {
    const auto q = servo_->problem.q(y), v = servo_->problem.v(y);
    state.q.assign(q.begin(), q.end());
    state.v.assign(v.begin(), v.end());
    const auto x = y.subspan(q.size() + v.size(), state_.x.size());
    state.x.assign(x.begin(), x.end());
  }

  void check_internal_dynamics() {
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

  // Inputs as Taylor polynomials where they are algebraic; else splines through the rows.
  void verify_inputs() {
    if (out_.trajectory.num_rows() < 2) return;
    const double end = out_.trajectory.time().back();
    InputPieces pieces;
    State start = start_;
    std::string advice;
    if (is_flat() && servo_->num_free == 0) {
      constexpr int kTerms = 12;
      FlatSolution again(*servo_, end, kTerms);
      if (again.start(*evaluator_, state_, end) == FlatSolution::Status::Ok) {
        start.t = again.time();
        pieces = correction_->sharing().is_needed()
                     ? shared_pieces(*servo_, *evaluator_, start, correction_->sharing(), end)
                     : pieces_of(again, servo_->problem.num_u, servo_->problem.breakpoints, end);
      }
    } else {
      std::vector<std::vector<double>> values;
      for (const Expr& u : out_.equations.u) {
        const auto column = out_.trajectory[u.name()];
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
        find_verdict(model_, out_, rank_, start, pieces, end, bound));
    v.advice = advice;
  }

  std::string reason(FlatSolution::Status status) const {
    switch (status) {
      case FlatSolution::Status::Singular: return "the equations are singular";
      case FlatSolution::Status::NotFinite: return "a value is not a finite number";
      default: return "Newton's method does not converge";
    }
  }

  // "'z0' is", "'l' and 'lambda of cable' are"
  std::string undetermined(const DaePoint& point, double tolerance) const {
    const Regularity found = check_regularity(servo_->dae, servo_->structure, point, tolerance);
    if (found.unknowns.empty()) return "the unknowns are";
    return join(found.unknowns) + (found.unknowns.size() == 1 ? " is" : " are");
  }
  std::string undetermined_at_start() const {
    return undetermined(make_point(servo_->dae, *evaluator_, state_), 1e-9);
  }

  void follow() {
    const std::vector<Column>& columns = out_.observation->columns();
    out_.trajectory = Trajectory(columns);
    SimulateCallbacks callbacks = callbacks_;
    callbacks.row = [&](std::span<const double> row) {
      return check_row(row) && (!callbacks_.row || callbacks_.row(row));
    };
    Sampler sampler(*out_.observation, options_.sampling, state_.t, options_.end, callbacks,
                    out_.trajectory);
    if (callbacks_.begin) callbacks_.begin(columns);
    std::vector<int> kept;
    for (int i = 0; i < static_cast<int>(num_rows()); ++i) {
      const auto& out = rank_.redundant_rows;
      if (!std::binary_search(out.begin(), out.end(), i)) kept.push_back(i);
    }
    const bool is_reduced = way_ != Way::Samples && way_ != Way::Series;
    sampler.watch(is_reduced ? reduced_.problem : servo_->problem, kept, num_rows());
    std::vector<std::string> units;
    for (std::size_t i = 0; i < out_.equations.num_v() + out_.equations.x.size(); ++i) {
      units.push_back(columns[out_.observation->first_velocity() + i].unit);
    }
    probe_.emplace(*evaluator_, start_, is_reduced ? reduced_.problem : servo_->problem, kept,
                   std::move(units), servo_->problem.breakpoints);
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

  void stop() {
    if (out_.status == Outcome::Status::Done) out_.status = Outcome::Status::Stopped;
  }

  void follow_samples(Sampler& sampler) {
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
      solution_->get(y);
      // Enough of them to see, few enough to cost nothing.
      if (count % residual_every == 0) checks_->note_residual(solution_->point());
      (*correction_)(t, y);
      if (!sampler.add_row(t, y)) return stop();
      ++count;
      if (callbacks_.progress && !callbacks_.progress({t, options_.end, count})) return stop();
    }
  }

  bool is_flat() const { return !is_reduced_method(options_.method); }

  void choose_way() {
    const std::string& by = options_.integrator;
    if (!is_flat()) {
      way_ = Way::Steps;
    } else if (servo_->num_free == 0) {
      way_ = Way::Samples;
    } else if (options_.bounded) {
      way_ = Way::Bounded;
    } else {
      way_ = by.empty() || by == "taylor" ? Way::Series : Way::Internal;
    }
    if (way_ == Way::Steps || way_ == Way::Bounded || way_ == Way::Internal) make_reduced();
  }

  double step() const { return options_.step.value_or((end_ - state_.t) / 100); }

  std::string integrator() const {
    return options_.integrator.empty() ? "implicit-euler" : options_.integrator;
  }

  void make_reduced() {
    const std::string method = is_flat() ? "minimal-extension:twice" : options_.method;
    reduced_ = make_reduced_servo(out_.equations, method, start_, *servo_, *solution_,
                                  {.native = options_.native});
    if (method == "minimal-extension") {
      for (std::string& text : violated_assumptions(out_.equations, start_, *servo_, *solution_)) {
        tell(std::move(text));
      }
    }
    if (way_ == Way::Bounded) return;
    if (const auto why = why_not(find_integrator(integrator()), reduced_.problem)) {
      throw Error("control.wrong-integrator", *why + ".",
                  "Use implicit-euler, bdf2, bdf3, bdf4, bdf5, radau5 or midpoint.");
    }
    if (reduced_.index > 3 && (integrator() == "radau5" || integrator() == "midpoint")) {
      throw Error(
          "control.wrong-integrator",
          fmt::format("the method '{}' leaves index {} of the {} of this problem; '{}' does "
                      "not converge above 3.",
                      method, reduced_.index, servo_->index, integrator()),
          "Use implicit-euler or bdf2 to bdf5; or the method flat or "
          "minimal-extension:twice, at any index.");
    }
  }

  // Differences of differences of steps: at a high index round-off grows as they become shorter.
  std::string why_steps_fail(const Outcome& outcome) const {
    if (reduced_.index <= 3) return outcome.text + '.';
    return fmt::format(
        "a step fails. The method '{}' leaves index {} of the {} of this problem, where round-off "
        "grows as 1/h^{}: take a longer `step`, a lower order, or the method flat or "
        "minimal-extension:twice.",
        options_.method, reduced_.index, servo_->index, reduced_.index - 1);
  }

  Observer observer(Sampler& sampler) {
    return [&](const Step& step) {
      const CorrectedStep corrected(step, *correction_);
      probe_->look_at(corrected);
      return sampler(corrected);
    };
  }

  void step_reduced(Sampler& sampler) {
    std::vector<double> first = reduced_.start;
    (*correction_)(start_.t, first);
    if (!sampler.begin(start_.t, first)) return stop();
    IntegrateOptions options;
    options.tolerance = options_.tolerance;
    if (way_ == Way::Steps || options_.step) options.step = step();
    options.projection = Projection::None;
    out_.summary.integrator = integrator();
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

  void follow_bounded(Sampler& sampler) {
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

  void integrate_internal(Sampler& sampler) {
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

  void fail(std::string text) {
    out_.status = Outcome::Status::Failed;
    out_.text = std::move(text);
  }

  void fail_at(FlatSolution::Status status) {
    fail(
        fmt::format("the prescribed motion leads to a singular point at t = {:.6g} s, where {} not "
                    "determined ({}).",
                    solution_->time(), undetermined(solution_->point(), 1e-3), reason(status)));
  }

  // False: stop.
  bool check_row(std::span<const double> row) {
    q_.clear();
    for (const std::size_t column : out_.observation->columns_of_q()) q_.push_back(row[column]);
    const std::optional<std::string> wrong = checks_->check(row[0], q_);
    if (!wrong) return true;
    const bool is_first = out_.trajectory.num_rows() == 1;
    fail(*wrong + (is_first ? " Give starting values near the branch that is meant." : ""));
    return false;
  }

  // Of the equations of motion, where steps solved others in their place.
  void measure_residual() {
    InverseSummary& s = out_.summary;
    s.max_servo_error = checks_->max_servo_error();
    s.max_residual = checks_->max_residual();
    if (way_ == Way::Samples || way_ == Way::Bounded) return;
    residual_ = probe_->find();
    s.relative_residual = residual_.relative;
    s.max_residual = std::max(
        {residual_.largest, s.max_servo_error, s.max_position_violation, s.max_velocity_violation});
  }

  void judge() {
    if (!options_.health.is_watched || out_.status == Outcome::Status::Stopped) return;
    Health& health = out_.summary.health;
    health.reasons = exceeded_limits(
        {residual_, out_.summary.max_servo_error, checks_->time_of_servo_error(),
         path_length(out_.equations, start_.p, start_.t, end_), out_.summary.verification},
        options_.health.loosen);
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

  void summarize() {
    InverseSummary& s = out_.summary;
    s.model = model_.name;
    s.status = name_of(out_.status);
    s.start = state_.t;
    s.end = options_.end;
    s.dof = rank_.degrees_of_freedom;
    s.index = servo_->index;
    s.internal_dynamics = servo_->num_free;
    s.coordinates = out_.equations.coordinates;
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

  // Of the bounded solution: what collocation of order 4 reaches with some hundred intervals.
  static constexpr double kBoundedTolerance = 1e-8;

  // How the solution is followed: sample by sample where it is algebraic; by Taylor series of the
  // servo problem, or integrators on its extension to index 1, where there are internal dynamics;
  // as a boundary value problem; or in steps of a reduced form.
  enum class Way { Samples, Series, Internal, Bounded, Steps } way_ = Way::Samples;

  const Model& model_;
  const InverseOptions& options_;
  const SimulateCallbacks& callbacks_;
  double end_;         // that can be reached
  std::string rough_;  // why it is before the end asked for
  Inverse out_;
  std::optional<Evaluator> evaluator_;
  State state_;  // the model's start
  State start_;  // the start of the solution
  RankReport rank_;
  std::optional<ServoProblem> servo_;
  std::optional<FlatSolution> solution_;
  ReducedServo reduced_;  // where a method steps in time
  std::optional<SolutionChecks> checks_;
  std::optional<RowCorrection> correction_;
  std::optional<ResidualProbe> probe_;
  RowResidual residual_;  // that the probe found
  std::vector<double> q_;
};

}  // namespace

Inverse inverse(const Model& model, const InverseOptions& options,
                const SimulateCallbacks& callbacks) {
  options.validate();
  return Run(model, options, callbacks).go();
}

}  // namespace koppel

#include <koppel/simulate/compare.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/units.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/following_ways.hpp>
#include <koppel/simulate/deviation.hpp>
#include <koppel/simulate/momentum.hpp>

namespace koppel {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kTightest = 1e-14, kNearlyTightest = 1e-12;
constexpr double kShort = 0.1;  // seconds
constexpr int kRepetitions = 2;
constexpr double kUntrusted = 1e-3;  // two tight runs that differ by more tell nothing
constexpr double kUseless = 0.1;     // a run with a larger error shows another motion

// A method to try, and on what.
struct Candidate : Method {
  const Model* model = nullptr;
  double tolerance = 0, step = 0;
  std::string way = {};  // to follow a signal, in place of the model's own
};

SimulateOptions simulate_options(const CompareOptions& options, const Candidate& method) {
  SimulateOptions out;
  out.end = options.end;
  out.coordinates = method.coordinates;
  out.formulation = method.formulation;
  out.integrator = method.integrator;
  out.projection = options.projection;
  out.health.judges_one_way = false;
  if (method.tolerance > 0) out.tolerance = method.tolerance;
  if (method.step > 0) {
    out.step = method.step;
    out.baumgarte = options.baumgarte;
  }
  out.sampling.count = options.samples;
  out.native = options.native;
  return out;
}

double greatest(const std::vector<double>& x) {
  return x.empty() ? 0 : *std::max_element(x.begin(), x.end());
}

class Comparer {
 public:
  Comparer(const Model& model, const CompareOptions& options,
           const std::function<bool(const std::string&)>& watch)
      : model_(model), options_(options), watch_(watch) {}

  Comparison go() {
    out_.model = model_.name;
    out_.end = options_.end;
    out_.projection = name_of(options_.projection);
    try {
      const bool follows = !model_.tracking.empty();
      if (!follows) find_reference();
      for (const Candidate& method : follows ? ways_to_follow() : methods()) {
        if (out_.is_stopped || !tell(describe(method))) throw Stopped{};
        try_method(method);
      }
    } catch (const Stopped&) {
      out_.is_stopped = true;
    }
    sort();
    recommend();
    return std::move(out_);
  }

 private:
  // False: stop.
  bool tell(const std::string& what) {
    doing_ = what;
    return !watch_ || watch_(what);
  }

  static std::string describe(const Candidate& m) {
    return fmt::format("{} {} {}", m.coordinates, m.formulation.text(), m.integrator.text());
  }

  // Stops what takes too long, and what nobody waits for any more.
  SimulateCallbacks limited(double seconds) {
    SimulateCallbacks callbacks;
    callbacks.progress = [this, start = Clock::now(), asked = 0.0,
                          seconds](const Progress&) mutable {
      constexpr double kAskEvery = 0.1;  // seconds
      const double now = std::chrono::duration<double>(Clock::now() - start).count();
      if (now - asked > kAskEvery) {
        asked = now;
        if (!tell(doing_)) out_.is_stopped = true;
      }
      return now < seconds && !out_.is_stopped;
    };
    return callbacks;
  }

  std::optional<Simulation> run_reference(const char* formulation, const char* integrator,
                                          double tolerance) {
    CompareOptions with = options_;
    with.projection = Projection::Full;
    try {
      Simulation s = simulate(
          model_, simulate_options(with, {{"", formulation, integrator}, &model_, tolerance, 0}),
          limited(3 * options_.max_seconds));
      if (s.status == Outcome::Status::Done) return s;
    } catch (const Error&) {
      // Not every model has one of this kind.
    }
    return {};
  }

  // A series where the motion has one, else what is chosen for it.
  void find_reference() {
    if (!tell("reference")) {
      out_.is_stopped = true;
      return;
    }
    const std::pair<const char*, const char*> kinds[] = {{"", "taylor"}, {"", ""}};
    for (const auto& [formulation, integrator] : kinds) {
      if (out_.is_stopped) return;
      auto tight = run_reference(formulation, integrator, kTightest);
      if (!tight) continue;
      const auto other = run_reference(formulation, integrator, kNearlyTightest);
      if (!other || !share_outputs(tight->trajectory, tight->trajectory)) continue;
      out_.reference = fmt::format("{}/{} at tolerance {:g}", tight->choice.formulation.text(),
                                   tight->choice.integrator.text(), kTightest);
      out_.reference_error = greatest(deviations(other->trajectory, tight->trajectory));
      reference_ = std::move(tight->trajectory);
      return;
    }
  }

  std::vector<std::string> formulations_to_try() const {
    if (!options_.formulations.empty()) return options_.formulations;
    std::vector<std::string> out;
    for (const FormulationInfo& info : formulations()) out.emplace_back(info.name);
    return out;
  }

  // Those of them that this build has.
  static std::vector<std::string> usual_integrators() {
    std::vector<std::string> out;
    for (const char* const name : {"taylor", "dop853", "radau5", "ida"}) {
      const auto has_name = [&](const IntegratorInfo& info) { return info.name == name; };
      if (std::ranges::any_of(koppel::integrators(), has_name)) out.emplace_back(name);
    }
    return out;
  }

  std::vector<Candidate> methods() const {
    std::vector<std::string> sets = options_.coordinates, integrators = options_.integrators;
    if (sets.empty()) sets = {choose_coordinates(model_, {})};
    if (integrators.empty()) integrators = usual_integrators();
    if (options_.integrators.empty() && !options_.steps.empty()) integrators.emplace_back("rk4");
    std::vector<Candidate> out;
    const auto add = [&](Candidate method) {
      const IntegratorInfo& info = method.integrator.info();
      if (info.has_adaptive_step) {
        for (const double tolerance : options_.tolerances) {
          method.tolerance = tolerance;
          out.push_back(method);
        }
      }
      method.tolerance = 0;
      if (!info.has_fixed_step) return;
      for (const double step : options_.steps) {
        method.step = step;
        out.push_back(method);
      }
      if (options_.steps.empty() && !info.has_adaptive_step) out.push_back(method);
    };
    for (const std::string& set : sets) {
      for (const std::string& formulation : formulations_to_try()) {
        for (const std::string& integrator : integrators) {
          add({{set, formulation, integrator}, &model_});
        }
      }
    }
    for (const Model* other : options_.beside) {
      for (const std::string& integrator : integrators) add({{"", {}, integrator}, other});
    }
    return out;
  }

  // The model's own and the others, by each fixed-cost integrator that is asked for.
  std::vector<Candidate> ways_to_follow() {
    const SimulateOptions usual = options_of(model_);
    std::vector<std::string> sets = options_.coordinates, integrators = options_.integrators;
    std::vector<std::string> formulations = options_.formulations;
    std::vector<double> steps = options_.steps;
    if (sets.empty()) sets = {usual.coordinates};
    if (formulations.empty()) formulations = {usual.formulation.text()};
    if (integrators.empty()) integrators = {usual.integrator.text()};
    if (steps.empty()) steps = {usual.step.value_or(1e-3)};
    const std::vector<double> masses = effective_masses(model_, sets[0]);
    std::vector<Candidate> out;
    const auto add = [&](const Model& model, const std::string& way, double step) {
      models_.push_back(std::make_unique<Model>(model));
      show_following(*models_.back(), model_);
      for (const std::string& set : sets) {
        for (const std::string& formulation : formulations) {
          for (const std::string& integrator : integrators) {
            out.push_back({{set, formulation, integrator}, models_.back().get(), 0, step, way});
          }
        }
      }
    };
    for (const double step : steps) {
      add(model_, "", step);
      for (const FollowingWay way : kFollowingWays) {
        try {
          add(following_by(model_, way, step, masses), name_of(way), step);
        } catch (const Error& error) {
          out_.skipped.push_back({"", name_of(way), "", error.diagnostics()[0].message});
        }
      }
    }
    return out;
  }

  void try_method(const Candidate& method) {
    const std::string name = method.way + "/" + method.coordinates + "/" +
                             method.formulation.text() + "/" + method.integrator.text();
    if (refused_.contains(name)) return;
    try {
      SimulateOptions with = simulate_options(options_, method);
      if (!model_.tracking.empty()) with.sampling.every_step = true;
      // What another way does badly is shown.
      if (!method.way.empty()) with.health.is_watched = false;
      Compared result =
          result_of(method, simulate(*method.model, with, limited(options_.max_seconds)));
      if (out_.is_stopped) return;
      // What else the computer does falsifies short times; the shortest of some is right.
      for (int k = 0; k < kRepetitions && result.seconds < kShort; ++k) {
        const Simulation again = simulate(*method.model, with);
        result.seconds = std::min(result.seconds, again.summary.wall_seconds);
        result.setup_seconds = std::min(result.setup_seconds, again.summary.setup_seconds);
      }
      out_.runs.push_back(std::move(result));
    } catch (const Error& error) {
      refused_.insert(name);
      out_.skipped.push_back({method.coordinates, method.formulation.text(),
                              method.integrator.text(), error.diagnostics()[0].message});
    }
  }

  Compared result_of(const Candidate& method, const Simulation& simulation) const {
    const Summary& s = simulation.summary;
    Compared out;
    if (!model_.tracking.empty()) {
      out.model = method.way;
    } else if (method.model != &model_) {
      out.model = s.model;
    }
    out.coordinates = s.coordinates;
    out.formulation = s.formulation;
    out.integrator = s.integrator;
    out.tolerance = method.tolerance;
    out.step = method.step;
    out.status = simulation.status;
    out.text = out.status == Outcome::Status::Stopped
                   ? fmt::format("took longer than {:g} s", options_.max_seconds)
                   : simulation.text;
    out.reached = s.reached;
    out.setup_seconds = s.setup_seconds;
    out.seconds = s.wall_seconds;
    out.steps = s.steps;
    out.rejected = s.rejected;
    out.evaluations = s.evaluations;
    out.position_drift = s.max_position_violation;
    out.velocity_drift = s.max_velocity_violation;
    if (std::isfinite(s.energy_drift)) out.energy_error = s.energy_drift;
    if (s.is_conservative) out.momentum_error = momentum_error(simulation);
    const Trajectory& trajectory = simulation.trajectory;
    out.times.assign(trajectory.time().begin(), trajectory.time().end());
    const auto violations = trajectory["position_violation"];
    out.violations.assign(violations.begin(), violations.end());
    for (const Tracking& t : model_.tracking) {
      out.following.push_back(judge_following(trajectory, t));
      out.following.back().unit = unit_of(model_, t.outputs[0]);
    }
    if (reference_) {
      out.errors = deviations(trajectory, *reference_);
      if (!out.errors.empty()) out.error = greatest(out.errors);
    }
    return out;
  }

  void sort() {
    const auto key = [](const Compared& run) {
      return std::tuple(-run.step, -run.tolerance, run.status != Outcome::Status::Done,
                        run.seconds);
    };
    std::stable_sort(out_.runs.begin(), out_.runs.end(),
                     [&](const Compared& a, const Compared& b) { return key(a) < key(b); });
  }

  // How wrong a run is: by its outputs, or by its energy where the reference cannot be trusted.
  double measure(const Compared& run) const {
    return is_trusted() ? run.error.value_or(0) : run.energy_error.value_or(0);
  }
  bool is_trusted() const { return !out_.reference.empty() && out_.reference_error < kUntrusted; }

  // Whether a run came to its end in good health and has not lost the motion.
  bool is_good(const Compared& run) const {
    return run.status == Outcome::Status::Done && run.model.empty() && measure(run) < kUseless;
  }

  // The model's own way to follow its signals, unless it swings.
  void recommend_tracking() {
    constexpr double kSwings = 0.2;  // of a jump
    const auto own =
        std::ranges::find_if(out_.runs, [&](const Compared& run) { return is_good(run); });
    double overshoot = 0;
    for (const Following& f : own->following) {
      overshoot = std::max(overshoot, f.overshoot.value_or(0));
    }
    if (overshoot > kSwings) {
      out_.reason = fmt::format(
          "the model's own tracking overshoots by {:.0f} % of the jump. `method: auto`, with a "
          "limit "
          "of force or acceleration, does not.",
          100 * overshoot);
      return;
    }
    out_.recommended = static_cast<int>(own - out_.runs.begin());
    const bool has_limits = std::ranges::any_of(model_.tracking, [](const Tracking& t) {
      return !t.max_force.is_constant(0) || !t.max_acceleration.is_constant(0) ||
             !t.max_speed.is_constant(0);
    });
    out_.reason = has_limits ? "the model's own tracking, which keeps its limits."
                             : "the model's own tracking.";
  }

  // The fastest of those that are at least as accurate as every second one.
  void recommend() {
    std::vector<double> errors;
    for (const Compared& run : out_.runs) {
      if (is_good(run)) errors.push_back(measure(run));
    }
    if (!model_.tracking.empty() && !errors.empty()) return recommend_tracking();
    if (errors.empty()) {
      out_.reason = fmt::format("no run finished in good health with {} below {:g}.",
                                is_trusted() ? "an error" : "an energy error", kUseless);
      return;
    }
    std::sort(errors.begin(), errors.end());
    double allowed = errors[(errors.size() - 1) / 2];
    if (is_trusted()) allowed = std::max(allowed, out_.reference_error);
    for (std::size_t i = 0; i < out_.runs.size(); ++i) {
      const Compared& run = out_.runs[i];
      if (!is_good(run) || measure(run) > allowed) continue;
      if (out_.recommended < 0 ||
          run.seconds < out_.runs[static_cast<std::size_t>(out_.recommended)].seconds) {
        out_.recommended = static_cast<int>(i);
      }
    }
    const Compared& best = out_.runs[static_cast<std::size_t>(out_.recommended)];
    const std::string what =
        label_of(best, out_) + (best.step > 0 ? fmt::format(" at step {:g} s", best.step)
                                              : fmt::format(" at tolerance {:g}", best.tolerance));
    const char* const by = is_trusted() ? "an error" : best.energy_error ? "an energy error" : "";
    out_.reason =
        *by == '\0'
            ? fmt::format("{}: the fastest of {} that finished; their errors are not known.", what,
                          errors.size())
            : fmt::format(
                  "{}: the fastest of those with {} of at most {:.1e}, which half of the {} "
                  "that finished reach.",
                  what, by, allowed, errors.size());
  }

  const Model& model_;
  const CompareOptions& options_;
  const std::function<bool(const std::string&)>& watch_;
  Comparison out_;
  std::optional<Trajectory> reference_;
  std::vector<std::unique_ptr<Model>> models_;  // that follow in other ways
  std::set<std::string> refused_;
  std::string doing_;
};

void require(bool holds, const std::string& message) {
  if (!holds) throw Error("compare.bad-option", message);
}

}  // namespace

void CompareOptions::validate(const Model& model) const {
  const std::vector<std::string> sets = coordinate_sets(model);
  for (const std::string& set : coordinates) {
    if (std::find(sets.begin(), sets.end(), set) == sets.end()) {
      derive(model, set);  // says what there is
    }
  }
  for (const std::string& name : formulations) Formulation(name).info();
  for (const std::string& name : integrators) Integrator(name).info();
  require(std::isfinite(end) && end > 0,
          fmt::format("the end time is {}; it must be positive.", end));
  for (const double tolerance : tolerances) {
    require(tolerance > 0 && tolerance < 1,
            fmt::format("a tolerance is {}; it must lie between 0 and 1.", tolerance));
  }
  for (const double step : steps) {
    require(std::isfinite(step) && step > 0,
            fmt::format("a step is {}; it must be positive.", step));
  }
  require(max_seconds > 0,
          fmt::format("a run may take {} s; the limit must be positive.", max_seconds));
  require(samples >= 2, fmt::format("{} samples are too few; give at least 2.", samples));
}

Comparison compare(const Model& model, const CompareOptions& options,
                   const std::function<bool(const std::string&)>& watch) {
  options.validate(model);
  return Comparer(model, options, watch).go();
}

}  // namespace koppel

#include <koppel/simulate/preparation.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/analysis/rank/massless.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/time_features.hpp>
#include <koppel/simulate/start_remarks.hpp>
#include <koppel/simulate/stiff_choice.hpp>

namespace koppel {

Preparation::Preparation(const Model& model, const SimulateOptions& options,
                         std::function<void(std::string)> tell)
    : model_(model), options_(options), tell_(std::move(tell)) {}

void Preparation::run() {
  const Wanted wanted{options_.method(), options_.reactions != ReactionAxes::None};
  look_at(choose_coordinates(model_, wanted));
  if (const auto better = better_coordinates(model_, equations->coordinates, wanted, found)) {
    look_at(*better);
  }
  stage("choose", [&] { make_choice(wanted); });
  stage("formulate", [&] { make_problem(); });
}

// All that is known before the choice, in these coordinates.
void Preparation::look_at(const std::string& coordinates) {
  assemble(model_, coordinates);
  stage("rank", [&] { leave_singular(); });
  stage("analyse", [&] { found = find_out(model_, *evaluator, state, rank, options_.end); });
}

void Preparation::leave_singular() {
  SingularStart singular = leave_singular_start(*evaluator, state, rank);
  take(std::move(rank));
  departure = std::move(singular.departure);
  notes.insert(notes.end(), singular.notes.begin(), singular.notes.end());
  redundant.clear();
  for (const Equations::LeftOut& left : independent->left_out) redundant.push_back(left.row.name);
}

void Preparation::make_choice(const Wanted& wanted) {
  if (!found.is_determined) {
    const std::vector<std::string> massless = find_massless(*evaluator, state);
    const std::string motions = name_motions(massless);
    throw Error("simulate.massless",
                fmt::format("the mass matrix is singular along an unconstrained direction: "
                            "nothing determines the acceleration of {}.",
                            motions.empty() ? "some motion" : motions),
                "Give what moves there a mass or an inertia, or constrain it.")
        .about(massless.empty() ? "" : massless.front());
  }
  check_coordinates(model_, *evaluator, state);
  for (const std::string& note : notes) tell_(note);
  choice = choose(found, equations->coordinates, wanted);
  if (!equations->tracking.empty() && !choice.integrator.is_fixed_cost()) {
    throw Error("simulate.no-tracking",
                fmt::format("integrator '{}' does not choose the forces of tracking.",
                            choice.integrator.text()),
                "Use `integrator = linear-implicit`, with a step.");
  }
  if (found.is_stiff && choice.integrator.has_adaptive_stages()) {
    tell_(
        fmt::format("the problem is stiff (some motion decays with {:.2g}/s): an explicit "
                    "integrator takes many small steps. Try `integrator = radau5`.",
                    found.fastest_decay));
  }
}

FormulationOptions formulation_options(const SimulateOptions& run) {
  FormulationOptions options;
  options.step = run.step.value_or(0);
  if (run.baumgarte > 0 && run.step) options.alpha = options.beta = run.baumgarte / *run.step;
  options.compile.native = run.native;
  return options;
}

Descriptor Preparation::descriptor() const {
  return make_descriptor(independent, choice.formulation, state, formulation_options(options_));
}

void Preparation::make_problem() {
  problem = formulate(independent, choice.formulation, state, formulation_options(options_));
  check_pair(problem, choice.integrator, options_.step.has_value(), equations, state);
  add_breakpoints();
  start = {state.t, start_values(problem, *evaluator, state)};
  choose_partition();
}

// What is known of the laws of time over the whole run: switches, short features, jumps.
void Preparation::add_breakpoints() {
  const Equations& e = equations;
  std::vector<Expr> laws = e.f;
  for (const auto* part : {&e.g, &e.b, &e.r}) laws.insert(laws.end(), part->begin(), part->end());
  std::vector<Expr> given = e.p;
  std::vector<double> values = state.p;
  given.insert(given.end(), e.u.begin(), e.u.end());
  values.insert(values.end(), state.u.begin(), state.u.end());
  const Interval range{state.t, options_.end};
  if (!(range.width() > 0)) return;
  jumps = find_jumps(model_, e.p, state.p, range);
  if (choice.integrator.is_fixed_cost()) {
    leave_jumps_to_ticks();
  }
  std::vector<double>& breaks = problem.breakpoints;
  breaks = find_breakpoints(laws, e.t, given, values, range);
  const std::vector<double> more = find_time_features(laws, e.t, given, values, range, breaks);
  breaks.insert(breaks.end(), more.begin(), more.end());
  std::sort(breaks.begin(), breaks.end());
}

// Fixed-cost steps keep to the clock and meet a rate that jumps at the next tick.
void Preparation::leave_jumps_to_ticks() {
  impulses.clear();
  for (const Jump& jump : jumps) {
    if (!jump.is_position) {
      impulses.push_back(jump.t);
      continue;
    }
    throw Error("simulate.jump",
                fmt::format("'{}' jumps at t = {:.6g} s; fixed-cost steps pass over a jump of "
                            "position without noticing it.",
                            jump.name, time_to_tell(jump.t)),
                "Use an adaptive integrator, or a course without jumps.")
        .about(jump.name);
  }
  jumps.clear();
}

// Puts the names in the place of `stiff=auto`.
void Preparation::choose_partition() {
  if (choice.integrator.variant.stiff != kStiffAuto) return;
  const StiffChoice stiff = choose_stiff(problem, descriptor(), choice.integrator, start,
                                         *options_.step, options_.end, options_.projection);
  choice.integrator.variant.stiff = stiff.stiff;
  tell_(stiff.text());
}

}  // namespace koppel

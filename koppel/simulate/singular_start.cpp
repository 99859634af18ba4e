#include <koppel/simulate/singular_start.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/assembly/neighbours.hpp>
#include <koppel/analysis/rank/branches.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/formulation.hpp>

namespace koppel {
namespace {

constexpr const char* kId = "simulate.singular-start";
constexpr double kFarEnough = 0.08;  // of the pivot beside the singular configuration

bool is_at_rest(const State& state) {
  return std::all_of(state.v.begin(), state.v.end(), [](double v) { return std::abs(v) < 1e-12; });
}

// The first of those whose equations are dependent.
std::string subject_at(const Evaluator& evaluator, const State& state) {
  const std::vector<std::string> owners = dependent_owners(evaluator, state);
  return owners.empty() ? "" : owners.front();
}

[[noreturn]] void refuse_degenerate(const Evaluator& evaluator, const State& state) {
  throw Error(kId, describe_degenerate(evaluator, state),
              "Rods may be stretched to their limit, or a constraint may touch zero without "
              "crossing it. Change a length, or write the constraint without the square.")
      .about(subject_at(evaluator, state));
}

[[noreturn]] void refuse_choice(const Evaluator& evaluator, const State& state,
                                const RankReport& rank, const Branches& branches) {
  std::string text = describe_singular(evaluator, state, rank);
  if (branches.all.empty()) {
    throw Error(kId, text + ' ' + describe(branches), "Start beside it.")
        .about(subject_at(evaluator, state));
  }
  text += is_at_rest(state) ? " At rest there, nothing decides which branch the motion follows. "
                            : " The initial velocities do not choose one of the branches. ";
  throw Error(kId, text + describe(branches),
              "Give `initial` rates along one of them, or start beside the configuration.")
      .about(subject_at(evaluator, state));
}

// Events are found by integrators, from the end of the departure on.
void check_events(const Evaluator& evaluator, const Departure& departure) {
  std::vector<Expr> functions;
  for (const Equations::Event& event : evaluator.equations->events) functions.push_back(event.when);
  const VectorFunction when(evaluator.equations, functions);
  const std::vector<double> before = when(departure.begin), after = when(departure.end);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (before[i] * after[i] > 0 || before[i] == 0) continue;
    throw Error(
        kId,
        fmt::format("the start is a singular configuration, or close to one, and event '{}' "
                    "happens within {:.3g} s while the motion leaves it.",
                    evaluator.equations->events[i].name, departure.end.t - departure.begin.t),
        "Start beside it.")
        .about(evaluator.equations->events[i].name);
  }
}

}  // namespace

void refuse_departure() {
  throw Error(kId,
              "the start is a singular configuration, or close to one: fixed-cost steps cannot "
              "start there.",
              "Start beside it; `simulate` computes the motion away from it.");
}

SingularStart leave_singular_start(const Evaluator& evaluator, State& state, RankReport& rank) {
  SingularStart out;
  if (rank.is_degenerate) refuse_degenerate(evaluator, state);
  if (!rank.is_singular() && !rank.is_near_singular()) return out;
  Matrix tangents;
  std::optional<State> beside;
  std::vector<int> leave_out = rank.redundant_rows;
  if (rank.is_singular()) {
    const Branches branches = find_branches(evaluator, state, rank);
    const int chosen = choose_branch(evaluator, branches, state);
    if (chosen < 0) refuse_choice(evaluator, state, rank, branches);
    const Branch& branch = branches.all[static_cast<std::size_t>(chosen)];
    tangents = branch.tangents;
    beside = branch.beside;
    leave_out = branch.rank.redundant_rows;
    out.notes.push_back(fmt::format("{} The motion follows the branch {}.",
                                    describe_singular(evaluator, state, rank), branch.text));
  } else {
    out.notes.emplace_back(
        "the start is near a singular configuration, where the freedoms change.");
    constexpr std::size_t kLarge = 150;  // where the dense algebra of a departure takes seconds
    if (state.v.size() > kLarge) return out;
    beside = find_neighbour(evaluator, state, 0);
  }
  const auto pivot_at = [&](const State& at) {
    return analyze_rank(evaluator, at, {.here_only = true}).smallest_pivot;
  };
  Departure departure =
      depart(evaluator, state, tangents, leave_out, beside ? kFarEnough * pivot_at(*beside) : 1);
  if (departure.is_found) {
    check_events(evaluator, departure);
    state = departure.end;
    rank = analyze_rank(evaluator, state);
    out.departure = std::move(departure);
  } else if (rank.is_singular()) {
    throw Error(
        kId,
        fmt::format("{} {}.", describe_singular(evaluator, state, rank),
                    "The motion along the branch that the velocities choose is not found: " +
                        departure.text),
        "Start beside it.")
        .about(subject_at(evaluator, state));
  }
  return out;
}

void FirstStep::evaluate(double t, std::span<double> y) const {
  const std::vector<double> values = start_values(problem_, evaluator_, departure_.at(t));
  std::copy(values.begin(), values.end(), y.begin());
}

}  // namespace koppel

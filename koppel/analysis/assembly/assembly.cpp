#include <koppel/analysis/assembly/assembly.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/closure.hpp>
#include <koppel/analysis/assembly/gaps.hpp>
#include <koppel/analysis/assembly/start_velocities.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double kPositionRoundOff = 1e-15;

std::vector<Gap> gaps_of(const Positions& positions, const State& state, double tolerance) {
  const VectorXd c = positions.residual(state), sizes = positions.sizes(state);
  std::vector<Gap> gaps;
  for (Index i = 0; i < c.size(); ++i) {
    if (!(std::abs(c[i]) <= tolerance * sizes[i])) gaps.push_back(positions.gap(i, std::abs(c[i])));
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.size > b.size; });
  return gaps;
}

// The first of the initial values that the constraints and those before it do not leave free, and
// how far off it stays. Nothing where the constraints do not close without them either.
std::optional<Gap> find_impossible_value(const Evaluator& evaluator, const StartDistance& distance,
                                         const State& guess, const AssemblyOptions& options) {
  const Equations& e = evaluator.equations;
  int iterations = 0;
  const auto close = [&](const Wishes& wishes, State& state) {
    return find_nearest(Positions(evaluator, &wishes, nullptr), distance, {}, guess, options, state,
                        iterations);
  };
  std::vector<Equations::Wish> kept;
  State closed = guess;
  if (!close(Wishes(e, kept), closed)) return {};
  for (const Equations::Wish& wish : select_wishes(e, false, true)) {
    std::vector<Equations::Wish> more = kept;
    more.push_back(wish);
    State trial = guess;
    if (close(Wishes(e, more), trial)) {
      kept = std::move(more);
      closed = std::move(trial);
      continue;
    }
    const Wishes held(e, kept), pulling(e, {wish});
    approach(Positions(evaluator, &held, nullptr), distance, {&pulling, 1e3 * distance.weight()},
             options, closed, iterations);
    return initial_gap(wish.name, dense::largest(dense::view(pulling.residual(closed))));
  }
  return {};
}

void explain_failure(const Evaluator& evaluator, const StartDistance& distance, const State& guess,
                     const AssemblyOptions& options, Assembly& result) {
  if (const auto value = find_impossible_value(evaluator, distance, guess, options)) {
    result.gaps = {*value};
    result.text = explain_initial(*value);
  } else {
    result.text = result.gaps.empty()
                      ? "the constraints can be satisfied by a body's mirror image only."
                      : explain_gaps(result.gaps);
  }
  const std::vector<double> K = evaluator.K.values(guess);
  constexpr double kSingular = 1e6;
  if (!K.empty() && !(dense::view(K).cwiseAbs().maxCoeff() < kSingular)) {
    result.text +=
        fmt::format(" The start is a singularity of the '{}' coordinates: choose others.",
                    evaluator.equations->coordinates);
  }
}

void find_positions(const Evaluator& evaluator, const StartDistance& distance, const State& guess,
                    const AssemblyOptions& options, Assembly& result) {
  const Equations& e = evaluator.equations;
  const Wishes fixed(e, select_wishes(e, false, true));
  const Wishes soft(e, select_wishes(e, false, false));
  const Positions all(evaluator, &fixed, &soft), firm(evaluator, &fixed, nullptr);
  const Wishes pulling(e, leave_out_guesses(e, distance, select_wishes(e, false, false)));
  State state = guess;
  if (!soft.names.empty()) {
    result.positions_found =
        find_nearest(all, distance, {}, guess, options, state, result.iterations);
    result.wishes_met = result.positions_found;
  }
  if (!result.positions_found) {
    const AssemblyPull pull =
        pulling.names.empty() ? AssemblyPull{} : AssemblyPull{&pulling, distance.weight()};
    result.positions_found =
        find_nearest(firm, distance, pull, guess, options, state, result.iterations);
  }
  if (result.positions_found) {
    note_missed(pulling, state, options.tolerance, result);
    result.move = distance.largest_move(state);
  } else {
    result.gaps = gaps_of(firm, state, options.tolerance);
    explain_failure(evaluator, distance, guess, options, result);
  }
  result.position_residual = dense::largest(firm.residual(state));
  result.moved = dense::largest(dense::view(state.q) - dense::view(guess.q));
  result.state = std::move(state);
}

// Whether the guess satisfies everything, and the bodies are where they are expected: coordinates
// that bodies share may hold a joint at a place that suits one of its bodies only.
bool stays(const Evaluator& evaluator, const StartDistance& distance, const State& guess) {
  const Equations& e = evaluator.equations;
  const Wishes fixed(e, select_wishes(e, false, true)), soft(e, select_wishes(e, false, false));
  const Positions all(evaluator, &fixed, &soft);
  const VectorXd gap = all.residual(guess);
  if (!gap.allFinite()) return false;
  if (dense::largest(gap) != 0 && largest_part(gap, all.sizes(guess)) > kPositionRoundOff)
    return false;
  constexpr double kExpected = 1e-9;  // of the mechanism's size
  return distance.largest_relative_move(guess) <= kExpected;
}

Assembly assemble_from(const Evaluator& evaluator, const Placement& placement, const State& guess,
                       const AssemblyOptions& options) {
  Assembly result;
  const StartDistance distance(evaluator, placement, guess);
  if (stays(evaluator, distance, guess)) {
    result.positions_found = true;
    result.state = guess;
  } else {
    find_positions(evaluator, distance, guess, options, result);
  }
  if (!result.positions_found) return result;
  find_velocities(evaluator, distance, guess, options, result);
  if (!result) return result;
  result.text = fmt::format("assembled; the largest coordinate moved by {:.3g}.", result.moved);
  for (const Gap& wish : result.missed) {
    result.text += fmt::format(" The wish for '{}' is missed by {:.3g}.", wish.name, wish.size);
  }
  return result;
}

}  // namespace

Assembly assemble(const Evaluator& evaluator, const State& guess, const AssemblyOptions& options) {
  return assemble_from(evaluator, {}, guess, options);
}

Assembly assemble(const Evaluator& evaluator, const Placement& placement,
                  const AssemblyOptions& options) {
  return assemble_from(evaluator, placement, start_of(evaluator.equations), options);
}

Assembly assemble(const Evaluator& evaluator, const Placement& placement, const State& guess,
                  const AssemblyOptions& options) {
  return assemble_from(evaluator, placement, guess, options);
}

Assembly assemble(const Evaluator& evaluator, const AssemblyOptions& options) {
  return assemble_from(evaluator, {}, start_of(evaluator.equations), options);
}

bool close_positions(const Evaluator& evaluator, State& state, const AssemblyOptions& options) {
  const Positions positions(evaluator, nullptr, nullptr);
  const auto metric = make_euclidean_metric(static_cast<Index>(state.q.size()));
  int iterations = 0;
  return close(positions, *metric, options, state, iterations);
}

OpenPositions find_open_positions(const Evaluator& evaluator, const State& near,
                                  const AssemblyOptions& options) {
  const Positions positions(evaluator, nullptr, nullptr);
  State state = near;
  int iterations = 0;
  OpenPositions out;
  const Placement anywhere;
  const StartDistance distance(evaluator, anywhere, near);
  if (find_nearest(positions, distance, {}, near, options, state, iterations)) return out;
  out.gaps = gaps_of(positions, state, options.tolerance);
  if (!out.gaps.empty()) out.text = explain_gaps(out.gaps);
  return out;
}

}  // namespace koppel

#include <koppel/analysis/assembly/assembly.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/distance.hpp>
#include <koppel/analysis/assembly/gaps.hpp>
#include <koppel/analysis/assembly/start_velocities.hpp>
#include <koppel/analysis/assembly/wishes.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sparse::SparseMatrix;

// The equations c(q) = 0 of positions.
class Positions {
 public:
  Positions(const Evaluator& evaluator, const Wishes* fixed, const Wishes* soft)
      : evaluator_(evaluator), wishes_{fixed, soft} {}

  VectorXd residual(const State& s) const {
    return dense::concatenate(
        {dense::view(evaluator_.g(s)), dense::view(evaluator_.h(s)), wish(0, s), wish(1, s)});
  }
  SparseMatrix by_q(const State& s) const {
    return sparse::stack({sparse::evaluate(evaluator_.g_q, s), sparse::evaluate(evaluator_.h_q, s),
                          wish_by_q(0, s), wish_by_q(1, s)});
  }
  Gap gap(Index row, double size) const {
    const Equations& e = evaluator_.equations;
    auto i = static_cast<std::size_t>(row);
    if (i < e.num_g()) return gap_of(e.rows[i], size);
    i -= e.num_g();
    if (i < e.h.size()) return {fmt::format("invariant {}", i + 1), "coordinates", size};
    i -= e.h.size();
    for (const Wishes* part : wishes_) {
      if (part == nullptr) continue;
      if (i < part->names.size()) return {part->names[i], "initial value", size};
      i -= part->names.size();
    }
    return {};
  }

 private:
  VectorXd wish(std::size_t k, const State& s) const {
    return wishes_[k] == nullptr ? VectorXd() : VectorXd(dense::view(wishes_[k]->residual(s)));
  }
  SparseMatrix wish_by_q(std::size_t k, const State& s) const {
    return wishes_[k] == nullptr ? SparseMatrix(0, static_cast<Index>(s.q.size()))
                                 : sparse::evaluate(wishes_[k]->by_q, s);
  }

  const Evaluator& evaluator_;
  const Wishes* wishes_[2];
};

constexpr double kRoundOff = 1e-15;

double largest(const VectorXd& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); }

// Levenberg-Marquardt on ½ ‖S c(q)‖², S scaling the rows to gradients of length 1 at the guess. The
// damping is tied to the residual, so that convergence is quadratic also where rows repeat each
// other [Yamashita & Fukushima 2001].
class Closure {
 public:
  Closure(const Positions& positions, const Metric& metric, const AssemblyOptions& options)
      : positions_(positions), metric_(metric), options_(options) {}

  int iterations = 0;

  // Moves state.q; true when the residual is below the tolerance.
  bool run(State& state) {
    VectorXd c = positions_.residual(state);
    if (c.size() == 0) return true;
    if (!c.allFinite()) return false;
    SparseMatrix A = positions_.by_q(state);
    set_scale(A);
    double merit = scaled(c).norm(), factor = 1e-3;
    for (int i = 0; i < options_.max_iterations; ++i) {
      if (largest(c) <= kRoundOff) break;
      ++iterations;
      State trial = state;
      dense::view(trial.q) += metric_.damped_step(A, scale_, c, factor * merit);
      const VectorXd c_trial = positions_.residual(trial);
      const double merit_trial = c_trial.allFinite() ? scaled(c_trial).norm() : INFINITY;
      if (merit_trial < merit) {
        const bool stalls = merit_trial > 0.999 * merit && factor > 1e-6;
        state = trial;
        c = c_trial;
        stalls_ = stalls ? stalls_ + 1 : 0;
        factor = merit_trial < 0.25 * merit ? std::max(factor * 0.1, 1e-8) : factor;
        merit = merit_trial;
        if (stalls_ > 20) break;
        A = positions_.by_q(state);
      } else {
        if (factor > 1e12 || largest(c) < 1e-3 * options_.tolerance) break;
        factor *= 8;
      }
    }
    return largest(c) <= options_.tolerance;
  }

 private:
  void set_scale(const SparseMatrix& A) {
    scale_ = metric_.row_lengths(A);
    const double top = std::max(scale_.maxCoeff(), 1e-300);
    for (double& x : scale_) x = 1 / std::max(x, 1e-3 * top);
  }
  VectorXd scaled(const VectorXd& c) const { return scale_.cwiseProduct(c); }

  const Positions& positions_;
  const Metric& metric_;
  const AssemblyOptions& options_;
  VectorXd scale_;
  int stalls_ = 0;
};

// Where a soft wish pulls: ½ w² ‖residual‖² beside the distance.
struct Pull {
  const Wishes* wishes = nullptr;
  double weight = 0;

  double energy(const State& s) const {
    return wishes == nullptr ? 0 : weight * weight * dense::view(wishes->residual(s)).squaredNorm();
  }
  PullRows rows(const State& s) const {
    if (wishes == nullptr) return {SparseMatrix(0, static_cast<Index>(s.q.size())), VectorXd()};
    return {weight * sparse::evaluate(wishes->by_q, s), -weight * dense::view(wishes->residual(s))};
  }
};

// From a closed state: steps along the null space of the closed equations that reduce the distance,
// each followed by closing again. Gauss-Newton in that null space: far from the minimum a step has
// to reduce the distance; near it, where the distance is flat to round-off, steps that become
// shorter tell more.
void approach(const Positions& positions, const StartDistance& distance, const Pull& pull,
              const AssemblyOptions& options, State& state, int& iterations) {
  constexpr double kNear = 1e-5, kEnough = 1e-15;  // of a step, relative to coordinates above 1
  const auto total = [&](const State& s) { return distance.squared(s) + pull.energy(s); };
  double last = INFINITY;
  for (int i = 0; i < options.max_iterations; ++i) {
    const auto metric = distance.metric_at(state);
    const VectorXd from = distance.offset(state, *metric);
    if (pull.wishes == nullptr && from.isZero(0)) return;
    const VectorXd step = metric->step_along(positions.by_q(state), from, pull.rows(state));
    const double size = largest(step) / (1 + largest(dense::view(state.q)));
    if (size <= kEnough || (size < kNear && size > 0.95 * last)) return;
    last = size;
    const double before = total(state);
    bool improved = false;
    for (double length = 1; length > 1e-3 && !improved; length *= 0.5) {
      State trial = state;
      dense::view(trial.q) += length * step;
      Closure closure(positions, *metric, options);
      if (!closure.run(trial)) continue;
      iterations += closure.iterations;
      improved = size < kNear || total(trial) < before * (1 - 1e-14);
      if (improved) state = std::move(trial);
    }
    ++iterations;
    if (!improved) return;
  }
}

std::vector<Gap> gaps_of(const Positions& positions, const State& state, double tolerance) {
  const VectorXd c = positions.residual(state);
  std::vector<Gap> gaps;
  for (Index i = 0; i < c.size(); ++i) {
    if (!(std::abs(c[i]) <= tolerance)) gaps.push_back(positions.gap(i, std::abs(c[i])));
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.size > b.size; });
  return gaps;
}

// Closes the equations from the guess; true when that was possible.
bool close_from(const Positions& positions, const StartDistance& distance, const State& guess,
                const AssemblyOptions& options, State& state, int& iterations) {
  for (const auto& metric : {distance.metric_at(guess), distance.even_metric_at(guess)}) {
    State trial = guess;
    Closure closure(positions, *metric, options);
    const bool is_closed = closure.run(trial);
    iterations += closure.iterations;
    state = std::move(trial);
    if (is_closed) return true;
  }
  return false;
}

// The first of the initial values that the constraints and those before it do not leave free, and
// how far off it stays. Nothing where the constraints do not close without them either.
std::optional<Gap> find_impossible_value(const Evaluator& evaluator, const StartDistance& distance,
                                         const State& guess, const AssemblyOptions& options) {
  const Equations& e = evaluator.equations;
  int iterations = 0;
  const auto close = [&](const Wishes& wishes, State& state) {
    return close_from(Positions(evaluator, &wishes, nullptr), distance, guess, options, state,
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
    return Gap{wish.name, "initial value", largest(dense::view(pulling.residual(closed)))};
  }
  return {};
}

void explain_failure(const Evaluator& evaluator, const StartDistance& distance, const State& guess,
                     const AssemblyOptions& options, Assembly& result) {
  if (const auto value = find_impossible_value(evaluator, distance, guess, options)) {
    result.gaps = {*value};
    result.text = explain_initial(*value);
  } else if (!result.gaps.empty()) {
    result.text = explain_gaps(result.gaps);
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
  State state = guess;
  if (!soft.names.empty()) {
    result.positions_found = close_from(all, distance, guess, options, state, result.iterations);
    result.wishes_met = result.positions_found;
  }
  const Positions& positions = result.positions_found ? all : firm;
  if (!result.positions_found) {
    result.positions_found =
        close_from(positions, distance, guess, options, state, result.iterations);
  }
  if (result.positions_found) {
    const Wishes pulling(e, leave_out_guesses(e, distance, select_wishes(e, false, false)));
    const Pull pull =
        &positions == &firm && !pulling.names.empty() ? Pull{&pulling, distance.weight()} : Pull{};
    approach(positions, distance, pull, options, state, result.iterations);
    note_missed(pulling, state, options.tolerance, result);
    result.move = distance.largest_move(state);
  } else {
    result.gaps = gaps_of(positions, state, options.tolerance);
    explain_failure(evaluator, distance, guess, options, result);
  }
  result.position_residual = largest(firm.residual(state));
  result.moved = largest(dense::view(state.q) - dense::view(guess.q));
  result.state = std::move(state);
}

// Whether the guess satisfies everything: no metric is needed to stay there.
bool stays(const Evaluator& evaluator, const State& guess) {
  const Equations& e = evaluator.equations;
  const Wishes fixed(e, select_wishes(e, false, true)), soft(e, select_wishes(e, false, false));
  const VectorXd gap = Positions(evaluator, &fixed, &soft).residual(guess);
  return gap.allFinite() && largest(gap) <= kRoundOff;
}

Assembly assemble_from(const Evaluator& evaluator, const Placement& placement, const State& guess,
                       const AssemblyOptions& options) {
  Assembly result;
  const StartDistance distance(evaluator, placement, guess);
  if (stays(evaluator, guess)) {
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
  return Closure(positions, *metric, options).run(state);
}

}  // namespace koppel

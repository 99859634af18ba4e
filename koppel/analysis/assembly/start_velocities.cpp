#include <koppel/analysis/assembly/start_velocities.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/gaps.hpp>
#include <koppel/analysis/assembly/wishes.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sparse::SparseMatrix;

constexpr double kVelocityRoundOff = 1e-15;

// Rows of (2) as A v = b, with those of the wishes.
struct VelocityRows {
  SparseMatrix A;
  VectorXd b;
};

// The largest residual, by the size of its terms where that is above the rates that are asked for
// and 1: what cancels there is exact to round-off of the terms only.
double open_part(const VelocityRows& rows, const VectorXd& v) {
  const VectorXd terms = rows.A.cwiseAbs() * v.cwiseAbs() + rows.b.cwiseAbs();
  const double least = std::max(1.0, dense::largest(rows.b));
  return dense::largest((rows.A * v - rows.b).cwiseQuotient(terms.cwiseMax(least)));
}

VelocityRows wish_rows(const Wishes& wishes, const State& at) {
  State rest = at;
  std::fill(rest.v.begin(), rest.v.end(), 0.0);
  return {sparse::evaluate(wishes.by_v, rest), -dense::view(wishes.residual(rest))};
}

VelocityRows velocity_rows(const Evaluator& evaluator, const State& at,
                           std::initializer_list<const Wishes*> more) {
  VelocityRows rows{
      sparse::all_constraints(evaluator, at),
      -dense::concatenate({dense::view(evaluator.g_t(at)), dense::view(evaluator.b(at))})};
  for (const Wishes* wishes : more) {
    const VelocityRows part = wish_rows(*wishes, at);
    rows.A = sparse::stack({rows.A, part.A});
    rows.b = dense::concatenate({rows.b, part.b});
  }
  return rows;
}

std::vector<Gap> velocity_gaps(const Evaluator& evaluator, const Wishes& fixed,
                               const VectorXd& rest, double tolerance) {
  const auto n = static_cast<Index>(evaluator.equations->num_rows());
  std::vector<Gap> gaps;
  for (Index i = 0; i < rest.size(); ++i) {
    if (std::abs(rest[i]) <= tolerance) continue;
    if (i < n) {
      gaps.push_back(
          gap_of(evaluator.equations->rows[static_cast<std::size_t>(i)], std::abs(rest[i])));
    } else {
      gaps.push_back(initial_gap(fixed.names[static_cast<std::size_t>(i - n)], std::abs(rest[i])));
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.size > b.size; });
  return gaps;
}

// The first of the initial rates that the constraints and those before it do not leave free, and
// how far off it stays. Nothing where the constraints have no solution without them either.
std::optional<Gap> find_impossible_rate(const Evaluator& evaluator,
                                        const StartDistance::OfVelocities& of, const State& state,
                                        double tolerance) {
  const Equations& e = evaluator.equations;
  VelocityRows kept = velocity_rows(evaluator, state, {});
  const PullRows none{SparseMatrix(0, of.v0.size()), VectorXd()};
  VectorXd v = nearest_velocity(of.W, kept.A, kept.b, none, of.v0);
  if (open_part(kept, v) > tolerance) return {};
  for (const Equations::Wish& wish : select_wishes(e, true, true)) {
    const VelocityRows row = wish_rows(Wishes(e, {wish}), state);
    const VelocityRows more{sparse::stack({kept.A, row.A}), dense::concatenate({kept.b, row.b})};
    v = nearest_velocity(of.W, more.A, more.b, none, of.v0);
    if (open_part(more, v) > tolerance) {
      v = nearest_velocity(of.W, kept.A, kept.b, {row.A, row.b}, of.v0);
      return initial_gap(wish.name, dense::largest(row.A * v - row.b));
    }
    kept = more;
  }
  return {};
}

void note_contradiction(const Evaluator& evaluator, const Wishes& fixed, const VectorXd& rest,
                        double tolerance, Assembly& result) {
  result.gaps = velocity_gaps(evaluator, fixed, rest, tolerance);
  result.text = fmt::format("no velocities satisfy all constraints: '{}' ('{}') is off by {:.3g}.",
                            result.gaps[0].name, result.gaps[0].owner, result.gaps[0].size);
}

}  // namespace

void find_velocities(const Evaluator& evaluator, const StartDistance& distance, const State& guess,
                     const AssemblyOptions& options, Assembly& result) {
  const Equations& e = evaluator.equations;
  const Wishes fixed(e, select_wishes(e, true, true)), soft(e, select_wishes(e, true, false));
  State& state = result.state;
  state.v = guess.v;
  const VelocityRows firm = velocity_rows(evaluator, state, {&fixed});
  const VelocityRows all = velocity_rows(evaluator, state, {&fixed, &soft});
  const double size = std::max(1.0, dense::largest(firm.b)), tolerance = options.tolerance;
  if (dense::largest(all.A * dense::view(guess.v) - all.b) <= kVelocityRoundOff * size &&
      distance.expects(state)) {
    result.velocities_found = true;
    return;
  }
  if (e.num_v() == 0) {  // nothing can move, whatever has to
    result.velocity_residual = dense::largest(firm.b);
    result.velocities_found = result.velocity_residual <= tolerance;
    if (!result.velocities_found) note_contradiction(evaluator, fixed, -firm.b, tolerance, result);
    return;
  }
  const StartDistance::OfVelocities of = distance.of_velocities(state);
  const PullRows none{SparseMatrix(0, of.v0.size()), VectorXd()};
  VectorXd v = nearest_velocity(of.W, all.A, all.b, none, of.v0);
  if (open_part(all, v) > tolerance) {
    // Not all wishes can be had: hold the firm rows, let the others pull.
    result.wishes_met = false;
    const Wishes pulling(e, leave_out_guesses(e, distance, select_wishes(e, true, false)));
    const VelocityRows pulled = wish_rows(pulling, state);
    v = nearest_velocity(of.W, firm.A, firm.b,
                         {distance.weight() * pulled.A, distance.weight() * pulled.b}, of.v0);
    state.v = dense::to_vector(v);
    note_missed(pulling, state, tolerance * size, result);
  }
  state.v = dense::to_vector(v);
  const VectorXd rest = firm.A * v - firm.b;
  result.velocity_residual = dense::largest(rest);
  result.velocities_found = open_part(firm, v) <= tolerance;
  if (result.velocities_found) return;
  if (const auto rate = find_impossible_rate(evaluator, of, state, tolerance)) {
    result.gaps = {*rate};
    result.text = explain_initial(*rate);
    return;
  }
  note_contradiction(evaluator, fixed, rest, tolerance, result);
}

}  // namespace koppel

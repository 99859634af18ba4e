#include <koppel/analysis/assembly.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include <koppel/analysis/dense.hpp>
#include <koppel/analysis/metric.hpp>
#include <koppel/analysis/rank.hpp>
#include <koppel/expr/structure.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sparse::SparseMatrix;

// Wishes as functions of the state.
struct Wishes {
  Wishes(const Equations& e, const std::vector<Equations::Wish>& wishes)
      : residual(e, residuals_of(wishes)),
        by_q(e, jacobian(residuals_of(wishes), e.q)),
        by_v(e, jacobian(residuals_of(wishes), e.v)) {
    for (const Equations::Wish& wish : wishes) names.push_back(wish.name);
  }

  static std::vector<Expr> residuals_of(const std::vector<Equations::Wish>& wishes) {
    std::vector<Expr> residuals;
    for (const Equations::Wish& wish : wishes) residuals.push_back(wish.residual);
    return residuals;
  }

  VectorFunction residual;
  MatrixFunction by_q, by_v;
  std::vector<std::string> names;
};

// The wishes of one kind.
std::vector<Equations::Wish> select_wishes(const Equations& e, bool rates, bool fixed) {
  std::vector<Equations::Wish> chosen;
  for (const Equations::Wish& wish : e.wishes) {
    if (wish.is_rate == rates && wish.fixed == fixed) chosen.push_back(wish);
  }
  return chosen;
}

// Those that are not for a coordinate or a velocity itself: the others are in the guess already.
std::vector<Equations::Wish> leave_out_guesses(const Equations& e,
                                               std::vector<Equations::Wish> wishes) {
  const auto is_guess = [&](const Equations::Wish& wish) {
    Expr symbol;
    int occurring = 0;
    for (const Expr& s : symbols_of(wish.residual)) {
      const bool is_q = std::find(e.q.begin(), e.q.end(), s) != e.q.end();
      const bool is_v = std::find(e.v.begin(), e.v.end(), s) != e.v.end();
      if (!is_q && !is_v) continue;
      ++occurring;
      symbol = s;
    }
    return occurring == 1 && diff(wish.residual, symbol).is_constant(1);
  };
  std::erase_if(wishes, is_guess);
  return wishes;
}

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
    if (i < e.num_g()) return {e.lambda[i], e.constraint_owner[i], size};
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

// From a closed state: steps along the null space of the closed equations that reduce the distance
// to the guess, each followed by closing again. Gauss-Newton in that null space.
void approach(const Positions& positions, const Metric& metric, const VectorXd& q_guess,
              const Pull& pull, const AssemblyOptions& options, State& state, int& iterations) {
  const auto offset = [&](const State& s) { return VectorXd(dense::view(s.q) - q_guess); };
  const auto distance = [&](const State& s) {
    const double length = metric.length(offset(s));
    return length * length + pull.energy(s);
  };
  for (int i = 0; i < options.max_iterations; ++i) {
    const VectorXd from = offset(state);
    if (pull.wishes == nullptr && from.isZero(0)) return;
    const VectorXd step = metric.step_along(positions.by_q(state), from, pull.rows(state));
    if (metric.length(step) <= 1e-12 * (1 + metric.length(from))) return;
    const double before = distance(state);
    bool improved = false;
    for (double length = 1; length > 1e-3 && !improved; length *= 0.5) {
      State trial = state;
      dense::view(trial.q) += length * step;
      Closure closure(positions, metric, options);
      if (!closure.run(trial)) continue;
      iterations += closure.iterations;
      improved = distance(trial) < before * (1 - 1e-14);
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

// The gap of an owner: the distance of its points where coordinates of points are what stays open.
std::string describe_gap(const std::string& owner, const std::vector<Gap>& gaps) {
  double points = 0;
  std::string others;
  for (const Gap& gap : gaps) {
    if (gap.owner != owner) continue;
    const std::string what =
        gap.name.size() > owner.size() ? gap.name.substr(owner.size() + 1) : gap.name;
    if (what == "x" || what == "y" || what == "z") {
      points += gap.size * gap.size;
    } else if (others.empty()) {
      others = fmt::format("'{}' stays off by {:.3g}", gap.name, gap.size);
    }
  }
  if (points > 0) return fmt::format("its points stay {:.3g} m apart", std::sqrt(points));
  return others;
}

std::string explain_gaps(const std::vector<Gap>& gaps) {
  std::vector<std::string> owners;
  for (const Gap& gap : gaps) {
    if (std::find(owners.begin(), owners.end(), gap.owner) == owners.end()) {
      owners.push_back(gap.owner);
    }
  }
  const std::string& worst = owners[0];
  std::string text = fmt::format("'{}' cannot close: {}.", worst, describe_gap(worst, gaps));
  if (owners.size() > 1) {
    constexpr std::size_t kMost = 4;
    text += " It contradicts ";
    for (std::size_t i = 1; i < std::min(owners.size(), kMost); ++i) {
      text += fmt::format("{}'{}'", i > 1 ? ", " : "", owners[i]);
    }
    if (owners.size() > kMost) text += fmt::format(" and {} more", owners.size() - kMost);
    text += '.';
  }
  return text;
}

void find_positions(const Evaluator& evaluator, const State& guess, const AssemblyOptions& options,
                    Assembly& result) {
  const Equations& e = evaluator.equations;
  const Wishes fixed(e, select_wishes(e, false, true));
  const Wishes soft(e, select_wishes(e, false, false));
  const Positions all(evaluator, &fixed, &soft), firm(evaluator, &fixed, nullptr);
  State state = guess;
  const VectorXd gap = all.residual(guess);
  if (gap.allFinite() && largest(gap) <= kRoundOff) {  // no metric is needed to stay there
    result.positions_found = true;
    result.state = std::move(state);
    return;
  }
  const std::unique_ptr<Metric> metric = make_metric(evaluator, guess);
  const VectorXd q_guess = dense::view(guess.q);
  if (!soft.names.empty()) {
    Closure closure(all, *metric, options);
    result.positions_found = closure.run(state);
    result.iterations += closure.iterations;
    result.wishes_met = result.positions_found;
  }
  const Positions& positions = result.positions_found ? all : firm;
  if (!result.positions_found) {
    state = guess;
    Closure closure(positions, *metric, options);
    result.positions_found = closure.run(state);
    result.iterations += closure.iterations;
  }
  if (result.positions_found) {
    const Wishes pulling(e, leave_out_guesses(e, select_wishes(e, false, false)));
    const Pull pull = &positions == &firm && !pulling.names.empty()
                          ? Pull{&pulling, largest_weight(evaluator, guess)}
                          : Pull{};
    approach(positions, *metric, q_guess, pull, options, state, result.iterations);
  } else {
    result.gaps = gaps_of(positions, state, options.tolerance);
    result.text = result.gaps.empty() ? "" : explain_gaps(result.gaps);
    const std::vector<double> K = evaluator.K.values(guess);
    constexpr double kSingular = 1e6;
    if (!K.empty() && !(dense::view(K).cwiseAbs().maxCoeff() < kSingular)) {
      result.text += fmt::format(
          " The start is a singularity of the '{}' coordinates: choose others.", e.coordinates);
    }
  }
  result.position_residual = largest(firm.residual(state));
  result.moved = largest(dense::view(state.q) - q_guess);
  result.state = std::move(state);
}

// Rows of (2) as A v = b, with those of the wishes.
struct VelocityRows {
  SparseMatrix A;
  VectorXd b;
};

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
  const auto n = static_cast<Index>(evaluator.equations.num_g() + evaluator.equations.mu.size());
  std::vector<Gap> gaps;
  for (Index i = 0; i < rest.size(); ++i) {
    if (std::abs(rest[i]) <= tolerance) continue;
    const int row = static_cast<int>(i);
    if (i < n) {
      gaps.push_back({row_name(evaluator.equations, row), row_owner(evaluator.equations, row),
                      std::abs(rest[i])});
    } else {
      gaps.push_back(
          {fixed.names[static_cast<std::size_t>(i - n)], "initial value", std::abs(rest[i])});
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(),
                   [](const Gap& a, const Gap& b) { return a.size > b.size; });
  return gaps;
}

void find_velocities(const Evaluator& evaluator, const State& guess, const AssemblyOptions& options,
                     Assembly& result) {
  const Equations& e = evaluator.equations;
  const Wishes fixed(e, select_wishes(e, true, true)), soft(e, select_wishes(e, true, false));
  State& state = result.state;
  const VectorXd v0 = dense::view(guess.v);
  const VelocityRows firm = velocity_rows(evaluator, state, {&fixed});
  const double tolerance = options.tolerance * std::max(1.0, largest(firm.b));

  const VelocityRows all = velocity_rows(evaluator, state, {&fixed, &soft});
  const PullRows none{SparseMatrix(0, v0.size()), VectorXd()};
  VectorXd v = nearest_velocity(evaluator, state, all.A, all.b, none, v0);
  if (largest(all.A * v - all.b) > tolerance) {
    // Not all wishes can be had: hold the firm rows, let the others pull.
    result.wishes_met = false;
    const Wishes pulling(e, leave_out_guesses(e, select_wishes(e, true, false)));
    const VelocityRows pulled = wish_rows(pulling, state);
    const double weight = largest_weight(evaluator, state);
    v = nearest_velocity(evaluator, state, firm.A, firm.b, {weight * pulled.A, weight * pulled.b},
                         v0);
  }
  state.v = dense::to_vector(v);
  const VectorXd rest = firm.A * v - firm.b;
  result.velocity_residual = largest(rest);
  result.velocities_found = result.velocity_residual <= tolerance;
  if (!result.velocities_found) {
    result.gaps = velocity_gaps(evaluator, fixed, rest, tolerance);
    result.text =
        fmt::format("no velocities satisfy all constraints: '{}' ('{}') is off by {:.3g}.",
                    result.gaps[0].name, result.gaps[0].owner, result.gaps[0].size);
  }
}

}  // namespace

Assembly assemble(const Evaluator& evaluator, const State& guess, const AssemblyOptions& options) {
  Assembly result;
  find_positions(evaluator, guess, options, result);
  if (!result.positions_found) return result;
  find_velocities(evaluator, guess, options, result);
  if (result.text.empty()) {
    result.text = fmt::format("assembled; the largest coordinate moved by {:.3g}.", result.moved);
    if (!result.wishes_met)
      result.text += " Not all initial values that were guesses could be kept.";
  }
  return result;
}

Assembly assemble(const Evaluator& evaluator, const AssemblyOptions& options) {
  return assemble(evaluator, start_of(evaluator.equations), options);
}

bool close_positions(const Evaluator& evaluator, State& state, const AssemblyOptions& options) {
  const Positions positions(evaluator, nullptr, nullptr);
  const auto metric = make_euclidean_metric(static_cast<Index>(state.q.size()));
  return Closure(positions, *metric, options).run(state);
}

}  // namespace koppel

#include <koppel/analysis/assembly/closure.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/gaps.hpp>
#include <koppel/analysis/assembly/neighbours.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sparse::SparseMatrix;

constexpr double kClosureRoundOff = 1e-15;

// Levenberg-Marquardt on ½ ‖S c(q)‖², S scaling the rows to gradients of length 1 at the guess. The
// damping is tied to the residual, so that convergence is quadratic also where rows repeat each
// other [Yamashita & Fukushima 2001].
class Closure {
 public:
  Closure(const Positions& positions, const Metric& metric, const AssemblyOptions& options)
      : positions_(positions), metric_(metric), options_(options) {}

  int iterations = 0;

  // Moves state.q; true when the residual is below the tolerance, or that beyond what is left open
  // by intention.
  bool run(State& state, const VectorXd& open = {}) {
    const auto residual = [&](const State& at) -> VectorXd {
      const VectorXd all = positions_.residual(at);
      return open.size() == 0 ? all : all - open;
    };
    VectorXd c = residual(state);
    if (c.size() == 0) return true;
    if (!c.allFinite()) return false;
    SparseMatrix A = positions_.by_q(state);
    set_scale(A, state, c);
    const VectorXd sizes = positions_.sizes(state);
    double merit = scaled(c).norm(), factor = 1e-3;
    const double whole = std::max(1.0, merit);  // of heavy and large mechanisms
    for (int i = 0; i < options_.max_iterations; ++i) {
      if (largest_part(c, sizes) <= kClosureRoundOff) break;
      ++iterations;
      State trial = state;
      dense::view(trial.q) += metric_.damped_step(A, scale_, c, factor * merit / whole);
      const VectorXd c_trial = residual(trial);
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
        if (factor > 1e12 || largest_part(c, sizes) < 1e-3 * options_.tolerance) break;
        factor *= 8;
      }
    }
    return largest_part(c, sizes) <= options_.tolerance;
  }

 private:
  // Gradients that vanish here, and not elsewhere, and those that are round-off, count as a
  // thousandth of the largest; those that are small everywhere, since lengths are, as a thousandth
  // of what they are on average.
  void set_scale(const SparseMatrix& A, const State& state, const VectorXd& c) {
    constexpr double kLeast = 1e-3;
    scale_ = metric_.row_lengths(A);
    const double top = std::max(scale_.maxCoeff(), 1e-300);
    const VectorXd usual = (scale_.array() < kLeast * top).any()
                               ? usual_lengths(state, c)
                               : VectorXd::Constant(c.size(), top);
    for (Index i = 0; i < scale_.size(); ++i) {
      scale_[i] = 1 / std::max(scale_[i], kLeast * std::min(top, usual[i]));
    }
  }
  // Of gradients, along a way on which all coordinates move by a part of their sizes; INFINITY
  // where a row has no value on it, or does not change. Rows have terms of the size 1, of lengths
  // or of squares of lengths.
  VectorXd usual_lengths(const State& state, const VectorXd& c) const {
    const VectorXd by = positions_.sizes_of_coordinates(state);
    const double round_off = 1e-14 * std::pow(by.minCoeff(), 2);
    VectorXd most = VectorXd::Zero(c.size());
    for (const double side : {-1.0, 1.0}) {
      State there = state;
      for (Index j = 0; j < by.size(); ++j) {
        const double golden = 0.618033988749895 * static_cast<double>(j);
        const double part = 0.3 * (j % 2 == 0 ? 1 : -1) * (1 + golden - std::floor(golden));
        there.q[static_cast<std::size_t>(j)] += side * part * by[j];
      }
      const VectorXd change = positions_.residual(there) - c;
      const double way = metric_.length(dense::view(there.q) - dense::view(state.q));
      for (Index i = 0; i < c.size(); ++i) {
        const bool counts = std::isfinite(change[i]) && std::abs(change[i]) > round_off;
        most[i] = counts ? std::max(most[i], std::abs(change[i]) / way) : INFINITY;
      }
    }
    return most;
  }
  VectorXd scaled(const VectorXd& c) const { return scale_.cwiseProduct(c); }

  const Positions& positions_;
  const Metric& metric_;
  const AssemblyOptions& options_;
  VectorXd scale_;
  int stalls_ = 0;
};

// Looks for ways to assemble the mechanism and keeps the best.
class Search {
 public:
  Search(const Positions& positions, const StartDistance& distance, const AssemblyPull& pull,
         const State& guess, const AssemblyOptions& options)
      : positions_(positions), distance_(distance), pull_(pull), guess_(guess), options_(options) {}

  bool is_found = false;
  State best;
  int iterations = 0;

  void run() {
    try_from(guess_);
    constexpr double kRough = 0.01;  // of the mechanism's size, or of radians
    if (is_found && distance_.largest_relative_move(best) < kRough) return;
    try_beside(guess_);
    if (distance_.largest_relative_move(guess_) > kRough) {
      const State between = nearest_of_all();
      try_from(between);
      try_beside(between);
      if (!is_found) close_gradually(between);
    }
    if (!is_found && has_mirrored_) close_gradually(guess_);
  }

 private:
  // A search in mechanisms of hundreds of coordinates would take longer than most runs.
  bool is_costly() const {
    constexpr double kMost = 1e5;
    return static_cast<double>(iterations) * static_cast<double>(guess_.q.size()) > kMost;
  }

  // The s for which q + s K v is by so much beside a state, of the mechanism's size or in
  // radians; 0: none.
  double length_of_move(const State& from, const std::vector<double>& v, double by) const {
    const Evaluator& evaluator = positions_.evaluator();
    const double fastest = dense::largest(sparse::evaluate(evaluator.K, from) * dense::view(v));
    if (!(fastest > 0)) return 0;
    const double here = distance_.largest_relative_move(from);
    double s = 10 * (1 + dense::largest(dense::view(from.q))) / fastest;
    constexpr int kMost = 60;
    for (int i = 0; i < kMost; ++i, s /= 2) {
      const double there = distance_.largest_relative_move(moved(evaluator, from, v, s));
      if (there <= here + by) return s;
    }
    return 0;
  }

  void try_beside(const State& from) {
    const Evaluator& evaluator = positions_.evaluator();
    for (const double by : {0.3, 1.0}) {
      for (int k = 0; k < 3; ++k) {
        const std::vector<double> v = varied_velocity(evaluator, from, k);
        const double s = length_of_move(from, v, by);
        for (const double sign : {1.0, -1.0}) {
          if (s > 0 && !is_costly()) try_from(moved(evaluator, from, v, sign * s));
        }
      }
    }
  }

  // Coordinates that bodies share have the place of one of them in the guess, where others may be
  // their own mirror images. Here they are between: nearest in the mean to where all bodies are
  // expected, rigid or not.
  State nearest_of_all() const {
    constexpr int kSteps = 3;  // one where places are linear in coordinates
    State state = guess_;
    for (int i = 0; i < kSteps; ++i) {
      State next = state;
      dense::view(next.q) -= distance_.offset(state, *distance_.metric_at(state));
      if (!(distance_.squared(next) < distance_.squared(state))) break;
      state = std::move(next);
    }
    return state;
  }

  void try_from(const State& from) {
    for (const auto& metric : {distance_.metric_at(from), distance_.even_metric_at(from)}) {
      State state = from;
      const bool is_closed = close(positions_, *metric, options_, state, iterations);
      if (&from == &guess_ && !is_found) best = state;  // its gap is explained
      if (is_closed) return consider(std::move(state));
    }
  }

  void consider(State state) {
    approach(positions_, distance_, pull_, options_, state, iterations);
    if (distance_.has_mirrored(state)) {
      has_mirrored_ = true;
      return;
    }
    if (!turn_back(state)) return;
    unwind(state);
    const double far = distance_.squared(state) + pull_.energy(state);
    if (is_found && !is_better(far, state)) return;
    is_found = true;
    best = std::move(state);
    least_ = far;
  }

  // Bodies that are rigid where the gaps are open stay so while these close little by little; on
  // the way to the nearest point they may be drawn through a plane. Parts of the way are halved
  // where that happens, or nothing closes.
  void close_gradually(const State& from) {
    constexpr double kPart = 1.0 / 16, kLeast = 1.0 / 512;
    State state = from;
    const VectorXd gap = positions_.residual(from);
    double open = 1, part = kPart;
    while (open > 0) {
      State trial = state;
      const auto metric = distance_.metric_at(state);
      Closure closure(positions_, *metric, options_);
      const double next = std::max(open - part, 0.0);
      const bool is_closed = closure.run(trial, gap * next) && !distance_.has_mirrored(trial);
      iterations += closure.iterations;
      if (is_closed) {
        state = std::move(trial);
        open = next;
      } else if ((part /= 2) < kLeast) {
        return;
      }
    }
    consider(std::move(state));
  }

  // Counted angles that are wrong by half a turn, which closes them too: their invariants are sin
  // of what is left to turn, and fall with the angle where it is right (equations/quantities.cpp).
  // False where they are asked for as they are.
  bool turn_back(State& state) const {
    const Evaluator& evaluator = positions_.evaluator();
    const std::vector<Equations::Counted>& all = evaluator.equations->counted;
    if (all.empty()) return true;
    const SparseMatrix h_q = sparse::evaluate(evaluator.h_q, state);
    bool has_turned = false;
    for (const Equations::Counted& counted : all) {
      if (!(h_q.coeff(counted.h, counted.q) > 0)) continue;
      state.q[static_cast<std::size_t>(counted.q)] += std::numbers::pi;
      has_turned = true;
    }
    return !has_turned ||
           largest_part(positions_.residual(state), positions_.sizes(state)) <= options_.tolerance;
  }

  // Angles that went round on the way count the turns that the guess has, where nothing but the
  // count changes with them.
  void unwind(State& state) const {
    const Equations& e = positions_.evaluator().equations;
    constexpr double kTurn = 2 * std::numbers::pi;
    const double far = distance_.squared(state);
    for (std::size_t j = 0; j < e.num_q(); ++j) {
      const double turns = std::round((state.q[j] - guess_.q[j]) / kTurn);
      if (turns == 0 || e.about.q[j].unit != "rad") continue;
      State trial = state;
      trial.q[j] -= turns * kTurn;
      const bool holds =
          largest_part(positions_.residual(trial), positions_.sizes(trial)) <= options_.tolerance;
      if (holds && distance_.squared(trial) <= far * (1 + 1e-9)) state = std::move(trial);
    }
  }

  bool is_better(double far, const State& state) const {
    constexpr double kEqual = 1e-7;  // of distances; they are exact to 1e-12
    if (std::abs(far - least_) > kEqual * (far + least_)) return far < least_;
    const VectorXd difference = distance_.place_of(state) - distance_.place_of(best);
    const double most = dense::largest(difference);
    const double size = 1e-6 * dense::largest(distance_.place_of(best));
    for (const double d : difference) {
      if (std::abs(d) > 1e-3 * most && most > size) return d > 0;
    }
    return false;
  }

  const Positions& positions_;
  const StartDistance& distance_;
  const AssemblyPull& pull_;
  const State& guess_;
  const AssemblyOptions& options_;
  double least_ = INFINITY;
  bool has_mirrored_ = false;
};

}  // namespace

double largest_part(const VectorXd& rows, const VectorXd& sizes) {
  return dense::largest(rows.cwiseQuotient(sizes));
}

VectorXd Positions::residual(const State& s) const {
  return dense::concatenate(
      {dense::view(evaluator_.g(s)), dense::view(evaluator_.h(s)), wish(0, s), wish(1, s)});
}

SparseMatrix Positions::by_q(const State& s) const {
  return sparse::stack({sparse::evaluate(evaluator_.g_q, s), sparse::evaluate(evaluator_.h_q, s),
                        wish_by_q(0, s), wish_by_q(1, s)});
}

VectorXd Positions::sizes_of_coordinates(const State& s) const {
  const Equations& e = evaluator_.equations;
  const auto is_length = [&](std::size_t j) { return e.about.q[j].unit == "m"; };
  double length = 0;
  for (std::size_t j = 0; j < e.num_q(); ++j) {
    if (is_length(j)) length = std::max(length, std::abs(s.q[j]));
  }
  VectorXd by(static_cast<Index>(e.num_q()));
  for (std::size_t j = 0; j < e.num_q(); ++j) {
    by[static_cast<Index>(j)] = is_length(j) && length > 0 ? length : 1;
  }
  return by;
}

VectorXd Positions::sizes(const State& s) const {
  constexpr double kUsual = 100;
  VectorXd out = by_q(s).cwiseAbs() * sizes_of_coordinates(s);
  for (double& size : out) {
    if (!(size > 0) || (size > 1 / kUsual && size < kUsual)) size = 1;
  }
  return out;
}

Gap Positions::gap(Index row, double size) const {
  const Equations& e = evaluator_.equations;
  auto i = static_cast<std::size_t>(row);
  if (i < e.num_g()) return gap_of(e.rows[i], size);
  i -= e.num_g();
  if (i < e.h.size()) return {fmt::format("invariant {}", i + 1), "coordinates", size};
  i -= e.h.size();
  for (const Wishes* part : wishes_) {
    if (part == nullptr) continue;
    if (i < part->names.size()) return initial_gap(part->names[i], size);
    i -= part->names.size();
  }
  return {};
}

VectorXd Positions::wish(std::size_t k, const State& s) const {
  return wishes_[k] == nullptr ? VectorXd() : VectorXd(dense::view(wishes_[k]->residual(s)));
}

SparseMatrix Positions::wish_by_q(std::size_t k, const State& s) const {
  return wishes_[k] == nullptr ? SparseMatrix(0, static_cast<Index>(s.q.size()))
                               : sparse::evaluate(wishes_[k]->by_q, s);
}

double AssemblyPull::energy(const State& s) const {
  return wishes == nullptr ? 0 : weight * weight * dense::view(wishes->residual(s)).squaredNorm();
}

PullRows AssemblyPull::rows(const State& s) const {
  if (wishes == nullptr) return {SparseMatrix(0, static_cast<Index>(s.q.size())), VectorXd()};
  return {weight * sparse::evaluate(wishes->by_q, s), -weight * dense::view(wishes->residual(s))};
}

bool close(const Positions& positions, const Metric& metric, const AssemblyOptions& options,
           State& state, int& iterations) {
  Closure closure(positions, metric, options);
  const bool is_closed = closure.run(state);
  iterations += closure.iterations;
  return is_closed;
}

bool find_nearest(const Positions& positions, const StartDistance& distance,
                  const AssemblyPull& pull, const State& guess, const AssemblyOptions& options,
                  State& state, int& iterations) {
  if (guess.q.empty()) {  // there is one position
    state = guess;
    const Eigen::VectorXd gap = positions.residual(guess);
    return gap.size() == 0 || largest_part(gap, positions.sizes(guess)) <= options.tolerance;
  }
  Search search(positions, distance, pull, guess, options);
  search.run();
  state = std::move(search.best);
  iterations += search.iterations;
  return search.is_found;
}

}  // namespace koppel

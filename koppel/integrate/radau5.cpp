// Radau IIA with three stages, order 5, on F(t, y, ẏ) = 0 of index up to 3
// [Hairer & Wanner 1996, sections IV.8 and VII.4].
//
// With Z_i = Y_i − y_n the stages i = 1, 2, 3 satisfy
//   F(t_n + c_i h, y_n + Z_i, Ẏ_i) = 0,     Ẏ_i = (1/h) Σ_j (A⁻¹)_ij Z_j                        (1)
// and y_{n+1} = Y_3, because c_3 = 1. Newton's method with F_ẏ and F_y of (t_n, y_n, ẏ_n) needs
//   (A⁻¹/h ⊗ F_ẏ + 1 ⊗ F_y) ΔZ = −F.                                                          (2)
// A⁻¹ = T Λ T⁻¹ with the real eigenvalue γ and the pair α ± iβ splits it, for W = T⁻¹ Z, into
//   (γ/h F_ẏ + F_y) ΔW_1 = −(T⁻¹F)_1,                                                         (3)
//   ((α + iβ)/h F_ẏ + F_y)(ΔW_2 + i ΔW_3) = −(T⁻¹F)_2 − i (T⁻¹F)_3.
// The error is estimated by comparison with a formula of order 3, filtered by the matrix of (3):
//   (γ/h F_ẏ + F_y) err = −F(t_n, y_n, −(1/h) Σ e_i Z_i).                                     (4)
// Dense output is the collocation polynomial, through y_n and the Y_i.
//
// Steps do not allocate, except for new pivots of a sparse matrix.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/implicit_system.hpp>

namespace koppel {
namespace {

using Stages = std::array<std::vector<double>, 3>;
using Matrix = std::array<std::array<double, 3>, 3>;

constexpr double kSqrt6 = 2.4494897427831780982;
constexpr std::array<double, 3> kC = {(4 - kSqrt6) / 10, (4 + kSqrt6) / 10, 1};
constexpr double kGamma = 3.6378342527444957322;
constexpr std::complex<double> kAlphaBeta = {2.6810828736277521339, 3.0504301992474105694};
constexpr Matrix kInverseA = {
    {{3.2247448713915890491, 1.1678400846904054949, -0.25319726474218082619},
     {-3.5678400846904054949, 0.7752551286084109509, 1.0531972647421808262},
     {5.5319726474218082619, -7.5319726474218082619, 5}}};
constexpr Matrix kT = {
    {{0.094438762488975241487, -0.14125529502095420843, -0.030029194105147424492},
     {0.25021312296533331138, 0.204129352293799932, 0.3829421127572619378},
     {1, 1, 0}}};
constexpr Matrix kInverseT = {
    {{4.1787185915519047273, 0.32768282076106238708, 0.52337644549944954804},
     {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
     {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}}};
constexpr std::array<double, 3> kE = {-(13 + 7 * kSqrt6) / 3, (-13 + 7 * kSqrt6) / 3, -1.0 / 3};

constexpr double kEps = 2.220446049250313e-16;
constexpr int kMaxRadauIterations = 7;
// Increments that no longer shrink are round-off where they are so small against the tolerance.
constexpr double kHarmless = 0.1;
// With fixed steps there is no choice but to go on.
constexpr int kMaxIterationsOfFixed = 30;
constexpr double kSafety = 0.9, kMostShrink = 0.2, kMostGrowth = 8;
// Newton's method contracts by this factor or better: its Jacobian serves another step.
constexpr double kGoodContraction = 1e-3;
// A next step up to so much longer is not taken for its own sake: the factors are kept instead.
constexpr double kKeepFactors = 1.2;

// a x_1 + b x_2 + c x_3, for all i.
double weighted(const std::array<double, 3>& w, const Stages& x, std::size_t i) {
  return w[0] * x[0][i] + w[1] * x[1][i] + w[2] * x[2][i];
}

class CollocationStep : public Step {
 public:
  explicit CollocationStep(std::size_t n) : Step(0, 0), y0(n), y1(n) {
    for (std::vector<double>& z : Z) z.resize(n);
  }

  // Lagrange's polynomials at the nodes 0 (where Z = 0), c_1, c_2, 1.
  static std::array<double, 3> weights(double x) {
    std::array<double, 3> w;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      w[i] = x * (x - kC[j]) * (x - kC[k]) / (kC[i] * (kC[i] - kC[j]) * (kC[i] - kC[k]));
    }
    return w;
  }

  void evaluate(double t, std::span<double> y) const override {
    if (t == t0 || t == t1) {
      const std::vector<double>& end = t == t0 ? y0 : y1;
      std::copy(end.begin(), end.end(), y.begin());
      return;
    }
    const std::array<double, 3> w = weights((t - t0) / (t1 - t0));
    for (std::size_t i = 0; i < y0.size(); ++i) y[i] = y0[i] + weighted(w, Z, i);
  }

  std::vector<double> y0, y1;
  Stages Z;
};

class Radau5 {
 public:
  Radau5(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        system_(segment, outcome.statistics),
        n_(system_.size()),
        real_(segment.problem.residual->pattern()),
        complex_(segment.problem.residual->pattern()),
        step_(n_),
        rate_(n_),
        stage_(n_),
        stage_rate_(n_),
        error_(n_),
        complex_right_(n_),
        is_fixed_(segment.options.step.has_value()) {
    for (auto* stages : {&Z_, &W_, &F_}) {
      for (std::vector<double>& x : *stages) x.resize(n_);
    }
    // The estimate (4) is of order 3, the result of order 5: tolerances are raised accordingly, so
    // that the error is nearly proportional to what the user asked for.
    // In index 3, where (4) sees velocities through h only, it is taken ten times more seriously.
    tolerance_ =
        (segment.problem.index == 3 ? 0.01 : 0.1) * std::pow(segment.options.tolerance, 2.0 / 3);
    newton_tolerance_ = std::max(50 * kEps / tolerance_, std::min(0.03, std::sqrt(tolerance_)));
  }

  double run();

 private:
  enum class Iteration { Good, Slow, Divergent };

  double starting_step(bool knows_rates) const;
  bool prepare(double h);
  void predict(double h);
  Iteration iterate(double h);
  double estimate_error(double h);
  bool arrive(double t1);
  std::string_view attempt(const NextStep& next);
  void choose_step(const NextStep& next, double error, double growth);

  const Segment& segment_;
  Outcome& outcome_;
  ImplicitSystem system_;
  std::size_t n_;
  LinearSolver<double> real_;
  LinearSolver<std::complex<double>> complex_;
  CollocationStep step_;  // the last one accepted
  std::vector<double> rate_;
  Stages Z_, W_, F_;
  std::vector<double> stage_, stage_rate_, error_;
  std::vector<std::complex<double>> complex_right_;

  const bool is_fixed_;
  double tolerance_, newton_tolerance_;
  bool is_first_ = true, was_rejected_ = false;
  bool has_jacobian_ = false, is_jacobian_fresh_ = false;
  double factored_h_ = 0;
  double contraction_ = 0;      // of the last Newton iteration
  double contraction_sum_ = 1;  // θ/(1 − θ): what is still to come, relative to the last increment
  double slow_factor_ = 0.5;  // what to shorten a step by whose iteration is too slow
  double factor_ = 0.5;
  double h_ = 0;  // wanted
  double last_h_ = 0, last_error_ = 0;
  int iterations_ = 0;
};

// A hundredth of the time in which y changes by its size; less for small tolerances.
double Radau5::starting_step(bool knows_rates) const {
  const double length = segment_.t_end - outcome_.t;
  const double rate = system_.relative_rate(outcome_.y, rate_);
  if (!knows_rates || rate == 0) return 1e-6 * length;
  const double factor = std::min(1.0, std::pow(1e4 * segment_.options.tolerance, 1.0 / 6));
  return std::min(0.01 * factor / rate, 1e-2 * length);
}

// Jacobian and factors for a step h, as far as they are not there.
bool Radau5::prepare(double h) {
  if (!has_jacobian_) {
    if (!system_.jacobian(outcome_.t, outcome_.y, rate_)) return false;
    has_jacobian_ = is_jacobian_fresh_ = true;
    factored_h_ = 0;
  }
  if (factored_h_ == h) return true;
  factored_h_ = 0;
  system_.set_step(h);
  if (!system_.factor(kGamma / h, real_) || !system_.factor(kAlphaBeta / h, complex_)) return false;
  factored_h_ = h;
  return true;
}

// First values of Z: the polynomial of the last step, continued; at the start, a straight line.
void Radau5::predict(double h) {
  const double last_h = step_.t1 - step_.t0;
  for (std::size_t s = 0; s < 3; ++s) {
    if (is_first_) {
      for (std::size_t i = 0; i < n_; ++i) {
        Z_[s][i] = system_.is_differential(i) ? kC[s] * h * rate_[i] : 0;
      }
      continue;
    }
    const std::array<double, 3> w = CollocationStep::weights(1 + kC[s] * h / last_h);
    for (std::size_t i = 0; i < n_; ++i) {
      Z_[s][i] = step_.y0[i] + weighted(w, step_.Z, i) - outcome_.y[i];
    }
  }
  for (std::size_t s = 0; s < 3; ++s) {
    for (std::size_t i = 0; i < n_; ++i) W_[s][i] = weighted(kInverseT[s], Z_, i);
  }
}

// Solves (1). Increments δ_k are expected to shrink by θ; the iteration ends when what is still to
// come, θ/(1 − θ) |δ_k|, is small against the tolerance, or is given up when that will not happen
// in time. In index 3 round-off ε of the constraints makes multipliers uncertain by m ε/h², which
// is far above ε for heavy parts: increments of that size stay as they are however short the step
// is. They are accepted where they are harmless.
Radau5::Iteration Radau5::iterate(double h) {
  const double t = outcome_.t;
  contraction_sum_ = std::pow(std::max(contraction_sum_, kEps), 0.8);
  contraction_ = kGoodContraction;
  double last_norm = 0, last_ratio = 0;
  const int most = is_fixed_ ? kMaxIterationsOfFixed : kMaxRadauIterations;
  for (iterations_ = 1; iterations_ <= most; ++iterations_) {
    ++outcome_.statistics.iterations;
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t i = 0; i < n_; ++i) {
        stage_[i] = outcome_.y[i] + Z_[s][i];
        stage_rate_[i] = weighted(kInverseA[s], Z_, i) / h;
      }
      if (!system_.residual(t + kC[s] * h, stage_, stage_rate_, F_[s])) return Iteration::Divergent;
    }
    // Eq. (3); error_ serves as ΔW_1.
    for (std::size_t i = 0; i < n_; ++i) {
      error_[i] = -weighted(kInverseT[0], F_, i);
      complex_right_[i] = {-weighted(kInverseT[1], F_, i), -weighted(kInverseT[2], F_, i)};
    }
    system_.solve(real_, std::span(error_));
    system_.solve(complex_, std::span(complex_right_));
    for (std::size_t i = 0; i < n_; ++i) {
      F_[0][i] = error_[i];
      F_[1][i] = complex_right_[i].real();
      F_[2][i] = complex_right_[i].imag();
    }
    double norm = 0;
    for (const std::vector<double>& delta : F_) {
      norm = std::max(norm, system_.norm(delta, outcome_.y) / tolerance_);
    }
    if (!std::isfinite(norm)) return Iteration::Divergent;

    const bool at_round_off = norm * tolerance_ <= 50 * kEps;
    bool is_stagnant = false;
    if (iterations_ > 1 && !at_round_off) {
      const double ratio = norm / last_norm;
      contraction_ = iterations_ == 2 ? ratio : std::sqrt(ratio * last_ratio);
      last_ratio = ratio;
      const bool is_harmless = norm <= kHarmless;
      if (contraction_ >= (is_fixed_ ? 2 : 0.99) && !is_harmless) return Iteration::Divergent;
      contraction_sum_ = contraction_ < 0.99 ? contraction_ / (1 - contraction_) : 100;
      const int left = most - iterations_;
      const double at_end =
          contraction_sum_ * norm * std::pow(contraction_, left) / newton_tolerance_;
      is_stagnant = at_end >= 1 && is_harmless;
      if (at_end >= 1 && !is_fixed_ && !is_stagnant) {
        slow_factor_ = 0.8 * std::pow(std::clamp(at_end, 1e-4, 20.0), -1.0 / (4 + left));
        return Iteration::Slow;
      }
    }
    last_norm = std::max(norm, kEps);
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t i = 0; i < n_; ++i) W_[s][i] += F_[s][i];
    }
    for (std::size_t s = 0; s < 3; ++s) {
      for (std::size_t i = 0; i < n_; ++i) Z_[s][i] = weighted(kT[s], W_, i);
    }
    if (at_round_off || is_stagnant || contraction_sum_ * norm <= newton_tolerance_) {
      return Iteration::Good;
    }
  }
  return Iteration::Divergent;
}

// Eq. (4); where that is large at the first step, or after a rejection, once more from y_n + err,
// which damps the stiff components that are not smooth yet.
double Radau5::estimate_error(double h) {
  const auto solve = [&](std::span<const double> y) {
    if (!system_.residual(outcome_.t, y, stage_rate_, F_[0])) return false;
    for (std::size_t i = 0; i < n_; ++i) error_[i] = -F_[0][i];
    system_.solve(real_, std::span(error_));
    return true;
  };
  for (std::size_t i = 0; i < n_; ++i) stage_rate_[i] = -weighted(kE, Z_, i) / h;
  if (!solve(outcome_.y)) return INFINITY;
  double error = system_.norm(error_, outcome_.y) / tolerance_;
  if (error >= 1 && (is_first_ || was_rejected_)) {
    for (std::size_t i = 0; i < n_; ++i) stage_[i] = outcome_.y[i] + error_[i];
    if (!solve(stage_)) return INFINITY;
    error = system_.norm(error_, outcome_.y) / tolerance_;
  }
  return std::max(error, 1e-10);
}

// Makes the stages the last accepted step, its end projected onto the constraints.
bool Radau5::arrive(double t1) {
  const double h = t1 - outcome_.t;
  for (std::size_t i = 0; i < n_; ++i) stage_[i] = outcome_.y[i] + Z_[2][i];
  if (!system_.project(t1, stage_) || !all_finite(stage_)) return false;
  for (std::size_t i = 0; i < n_; ++i) rate_[i] = weighted(kInverseA[2], Z_, i) / h;
  std::copy(outcome_.y.begin(), outcome_.y.end(), step_.y0.begin());
  std::copy(stage_.begin(), stage_.end(), step_.y1.begin());
  for (std::size_t s = 0; s < 3; ++s) std::swap(step_.Z[s], Z_[s]);
  for (std::size_t i = 0; i < n_; ++i) step_.Z[2][i] = step_.y1[i] - step_.y0[i];
  step_.t0 = outcome_.t;
  step_.t1 = outcome_.t = t1;
  std::copy(stage_.begin(), stage_.end(), outcome_.y.begin());
  is_first_ = false;
  return true;
}

// Tries a step; the reason where it fails, and then factor_ says by what to shorten it.
std::string_view Radau5::attempt(const NextStep& next) {
  factor_ = 0.5;
  if (!prepare(next.h)) return kSingular;
  predict(next.h);
  const Iteration iteration = iterate(next.h);
  if (iteration != Iteration::Good) {
    if (iteration == Iteration::Slow) factor_ = slow_factor_;
    // With a Jacobian of an earlier point the same step deserves another trial.
    if (!is_jacobian_fresh_) factor_ = 1;
    return kNoConvergence;
  }
  const double error = is_fixed_ ? 0 : estimate_error(next.h);
  // The more iterations were needed, the more careful.
  constexpr double kWork = 2 * kMaxRadauIterations;
  const double safety = kSafety * std::min(1.0, (1 + kWork) / (iterations_ + kWork));
  const double growth = std::clamp(safety / std::pow(error, 0.25), kMostShrink, kMostGrowth);
  if (error >= 1) {
    factor_ = is_first_ ? 0.1 : std::min(growth, 0.9);
    return kTooRough;
  }
  if (!arrive(next.t1)) return kNoProjection;
  has_jacobian_ = contraction_ <= kGoodContraction;
  is_jacobian_fresh_ = false;
  if (!is_fixed_) choose_step(next, error, growth);
  return {};
}

// After an accepted step: Gustafsson's prediction from the last two errors [Gustafsson 1994], where
// that is more careful than the growth that the last one suggests.
void Radau5::choose_step(const NextStep& next, double error, double growth) {
  if (last_h_ > 0) {
    const double predicted =
        kSafety * (next.h / last_h_) * std::pow(last_error_ / (error * error), 0.25);
    growth = std::min(growth, std::clamp(predicted, kMostShrink, kMostGrowth));
  }
  if (was_rejected_) growth = std::min(growth, 1.0);
  was_rejected_ = false;
  last_h_ = next.h;
  last_error_ = std::max(error, 1e-2);
  const bool keep = has_jacobian_ && growth >= 1 && growth <= kKeepFactors;
  const double h = keep ? next.h : next.h * growth;
  // A step cut short by the end says little about what would have been possible.
  h_ = next.is_last ? std::max(h, h_) : h;
}

double Radau5::run() {
  outcome_.statistics.order = 5;
  const bool knows_rates = system_.starting_rates(outcome_.t, outcome_.y, rate_);
  h_ = segment_.h_guess > 0 ? segment_.h_guess : starting_step(knows_rates);
  if (is_fixed_) {
    const long count = num_equal_steps(outcome_.t, segment_.t_end, *segment_.options.step);
    h_ = (segment_.t_end - outcome_.t) / static_cast<double>(count);
  }
  while (outcome_.t < segment_.t_end) {
    NextStep next = next_step(outcome_.t, h_, segment_);
    if (is_fixed_ && !next.is_last) next = {h_, outcome_.t + h_, false};
    const std::string_view reason = attempt(next);
    if (reason.empty()) {
      if (!finish_step(segment_, step_, outcome_)) break;
      continue;
    }
    ++outcome_.statistics.rejected;
    if (!is_jacobian_fresh_) has_jacobian_ = false;
    contraction_sum_ = 1;
    if (factor_ == 1) continue;
    was_rejected_ = true;
    h_ = next.h * factor_;
    if (is_fixed_ || h_ < smallest_step(outcome_.t, segment_.t_end)) {
      fail(outcome_, reason, is_fixed_ ? kTrySmallerStep : kAtAnyStep);
      break;
    }
  }
  return h_;
}

}  // namespace

double run_radau5(const Segment& segment, Outcome& outcome) {
  return Radau5(segment, outcome).run();
}

}  // namespace koppel

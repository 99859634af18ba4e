// The method of Dormand and Prince of order 8, with step control and interpolation of order 7
// [Hairer, Nørsett & Wanner 1993, section II.10]. Projection moves the end of a step onto the
// constraints before the rates there are taken; the interpolation ends there as well, which changes
// it by no more than the error of the step.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/dop853_coefficients.hpp>
#include <koppel/integrate/explicit_system.hpp>

namespace koppel {
namespace {

using dop853::Weight;

// Step control: the next step is h · safety · err^(−expo) · err_old^β, a PI controller.
constexpr double kSafety = 0.9, kBeta = 0.04, kExponent = 1.0 / 8 - 0.75 * kBeta;
constexpr double kMostShrink = 1.0 / 3, kMostGrowth = 6;

class Dop853Step : public Step {
 public:
  Dop853Step(ExplicitSystem& system, std::size_t size)
      : Step(0, 0), y0(size), y1(size), system_(system), stage_(system.size()) {
    for (std::vector<double>& k : k_) k.resize(system.size());
    for (std::vector<double>& r : highest_) r.resize(system.size());
  }

  std::vector<double>& rate0() { return k_[0]; }
  std::vector<double>& rate1() { return k_[dop853::kNumStages]; }

  // The stages and y1, not projected, of a step of length h from t0, y0 with rate0.
  bool take(double h) {
    is_prepared_ = false;
    for (int s = 1; s < dop853::kNumStages; ++s) {
      if (!evaluate_stage(s, h)) return false;
    }
    combine(dop853::kB, h, y1);
    for (std::size_t i = 0; i < system_.size(); ++i) y1[i] += y0[i];
    return true;
  }

  // The estimated error of y1 over what is allowed: from e₅ and e₃ of orders 5 and 3,
  //   e₅² / √(e₅² + 0.01 e₃²),  an estimate of order 7.
  double error(double h, const IntegrateOptions& options) {
    const std::size_t n = system_.size();
    const std::span<const double> a = std::span(y0).first(n), b = std::span(y1).first(n);
    combine(dop853::kError5, h, stage_);
    const double e5 = error_norm(stage_, a, b, options.absolute_scale);
    combine(dop853::kError3, h, stage_);
    const double e3 = error_norm(stage_, a, b, options.absolute_scale);
    const double both = std::sqrt(e5 * e5 + 0.01 * e3 * e3);
    return both == 0 ? 0 : e5 * e5 / both / options.tolerance;
  }

  // With x = (t − t0)/h, Δ = y1 − y0:
  //   y0 + x(Δ + (1−x)(r₂ + x(r₃ + (1−x)(r₄ + x(r₅ + (1−x)(r₆ + x r₇))))))
  // where r₂ = hẏ0 − Δ and r₃ = Δ − hẏ1 − r₂ make it a Hermite interpolation at both ends.
  void evaluate(double t, std::span<double> y) const override {
    if (t == t0 || t == t1) {
      const std::vector<double>& end = t == t0 ? y0 : y1;
      std::copy(end.begin(), end.end(), y.begin());
      return;
    }
    if (!is_prepared_) prepare();
    const double h = t1 - t0, x = (t - t0) / h, w = 1 - x;
    const std::size_t n = system_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double change = y1[i] - y0[i];
      const double r2 = h * k_[0][i] - change;
      const double r3 = change - h * k_[dop853::kNumStages][i] - r2;
      double inner = highest_[2][i] + x * highest_[3][i];
      inner = highest_[0][i] + x * (highest_[1][i] + w * inner);
      y[i] = y0[i] + x * (change + w * (r2 + x * (r3 + w * inner)));
    }
    std::copy(y1.begin() + static_cast<std::ptrdiff_t>(n), y1.end(),
              y.begin() + static_cast<std::ptrdiff_t>(n));
    system_.solve_multipliers(t, y);
  }

  std::vector<double> y0, y1;

 private:
  // out = h Σ weight k.
  void combine(std::span<const Weight> weights, double h, std::span<double> out) const {
    const std::size_t n = system_.size();
    std::fill_n(out.begin(), n, 0.0);
    for (const Weight& weight : weights) {
      const double factor = h * weight.value;
      const double* const k = k_[static_cast<std::size_t>(weight.stage)].data();
      for (std::size_t i = 0; i < n; ++i) out[i] += factor * k[i];
    }
  }

  bool evaluate_stage(int s, double h) const {
    combine(dop853::kA[s], h, stage_);
    for (std::size_t i = 0; i < system_.size(); ++i) stage_[i] += y0[i];
    return system_.rate(t0 + dop853::kC[s] * h, stage_, k_[static_cast<std::size_t>(s)]);
  }

  // The three stages of the interpolation, when it is first asked for. Where they do not exist,
  // what remains is the Hermite interpolation.
  void prepare() const {
    const double h = t1 - t0;
    bool ok = true;
    for (int s = dop853::kNumStages + 1; s < dop853::kNumAllStages; ++s) {
      ok = ok && evaluate_stage(s, h);
    }
    for (std::size_t r = 0; r < highest_.size(); ++r) {
      combine(ok ? dop853::kD[r] : std::span<const Weight>{}, h, highest_[r]);
    }
    is_prepared_ = true;
  }

  ExplicitSystem& system_;
  mutable std::array<std::vector<double>, dop853::kNumAllStages> k_;
  mutable std::array<std::vector<double>, 4> highest_;  // r₄ … r₇
  mutable std::vector<double> stage_;
  mutable bool is_prepared_ = false;
};

class Dop853 {
 public:
  Dop853(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        system_(segment, outcome.statistics),
        step_(system_, outcome.y.size()) {}

  double run() {
    outcome_.statistics.order = 8;
    if (!system_.rate(outcome_.t, outcome_.y, step_.rate1())) {
      fail(outcome_, kNoRates);
      return 0;
    }
    system_.multipliers(outcome_.y);
    step_.y1 = outcome_.y;
    return segment_.options.step ? run_fixed() : run_adaptive();
  }

 private:
  double run_fixed() {
    const double t_start = outcome_.t;
    const long count = num_equal_steps(t_start, segment_.t_end, *segment_.options.step);
    const double h = (segment_.t_end - t_start) / static_cast<double>(count);
    for (long k = 1; k <= count; ++k) {
      const double t1 = k == count ? segment_.t_end : t_start + static_cast<double>(k) * h;
      begin();
      if (!step_.take(t1 - step_.t0)) {
        fail(outcome_, kNoRates);
        return h;
      }
      if (const std::string_view problem = arrive(t1); !problem.empty()) {
        fail(outcome_, problem);
        return h;
      }
      if (!accept(t1)) return h;
    }
    return h;
  }

  double run_adaptive() {
    double h = segment_.h_guess > 0
                   ? segment_.h_guess
                   : system_.starting_step(outcome_.t, outcome_.y, step_.rate1(), 8);
    double old_error = 1e-4;
    bool rejected = false;
    while (outcome_.t < segment_.t_end) {
      const double wanted = h;
      const NextStep next = next_step(outcome_.t, h, segment_);
      begin();
      std::string_view reason = kNoRates;
      double shrink = 0.25;
      if (step_.take(next.h)) {
        const double error = step_.error(next.h, segment_.options);
        const double power = std::pow(std::max(error, 1e-12), kExponent);
        if (error <= 1) {
          reason = arrive(next.t1);
          if (reason.empty()) {
            double growth = kSafety * std::pow(old_error, kBeta) / power;
            growth = std::clamp(growth, kMostShrink, kMostGrowth);
            if (rejected) growth = std::min(growth, 1.0);
            old_error = std::max(error, 1e-4);
            rejected = false;
            // A step cut short by the end says little about what would have been possible.
            h = next.is_last ? std::max(next.h * growth, wanted) : next.h * growth;
            if (!accept(next.t1)) return h;
            continue;
          }
        } else {
          reason = kTooRough;
          shrink = std::isfinite(error) ? std::max(kMostShrink, kSafety / power) : 0.1;
        }
      }
      ++outcome_.statistics.rejected;
      rejected = true;
      revert();
      h = next.h * shrink;
      if (h < smallest_step(outcome_.t, segment_.t_end)) {
        fail(outcome_, reason, kAtAnyStep);
        return h;
      }
    }
    return h;
  }

  // The end of the last step is the start of this one.
  void begin() {
    step_.t0 = outcome_.t;
    std::swap(step_.y0, step_.y1);
    std::swap(step_.rate0(), step_.rate1());
  }
  void revert() {
    std::swap(step_.y0, step_.y1);
    std::swap(step_.rate0(), step_.rate1());
  }

  // Projects y1 and takes its rates; the reason where that fails.
  std::string_view arrive(double t1) {
    if (!system_.project(t1, step_.y1)) return kNoProjection;
    if (!system_.rate(t1, step_.y1, step_.rate1())) return kNoRates;
    system_.multipliers(step_.y1);
    return all_finite(step_.y1) ? std::string_view{} : kNoRates;
  }

  bool accept(double t1) {
    step_.t1 = outcome_.t = t1;
    std::copy(step_.y1.begin(), step_.y1.end(), outcome_.y.begin());
    return finish_step(segment_, step_, outcome_);
  }

  const Segment& segment_;
  Outcome& outcome_;
  ExplicitSystem system_;
  Dop853Step step_;
};

}  // namespace

double run_dop853(const Segment& segment, Outcome& outcome) {
  return Dop853(segment, outcome).run();
}

}  // namespace koppel

// The method of Dormand and Prince of order 8, with step control and interpolation of order 7
// [Hairer, Nørsett & Wanner 1993, section II.10]. Projection moves the end of a step onto the
// constraints before the rates there are taken; the interpolation ends there as well, which changes
// it by no more than the error of the step.
#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <koppel/runtime/dop853.h>
#include <koppel/integrate/advance.hpp>
#include <koppel/integrate/explicit_system.hpp>

namespace koppel {
namespace {

// The step of runtime/dop853.h with its memory, and the interpolation.
class Dop853Step : public Step {
 public:
  // y of `size` numbers, of which the system's are advanced.
  Dop853Step(ExplicitSystem& system, std::size_t size, const IntegrateOptions& options)
      : Step(0, 0),
        system_(system),
        size_(size),
        memory_(2 * size + (KOPPEL_DOP853_ALL_STAGES + 5) * system.size()),
        ode_{static_cast<int>(system.size()), rate, arrive, this} {
    double* next = memory_.data();
    const auto take = [&](std::size_t n) { return std::exchange(next, next + n); };
    now_.y0 = take(size);
    now_.y1 = take(size);
    now_.stage = take(system.size());
    for (double*& k : now_.k) k = take(system.size());
    for (double*& r : highest_) r = take(system.size());
    koppel_dop853_init(&now_, 0, 0, options.tolerance, options.absolute_scale);
  }

  std::span<double> y1() const { return {now_.y1, size_}; }
  std::span<double> rate1() const { return {now_.k[KOPPEL_DOP853_STAGES], system_.size()}; }
  long num_rejected() const { return now_.num_rejected; }
  double h() const { return now_.h; }

  // At t, with y1 and rate1 set.
  void begin(double t, double h) {
    now_.t1 = t;
    now_.h = h;
  }

  // 0, or the reason why there is no such step.
  int take_adaptive(double t_end, double max_step) {
    return finish(koppel_dop853_step(&now_, &ode_, t_end, max_step));
  }
  int take_fixed(double to) {
    now_.t0 = now_.t1;
    koppel_dop853_swap(&now_);
    int reason = koppel_dop853_take(&now_, &ode_, to - now_.t0);
    if (reason == 0) reason = arrive(this, to, now_.y1, now_.k[KOPPEL_DOP853_STAGES]);
    if (reason != 0) koppel_dop853_swap(&now_);
    if (reason == 0) now_.t1 = to;
    return finish(reason);
  }

  int order() const override { return 7; }
  void evaluate(double t, std::span<double> y) const override {
    evaluate_states(t, y);
    if (t != t0 && t != t1) system_.solve_multipliers(t, y);
  }
  void evaluate_some(double t, std::span<const int> places, std::span<double> y) const override {
    system_.are_states(places) ? evaluate_states(t, y) : evaluate(t, y);
  }
  // With x = (t − t0)/h, Δ = y1 − y0:
  //   y0 + x(Δ + (1−x)(r₂ + x(r₃ + (1−x)(r₄ + x(r₅ + (1−x)(r₆ + x r₇))))))
  // where r₂ = hẏ0 − Δ and r₃ = Δ − hẏ1 − r₂ make it a Hermite interpolation at both ends.
  void evaluate_states(double t, std::span<double> y) const {
    if (t == t0 || t == t1) {
      std::copy_n(t == t0 ? now_.y0 : now_.y1, size_, y.begin());
      return;
    }
    if (!is_prepared_) prepare();
    const double h = t1 - t0, x = (t - t0) / h, w = 1 - x;
    const std::size_t n = system_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const double change = now_.y1[i] - now_.y0[i];
      const double r2 = h * now_.k[0][i] - change;
      const double r3 = change - h * now_.k[KOPPEL_DOP853_STAGES][i] - r2;
      double inner = highest_[2][i] + x * highest_[3][i];
      inner = highest_[0][i] + x * (highest_[1][i] + w * inner);
      y[i] = now_.y0[i] + x * (change + w * (r2 + x * (r3 + w * inner)));
    }
    std::copy(now_.y1 + n, now_.y1 + size_, y.begin() + static_cast<std::ptrdiff_t>(n));
  }

 private:
  int finish(int reason) {
    t0 = now_.t0;
    t1 = now_.t1;
    is_prepared_ = false;
    return reason;
  }

  static int rate(void* step, double t, const double* y, double* rate) {
    ExplicitSystem& system = static_cast<Dop853Step*>(step)->system_;
    return system.rate(t, {y, system.size()}, {rate, system.size()}) ? 0 : KOPPEL_NO_RATES;
  }
  // Projects and takes the rates at the end.
  static int arrive(void* step, double t, double* y, double* rate) {
    const std::size_t size = static_cast<Dop853Step*>(step)->size_;
    ExplicitSystem& system = static_cast<Dop853Step*>(step)->system_;
    const std::span<double> whole(y, size);
    if (!system.project(t, whole)) return KOPPEL_NOT_PROJECTED;
    if (!system.rate(t, whole, {rate, system.size()})) return KOPPEL_NO_RATES;
    system.multipliers(whole);
    return all_finite(whole) ? 0 : KOPPEL_NO_RATES;
  }

  // The three stages of the interpolation, when it is first asked for. Where they do not exist,
  // what remains is the Hermite interpolation.
  void prepare() const {
    const double h = t1 - t0;
    bool ok = true;
    for (int s = KOPPEL_DOP853_STAGES + 1; s < KOPPEL_DOP853_ALL_STAGES; ++s) {
      ok = ok && koppel_dop853_evaluate_stage(&now_, &ode_, s, h) == 0;
    }
    for (std::size_t r = 0; r < std::size(highest_); ++r) {
      koppel_dop853_combine(ok ? koppel_dop853_d[r] : koppel_weights{}, h, now_.k, ode_.n,
                            highest_[r]);
    }
    is_prepared_ = true;
  }

  ExplicitSystem& system_;
  std::size_t size_;
  std::vector<double> memory_;
  koppel_ode ode_;
  mutable koppel_dop853 now_{};
  double* highest_[4];  // r₄ … r₇
  mutable bool is_prepared_ = false;
};

std::string_view reason_of(int code) {
  switch (code) {
    case KOPPEL_NOT_PROJECTED: return kNoProjection;
    case KOPPEL_TOO_ROUGH: return kTooRough;
    default: return kNoRates;
  }
}

class Dop853 {
 public:
  Dop853(const Segment& segment, Outcome& outcome)
      : segment_(segment),
        outcome_(outcome),
        system_(segment, outcome.statistics),
        step_(system_, outcome.y.size(), segment.options) {}

  double run() {
    outcome_.statistics.order = 8;
    if (!system_.rate(outcome_.t, outcome_.y, step_.rate1())) {
      fail(outcome_, kNoRates);
      return 0;
    }
    system_.multipliers(outcome_.y);
    std::copy(outcome_.y.begin(), outcome_.y.end(), step_.y1().begin());
    return segment_.options.step ? run_fixed() : run_adaptive();
  }

 private:
  double run_fixed() {
    const double t_start = outcome_.t;
    const long count = num_equal_steps(t_start, segment_.t_end, *segment_.options.step);
    const double h = (segment_.t_end - t_start) / static_cast<double>(count);
    step_.begin(t_start, h);
    for (long k = 1; k <= count; ++k) {
      const double t1 = k == count ? segment_.t_end : t_start + static_cast<double>(k) * h;
      if (const int reason = step_.take_fixed(t1); reason != 0) {
        fail(outcome_, reason_of(reason));
        return h;
      }
      if (!accept(t1)) return h;
    }
    return h;
  }

  double run_adaptive() {
    step_.begin(outcome_.t, segment_.h_guess > 0
                                ? segment_.h_guess
                                : system_.starting_step(outcome_.t, outcome_.y, step_.rate1(), 8));
    while (outcome_.t < segment_.t_end) {
      const long rejected = step_.num_rejected();
      const int reason = step_.take_adaptive(segment_.t_end, segment_.options.max_step);
      outcome_.statistics.rejected += step_.num_rejected() - rejected;
      if (reason != 0) {
        fail(outcome_, reason_of(reason), kAtAnyStep);
        break;
      }
      if (!accept(step_.t1)) break;
    }
    return step_.h();
  }

  bool accept(double t1) {
    outcome_.t = t1;
    const std::span<const double> y1 = step_.y1();
    std::copy(y1.begin(), y1.end(), outcome_.y.begin());
    return finish_step(segment_, step_, outcome_);
  }

  const Segment& segment_;
  Outcome& outcome_;
  ExplicitSystem system_;
  Dop853Step step_;
};

}  // namespace

std::string describe_dop853_failure(int reason) {
  if (reason != KOPPEL_TOO_MANY_TRIES) return fmt::format("{}{}", reason_of(reason), kAtAnyStep);
  return fmt::format(
      "more than {} inner steps would be needed: the motion switches back and forth, as where "
      "friction by sign(v) sticks, or is too fast for a step of this length",
      static_cast<int>(KOPPEL_DOP853_MOST_TRIES));
}

double run_dop853(const Segment& segment, Outcome& outcome) {
  return Dop853(segment, outcome).run();
}

}  // namespace koppel

#include <koppel/integrate/lane_dop853.hpp>

#include <algorithm>
#include <utility>

namespace koppel {

// One call of advance().
class LaneDop853::Run {
 public:
  Run(const LaneDop853& of, std::span<double> in, std::span<const double> t_end,
      std::span<int> reasons, Work& work)
      : of_(of), lanes_(of.lanes()), in_(in), t_end_(t_end), reasons_(reasons), work_(work) {
    double* next = work.numbers.data();
    const auto take = [&](std::size_t rows) { return std::exchange(next, next + rows * lanes_); };
    y0_ = take(of.num_y_);
    y1_ = take(of.num_y_);
    moved_ = take(of.num_moved_);
    h_ = take(1);
    bad_ = take(1);
    e5_ = take(1);
    e3_ = take(1);
    t_ = take(1);
    power_ = take(1);
    old_power_ = take(1);
    for (double*& k : k_) k = take(of.num_y_);
  }
  static std::size_t num_rows(const LaneDop853& of) {
    return (KOPPEL_DOP853_STAGES + 1 + 2) * of.num_y_ + of.num_moved_ + 7;
  }

  void run() {
    begin();
    while (propose()) {
      take_stages();
      judge();
      arrive();
      finish_tries();
    }
    for (std::size_t l = 0; l < lanes_; ++l) {
      in_[l] = work_.control[l].t1;
      in_[lanes_ + l] = work_.control[l].h;
    }
    std::copy_n(y0_, of_.num_y_ * lanes_, state());
  }

 private:
  double* state() const { return in_.data() + 2 * lanes_; }

  void begin() {
    std::copy_n(state(), of_.num_y_ * lanes_, y0_);
    std::fill_n(bad_, lanes_, 0.0);
    for (std::size_t l = 0; l < lanes_; ++l) {
      work_.control[l] = {};
      koppel_dop853_init(&work_.control[l], in_[l], in_[lanes_ + l], of_.tolerance_, of_.scale_);
    }
    evaluate(k_[0]);
    for (std::size_t l = 0; l < lanes_; ++l) {
      reasons_[l] = bad_[l] == 0 ? 0 : KOPPEL_NO_RATES;
      work_.is_active[l] = reasons_[l] == 0 && in_[l] < t_end_[l];
    }
  }

  // The rates at the times and states of in_.
  void evaluate(double* rates) {
    of_.rates_.evaluate(in_.data(), rates, work_.rates.data());
    of_.kernels_.check(rates, static_cast<int>(of_.num_y_), bad_);
  }

  // A step for each lane that goes on; false where none does.
  bool propose() {
    bool any = false;
    for (std::size_t l = 0; l < lanes_; ++l) {
      koppel_dop853& s = work_.control[l];
      h_[l] = bad_[l] = 0;
      t_[l] = s.t1;
      if (work_.is_active[l] == 0) continue;
      any = true;
      s.t0 = s.t1;
      work_.tried[l] = koppel_dop853_propose(s.t0, s.h, t_end_[l], 0);
      h_[l] = work_.tried[l].h;
    }
    return any;
  }

  // koppel_dop853_take
  void take_stages() {
    const int n = static_cast<int>(of_.num_y_);
    for (int stage = 1; stage < KOPPEL_DOP853_STAGES; ++stage) {
      of_.kernels_.combine(koppel_dop853_a[stage], h_, k_, n, y0_, state());
      of_.kernels_.times(t_, koppel_dop853_c[stage], h_, in_.data());
      evaluate(k_[stage]);
    }
    of_.kernels_.combine(koppel_dop853_a[KOPPEL_DOP853_STAGES], h_, k_, n, y0_, y1_);
  }

  // Errors, which end in e5_, of lanes that have rates.
  void judge() {
    const int n = static_cast<int>(of_.num_y_);
    of_.kernels_.errors(h_, k_, y0_, y1_, n, of_.scale_, e5_, e3_);
    for (std::size_t l = 0; l < lanes_; ++l) {
      e5_[l] = koppel_dop853_both(e5_[l], e3_[l], of_.tolerance_);
      power_[l] = koppel_dop853_counted(e5_[l]);
      old_power_[l] = work_.control[l].old_error;
    }
    of_.kernels_.power(power_, KOPPEL_DOP853_EXPONENT, power_);
    of_.kernels_.power(old_power_, KOPPEL_DOP853_BETA, old_power_);
    for (std::size_t l = 0; l < lanes_; ++l) {
      work_.is_good[l] = work_.is_active[l];
      if (work_.is_active[l] == 0) continue;
      if (!(bad_[l] == 0)) {
        refuse(l, KOPPEL_NO_RATES, 0.25);
      } else if (!(e5_[l] <= 1)) {
        refuse(l, KOPPEL_TOO_ROUGH, koppel_dop853_shrink(e5_[l], power_[l]));
      }
    }
  }
  // The shrink takes the place of e3, which is not needed any more.
  void refuse(std::size_t l, int reason, double shrink) {
    work_.is_good[l] = 0;
    reasons_[l] = reason;
    e3_[l] = shrink;
  }

  // koppel_accurate_arrive, for lanes whose error is small enough.
  void arrive() {
    if (std::none_of(work_.is_good.begin(), work_.is_good.end(), [](char x) { return x != 0; }))
      return;
    for (std::size_t l = 0; l < lanes_; ++l) {
      in_[l] = work_.is_good[l] != 0 ? work_.tried[l].t1 : t_[l];
    }
    std::copy_n(y1_, of_.num_y_ * lanes_, state());
    if (of_.num_moved_ > 0) {
      of_.project_.evaluate(in_.data(), moved_, work_.project.data());
      of_.kernels_.check(moved_, static_cast<int>(of_.num_moved_), bad_);
      refuse_bad(KOPPEL_NOT_PROJECTED);
      std::copy_n(moved_, of_.num_moved_ * lanes_, state());
      std::copy_n(moved_, of_.num_moved_ * lanes_, y1_);
    }
    evaluate(k_[KOPPEL_DOP853_STAGES]);
    refuse_bad(KOPPEL_NO_RATES);
  }
  void refuse_bad(int reason) {
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (work_.is_good[l] != 0 && !(bad_[l] == 0)) refuse(l, reason, 0.25);
    }
  }

  // Accepts or rejects, lane by lane. Where all are accepted the new state takes the place of the
  // old one.
  void finish_tries() {
    const bool all =
        std::all_of(work_.is_good.begin(), work_.is_good.end(), [](char x) { return x != 0; });
    double*& k1 = k_[KOPPEL_DOP853_STAGES];
    for (std::size_t l = 0; l < lanes_; ++l) {
      if (work_.is_active[l] == 0) continue;
      koppel_dop853& s = work_.control[l];
      if (work_.is_good[l] != 0) {
        koppel_dop853_accept(&s, work_.tried[l], t_end_[l], e5_[l], power_[l], old_power_[l]);
        const bool is_there = !(s.t1 < t_end_[l]);
        reasons_[l] =
            is_there || s.num_tries < KOPPEL_DOP853_MOST_TRIES ? 0 : KOPPEL_TOO_MANY_TRIES;
        work_.is_active[l] = !is_there && reasons_[l] == 0;
        if (!all) take_over(l, k1);
      } else if (koppel_dop853_reject(&s, work_.tried[l], t_end_[l], e3_[l]) == 0) {
        work_.is_active[l] = 0;
      }
    }
    if (!all) return;
    std::swap(y0_, y1_);
    std::swap(k_[0], k1);
  }
  void take_over(std::size_t l, const double* k1) {
    for (std::size_t i = 0; i < of_.num_y_; ++i) {
      y0_[i * lanes_ + l] = y1_[i * lanes_ + l];
      k_[0][i * lanes_ + l] = k1[i * lanes_ + l];
    }
  }

  const LaneDop853& of_;
  std::size_t lanes_;
  std::span<double> in_;
  std::span<const double> t_end_;
  std::span<int> reasons_;
  Work& work_;
  double *y0_, *y1_, *moved_, *h_, *e5_, *e3_;
  double *t_, *power_, *old_power_;  // times at the start; powers of errors
  double* bad_;                      // not 0 where something is not finite
  double* k_[KOPPEL_DOP853_STAGES + 1];
};

LaneDop853::LaneDop853(LaneFunction rates, LaneFunction project, std::size_t num_y,
                       std::size_t num_moved, double tolerance, double scale)
    : rates_(std::move(rates)),
      project_(std::move(project)),
      num_y_(num_y),
      num_moved_(num_moved),
      tolerance_(tolerance),
      scale_(scale),
      kernels_(lane_kernels(static_cast<int>(rates_.lanes()))) {}

LaneDop853::Work LaneDop853::make_work() const {
  const std::size_t n = lanes();
  return {rates_.make_work(),
          project_.make_work(),
          std::vector<double>(Run::num_rows(*this) * n),
          std::vector<koppel_dop853>(n),
          std::vector<koppel_dop853_try>(n),
          std::vector<char>(n),
          std::vector<char>(n)};
}

void LaneDop853::advance(std::span<double> in, std::span<const double> t_end,
                         std::span<int> reasons, Work& work) const noexcept {
  Run(*this, in, t_end, reasons, work).run();
}

}  // namespace koppel

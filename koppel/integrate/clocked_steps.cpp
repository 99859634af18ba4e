#include <koppel/integrate/clocked_steps.hpp>

#include <koppel/integrate/advance.hpp>

namespace koppel {

ClockedSteps::ClockedSteps(double t, std::optional<double> tick, double t_end, double wanted)
    : t_(t), t_clock_(t), t_end_(t_end) {
  if (tick && t < *tick && *tick < t_end) {
    t_clock_ = *tick;
    num_first_ = 1;
  }
  count_ = num_equal_steps(t_clock_, t_end, wanted);
  h_ = (t_end - t_clock_) / static_cast<double>(count_);
  if (num_first_ == 0) return;
  if (t_clock_ - t < h_ / 2) {
    t_clock_ = --count_ == 0 ? t_end : t_clock_ + h_;
    num_first_ = 2;
  }
  count_ += num_first_;
  h_first_ = (t_clock_ - t) / static_cast<double>(num_first_);
}

double ClockedSteps::end(long k) const {
  if (k == count_) return t_end_;
  if (k == num_first_) return t_clock_;
  return k < num_first_ ? t_ + static_cast<double>(k) * h_first_
                        : t_clock_ + static_cast<double>(k - num_first_) * h_;
}

double ClockedSteps::moves(long k) const {
  const long moving = num_first_ > 0 ? num_first_ : count_;
  return k >= moving ? 0 : 1 - static_cast<double>(k) / static_cast<double>(moving);
}

}  // namespace koppel

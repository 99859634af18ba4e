#include <algorithm>
#include <cmath>
#include <deque>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/closure.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// A step along the null space and the place it was taken from. Gauss and Newton leave out the
// curvature of the distance and of the constraints, and of the error a part ρ is left, which comes
// near 1, or below −1, where the start is far from what is closed. What earlier steps have changed
// tells these parts: of the last places q_i with steps s(q_i), the combination is taken whose step
// is the smallest [Anderson 1965],
//
//   q + s − (ΔQ + ΔS) γ,     γ = argmin ‖s − ΔS γ‖.
class History {
 public:
  explicit History(VectorXd sizes) : sizes_(std::move(sizes)) {}

  VectorXd accelerated(const VectorXd& q, const VectorXd& step) {
    if (last_q_.size() > 0) {
      changes_.push_back({q - last_q_, step - last_step_});
      if (changes_.size() > kMost) changes_.pop_front();
    }
    last_q_ = q;
    last_step_ = step;
    if (changes_.empty()) return step;
    const auto count = static_cast<Index>(changes_.size());
    Eigen::MatrixXd S(q.size(), count);
    for (Index k = 0; k < count; ++k) {
      S.col(k) = changes_[static_cast<std::size_t>(k)].step.cwiseQuotient(sizes_);
    }
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(S.rows(), S.cols());
    qr.setThreshold(1e-8);
    qr.compute(S);
    const VectorXd gamma = qr.solve(step.cwiseQuotient(sizes_));
    VectorXd out = step;
    for (Index k = 0; k < count; ++k) {
      const Change& change = changes_[static_cast<std::size_t>(k)];
      out -= gamma[k] * (change.q + change.step);
    }
    return out;
  }
  void forget() {
    changes_.clear();
    last_q_.resize(0);
  }

 private:
  static constexpr std::size_t kMost = 5;
  struct Change {
    VectorXd q, step;
  };
  VectorXd sizes_;
  VectorXd last_q_, last_step_;
  std::deque<Change> changes_;
};

}  // namespace

void approach(const Positions& positions, const StartDistance& distance, const AssemblyPull& pull,
              const AssemblyOptions& options, State& state, int& iterations) {
  if (state.q.empty()) return;
  // Of a step, in sizes of coordinates: below kNear the distance is flat to round-off.
  // From kTrusted on, earlier steps tell later ones; further away they would lead to other minima.
  constexpr double kTrusted = 0.1, kNear = 1e-6, kEnough = 1e-15;
  constexpr int kPatience = 3;
  const auto total = [&](const State& s) { return distance.squared(s) + pull.energy(s); };
  const VectorXd sizes = positions.sizes_of_coordinates(state);
  History history(sizes);
  State best = state;
  double smallest = INFINITY;
  int num_idle = 0;
  for (int i = 0; i < options.max_iterations; ++i) {
    const auto metric = distance.metric_at(state);
    const VectorXd from = distance.offset(state, *metric);
    if (pull.wishes == nullptr && from.isZero(0)) return;
    const VectorXd step = metric->step_along(positions.by_q(state), from, pull.rows(state));
    const double size = largest_part(step, sizes);
    num_idle = size > 0.95 * smallest ? num_idle + 1 : 0;
    if (size < smallest || !(size < kNear)) {
      smallest = size;
      best = state;
    }
    if (size <= kEnough || (size < kNear && num_idle >= kPatience)) break;
    const double before = total(state);
    const auto try_step = [&](const VectorXd& by) {
      State trial = state;
      dense::view(trial.q) += by;
      if (!close(positions, *metric, options, trial, iterations)) return false;
      if (!(size < kNear || total(trial) < before * (1 - 1e-14))) return false;
      state = std::move(trial);
      return true;
    };
    bool has_moved = size < kTrusted && try_step(history.accelerated(dense::view(state.q), step));
    if (!has_moved) history.forget();
    for (double length = 1; length > 1e-3 && !has_moved; length *= 0.5) {
      has_moved = try_step(length * step);
    }
    ++iterations;
    if (!has_moved) break;
  }
  state = std::move(best);
}

}  // namespace koppel

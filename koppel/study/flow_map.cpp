// Steps of integrators that solve the equations to a tolerance, as maps. With the flow Φ of the
// equations, y₁ = Φ(t, h, y₀, p) to the tolerance, whatever the integrator; its derivatives solve
// the variational equations along the step. They are those of n steps of `dop853` from y₀, n such
// that these follow the flow to a hundredth of the tolerance, or to round-off: forward and adjoint
// derivatives are then as accurate as the integration, and each other's transposes to round-off.
//
// How far n steps come, yₙ, is known from y₁, where the integrator is that accurate itself. Where
// it is not, or round-off is more, it is known from twice as many steps: of order 8, yₙ is off by
//
//   |yₙ − Φ| ≈ |yₙ − y₂ₙ|,     |y₂ₙ − Φ| ≈ 2⁻⁸ |yₙ − y₂ₙ|.                                   (1)
#include <algorithm>
#include <cmath>
#include <limits>

#include <koppel/study/step_map.hpp>

namespace koppel {
namespace {

class FlowMap : public StepMap {
 public:
  FlowMap(std::unique_ptr<StepMap> inner, double tolerance)
      : inner_(std::move(inner)), target_(std::max(0.01 * tolerance, kRoundOff)) {}

  std::size_t size() const override { return inner_->size(); }
  std::size_t num_given() const override { return inner_->num_given(); }

  struct Work : Workspace {
    std::vector<std::unique_ptr<Workspace>> parts;  // at each of the steps within
    std::vector<std::vector<double>> states;        // at their ends
    std::size_t count = 0;                          // of them, now
    double part = 0;                                // their length
    double guess = 0;                               // a length to begin with in the next step
    std::vector<double> trial;
  };
  std::unique_ptr<Workspace> make_workspace() const override {
    auto work = std::make_unique<Work>();
    work->parts.push_back(inner_->make_workspace());
    return work;
  }

  bool advance(double t, double h, std::span<double> y, std::span<const double> given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (!follow({t, h, y, {}, given}, work)) return false;
    std::copy(work.states.back().begin(), work.states.back().end(), y.begin());
    return true;
  }

  bool rates(double t, std::span<const double> y, std::span<const double> given,
             std::span<double> y_rate, Workspace& workspace) const override {
    return inner_->rates(t, y, given, y_rate, *static_cast<Work&>(workspace).parts[0]);
  }

  bool stand_at(const At& at, Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    if (!follow(at, work)) return false;
    work.part = at.h / static_cast<double>(work.count);
    for (std::size_t k = 0; k < work.count; ++k) {
      const At part{at.t + work.part * static_cast<double>(k), work.part, work.states[k],
                    work.states[k + 1], at.given};
      if (!inner_->stand_at(part, *work.parts[k])) return false;
    }
    return true;
  }

  void tangent(std::span<double> dy, std::span<const double> dgiven,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    for (std::size_t k = 0; k < work.count; ++k) inner_->tangent(dy, dgiven, *work.parts[k]);
  }

  bool adjoint(std::span<double> w, std::span<double> w_given,
               Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    for (std::size_t k = work.count; k-- > 0;) {
      if (!inner_->adjoint(w, w_given, *work.parts[k])) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t kMost = 4096;
  // Of a step, some dozens of operations deep.
  static constexpr double kRoundOff = 64 * std::numeric_limits<double>::epsilon();
  static constexpr double kOrder = 8, kGain = 256;  // of `dop853`, by half the length
  static constexpr double kClose = 1e-6;            // steps are short enough to converge

  // Into as many steps as it takes, whether y₁ is known or not; how many would have been enough is
  // where the next step begins.
  bool follow(const At& at, Work& work) const {
    // One that takes no more than one may be as short as between two events, and tells nothing of
    // longer ones.
    const auto guess = [&](double count) {
      const double part = at.h / count;
      if (count > 1 || (work.guess > 0 && work.guess < part)) work.guess = part;
    };
    bool was_there = false;
    double last_change = 0;
    for (std::size_t n = first_guess(at.h, work);; n *= 2) {
      const bool is_there = divide(at.t, at.h, at.y0, at.given, n, work);
      const std::vector<double>& y = work.states.back();
      if (is_there && !at.y1.empty() && distance(y, at.y1) <= target_) {
        guess(0.7 * static_cast<double>(n));  // perhaps less does
        return true;
      }
      if (is_there && was_there) {
        const double change = distance(work.trial, y);
        const double part = std::pow(change / (kGain * target_), 1 / kOrder);  // (1)
        if (part <= 1) {
          guess(std::max(part, 0.5) * 0.5 * static_cast<double>(n));
          return true;
        }
        // Round-off, or a corner: more steps come no closer, nor would they in the next step.
        if (change > 0.5 * last_change && last_change > 0 && change < kClose) return true;
        last_change = change;
      }
      if (n >= kMost) return is_there;
      was_there = is_there;
      if (is_there) work.trial = y;
    }
  }

  std::size_t first_guess(double h, const Work& work) const {
    if (!(work.guess > 0)) return 1;
    const double n = std::ceil(h / work.guess);
    return std::clamp<std::size_t>(static_cast<std::size_t>(n), 1, kMost);
  }

  // n equal steps from y₀; states at their ends, and workspaces that have been there.
  bool divide(double t, double h, std::span<const double> y0, std::span<const double> given,
              std::size_t n, Work& work) const {
    work.count = n;
    work.states.resize(n + 1);
    while (work.parts.size() < n) work.parts.push_back(inner_->make_workspace());
    work.states[0].assign(y0.begin(), y0.begin() + static_cast<std::ptrdiff_t>(size()));
    const double part = h / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
      work.states[k + 1] = work.states[k];
      if (!inner_->advance(t + part * static_cast<double>(k), part, work.states[k + 1], given,
                           *work.parts[k])) {
        return false;
      }
    }
    return true;
  }

  // In the measure of the tolerance (integrator.hpp).
  double distance(std::span<const double> a, std::span<const double> b) const {
    double most = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      most = std::max(most, std::abs(a[i] - b[i]) / std::max(1.0, std::abs(b[i])));
    }
    return most;
  }

  std::unique_ptr<StepMap> inner_;
  double target_;
};

}  // namespace

std::unique_ptr<StepMap> make_flow_map(const RightHandSideTerms& rates,
                                       const ProjectorTerms& projection, double tolerance,
                                       CompileOptions options) {
  return std::make_unique<FlowMap>(
      make_explicit_map(rates, projection, Integrator("dop853"), options), tolerance);
}

}  // namespace koppel

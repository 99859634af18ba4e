// Steps of integrators that solve the equations to a tolerance, as maps. With the flow Φ of the
// equations, y₁ = Φ(t, h, y₀, p) to the tolerance, whatever the integrator; its derivatives solve
// the variational equations along the step. They are those of n steps of `dop853` from y₀, n such
// that these come to y₁ within a hundredth of the tolerance: forward and adjoint derivatives are
// then as accurate as the integration, and each other's transposes to round-off.
#include <algorithm>
#include <cmath>

#include <koppel/study/step_map.hpp>

namespace koppel {
namespace {

class FlowMap : public StepMap {
 public:
  FlowMap(std::unique_ptr<StepMap> inner, double tolerance)
      : inner_(std::move(inner)), tolerance_(tolerance) {}

  std::size_t size() const override { return inner_->size(); }
  std::size_t num_given() const override { return inner_->num_given(); }

  struct Work : Workspace {
    std::vector<std::unique_ptr<Workspace>> parts;  // at each of the steps within
    std::vector<std::vector<double>> states;        // at their ends
    std::size_t count = 0;                          // of them, now
    double last = 0;                                // their length in the step before
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
    // Until twice as many steps make no difference.
    std::size_t n = first_guess(h, work);
    bool is_there = divide(t, h, y, given, n, work);
    for (; n < kMost; n *= 2) {
      const bool was_there = is_there;
      work.trial = work.states.back();
      is_there = divide(t, h, y, given, 2 * n, work);
      if (!was_there || !is_there) continue;
      if (distance(work.trial, work.states.back()) <= kPart * tolerance_) break;
    }
    if (!is_there) return false;
    std::copy(work.states.back().begin(), work.states.back().end(), y.begin());
    return true;
  }

  bool rates(double t, std::span<const double> y, std::span<const double> given,
             std::span<double> y_rate, Workspace& workspace) const override {
    return inner_->rates(t, y, given, y_rate, *static_cast<Work&>(workspace).parts[0]);
  }

  bool stand_at(const At& at, Workspace& workspace) const override {
    auto& work = static_cast<Work&>(workspace);
    double best = HUGE_VAL;
    for (std::size_t n = first_guess(at.h, work);; n *= 2) {
      if (!divide(at.t, at.h, at.y0, at.given, n, work)) {
        if (n >= kMost) return false;
        continue;
      }
      const double off = distance(work.states.back(), at.y1);
      // More steps do not help where the integrator itself is not closer.
      if (off <= kPart * tolerance_ || n >= kMost || off > 0.5 * best) break;
      best = off;
    }
    work.last = at.h / static_cast<double>(work.count);
    while (work.parts.size() < work.count) work.parts.push_back(inner_->make_workspace());
    for (std::size_t k = 0; k < work.count; ++k) {
      const At part{at.t + work.last * static_cast<double>(k), work.last, work.states[k],
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
  static constexpr double kPart = 0.01;

  std::size_t first_guess(double h, const Work& work) const {
    if (!(work.last > 0)) return 1;
    const double n = std::ceil(0.7 * h / work.last);
    return std::clamp<std::size_t>(static_cast<std::size_t>(n), 1, kMost);
  }

  // n equal steps from y₀; states at their ends.
  bool divide(double t, double h, std::span<const double> y0, std::span<const double> given,
              std::size_t n, Work& work) const {
    work.count = n;
    work.states.resize(n + 1);
    work.states[0].assign(y0.begin(), y0.begin() + static_cast<std::ptrdiff_t>(size()));
    const double part = h / static_cast<double>(n);
    for (std::size_t k = 0; k < n; ++k) {
      work.states[k + 1] = work.states[k];
      if (!inner_->advance(t + part * static_cast<double>(k), part, work.states[k + 1], given,
                           *work.parts[0])) {
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
  double tolerance_;
};

}  // namespace

std::unique_ptr<StepMap> make_flow_map(const RightHandSideTerms& rates,
                                       const ProjectorTerms& projection, double tolerance,
                                       CompileOptions options) {
  return std::make_unique<FlowMap>(
      make_explicit_map(rates, projection, Integrator("dop853"), options), tolerance);
}

}  // namespace koppel

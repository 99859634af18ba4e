#include <koppel/formulation/fixed_cost/tracking.hpp>

#include <koppel/expr/algebra/elimination.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/fixed_cost/saddle_builder.hpp>

namespace koppel {
namespace {

Expr dot(std::span<const Expr> a, std::span<const Expr> b) {
  Expr sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// |a|, and a number that is not zero where it is.
Expr length(std::span<const Expr> a) {
  constexpr double kNothing = 1e-12;  // m or rad: far below what can be seen
  return sqrt(dot(a, a) + kNothing * kNothing);
}

class Follower {
 public:
  Follower(const Equations& e, Expr h, const Exprs& w0, const std::vector<Exprs>& W)
      : e_(e), h_(h) {
    for (const Equations::Tracking& t : e.tracking) {
      s_.insert(s_.end(), t.outputs.begin(), t.outputs.end());
      z_.insert(z_.end(), t.targets.begin(), t.targets.end());
    }
    const SparseExpr S = product(jacobian(s_, e.q), e.K);
    const Exprs time = {e.t}, one = {1};
    z_rate_ = time_derivative(z_, time, one);
    rate_ = multiply(S, e.v);
    free_ = multiply(S, w0);
    for (const Exprs& column : W) E_.push_back(multiply(S, column));
    find_weights();
  }

  Exprs make() {
    // What the automatic ones want of the rates; the others choose their forces by themselves.
    Exprs change(s_.size()), out(s_.size());
    const Exprs near = reachable(difference());
    std::size_t first = 0;
    for (const Equations::Tracking& t : e_.tracking) {
      if (t.method == TrackingMethod::Automatic) approach(t, first, near, change);
      first += t.outputs.size();
    }
    for (std::size_t i = 0; i < change.size(); ++i) change[i] = change[i] / h_ - free_[i];
    const Exprs wanted = solve(change), cancelled = solve(free_), seen = adjoint();
    first = 0;
    for (const Equations::Tracking& t : e_.tracking) {
      const std::size_t size = t.outputs.size();
      for (std::size_t i = first; i < first + size; ++i) {
        out[i] = t.method == TrackingMethod::Automatic
                     ? wanted[i]
                     : control(t, seen[i], e_.x[t.forces[i - first]],
                               t.compensates ? -cancelled[i] : Expr(0));
      }
      limit(t, std::span(out).subspan(first, size));
      first += size;
    }
    return out;
  }

 private:
  Exprs difference() const {
    Exprs d = z_;
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= s_[i];
    return d;
  }

  // √ of the mean of E's diagonal for each tracking: outputs divided by it are of one size.
  void find_weights() {
    constexpr double kNone = 1e-100;  // where nothing is held
    std::size_t first = 0;
    for (const Equations::Tracking& t : e_.tracking) {
      const std::size_t size = t.outputs.size();
      Expr trace = 0;
      for (std::size_t i = first; i < first + size; ++i) trace += E_[i][i];
      weight_.insert(weight_.end(), size,
                     sqrt(max(trace, 0) / static_cast<double>(size) + kNone * kNone));
      first += size;
    }
    ExprMatrix squares(static_cast<int>(s_.size()));
    constexpr double kBlocked = 1e-3;  // of the mean: what moves less is blocked
    std::vector<int> order;
    for (std::size_t i = 0; i < s_.size(); ++i) {
      order.push_back(static_cast<int>(i));
      for (std::size_t j = 0; j < s_.size(); ++j) {
        Expr sum = i == j ? Expr(kBlocked * kBlocked) : Expr(0);
        for (std::size_t k = 0; k < s_.size(); ++k) sum += scaled(k, i) * scaled(k, j);
        squares.add(static_cast<int>(i), static_cast<int>(j), sum);
      }
    }
    normal_.emplace(squares, order);
  }
  // E in units of the effective masses; E_ has columns.
  Expr scaled(std::size_t i, std::size_t j) const { return E_[j][i] / (weight_[i] * weight_[j]); }

  // E⁻¹ b as far as E moves anything, and once more what is left: where E moves much, ε is wrong
  // by its fourth power only.
  Exprs solve(const Exprs& b) const {
    Exprs x = solve_once(b), left = b;
    const Exprs done = times_E(x);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= done[i];
    const Exprs more = solve_once(left);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += more[i];
    return x;
  }
  Exprs solve_once(const Exprs& b) const {
    Exprs right(s_.size());
    for (std::size_t i = 0; i < s_.size(); ++i) {
      for (std::size_t k = 0; k < s_.size(); ++k) right[i] += scaled(k, i) * (b[k] / weight_[k]);
    }
    Exprs x = normal_->solve(right);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] /= weight_[i];
    return x;
  }
  Exprs times_E(const Exprs& x) const {
    Exprs out(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += E_[j][i] * x[j];
    }
    return out;
  }
  // The part of a difference that can be gone.
  Exprs reachable(const Exprs& d) const { return times_E(solve(d)); }

  // (2): the change of the rates in this step.
  void approach(const Equations::Tracking& t, std::size_t first, const Exprs& near, Exprs& change) {
    const std::size_t size = t.outputs.size();
    const std::span<const Expr> d = std::span(near).subspan(first, size);
    const Expr distance = length(d);
    const Expr tau = t.response.is_constant(0) ? 5 * h_ : max(t.response, 2 * h_);
    Expr speed = distance / tau;
    if (const std::optional<Expr> a = braking(t, first, d, distance)) {
      const Expr near_end = *a * tau * tau;
      speed = select(distance <= near_end, speed, sqrt(2 * *a * max(distance - 0.5 * near_end, 0)));
    }
    if (!t.max_speed.is_constant(0)) speed = min(speed, t.max_speed);
    Exprs step(size);
    for (std::size_t i = 0; i < size; ++i) {
      step[i] = speed * (d[i] / distance) + z_rate_[first + i] - rate_[first + i];
    }
    Expr part = 1;
    if (!t.max_acceleration.is_constant(0)) {
      part = min(1, t.max_acceleration * h_ / length(step));
    }
    for (std::size_t i = 0; i < size; ++i) change[first + i] = part * step[i];
  }

  // The acceleration that is certain to be there for braking; nothing: no limit.
  std::optional<Expr> braking(const Equations::Tracking& t, std::size_t first,
                              std::span<const Expr> d, Expr distance) const {
    std::optional<Expr> a;
    if (!t.max_acceleration.is_constant(0)) a = t.max_acceleration;
    if (t.max_force.is_constant(0)) return a;
    Expr by_force = 0, by_others = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      by_others += d[i] / distance * free_[first + i];
      for (std::size_t j = 0; j < d.size(); ++j) {
        by_force += d[i] / distance * (d[j] / distance) * E_[first + j][first + i];
      }
    }
    by_force *= t.max_force;
    constexpr double kReserve = 0.75, kLeast = 0.1;
    const Expr left = kReserve * max(by_force - by_others, kLeast * by_force);
    return a ? min(*a, left) : left;
  }

  // φ of (3).
  Exprs adjoint() const {
    const Exprs t = {e_.t}, later = {e_.t + h_};
    const Exprs next = substitute(z_, t, later);
    Exprs sum(s_.size());
    for (std::size_t i = 0; i < s_.size(); ++i) {
      sum[i] = s_[i] + h_ * rate_[i] - next[i] + h_ * (s_[i] - z_[i]);
    }
    Exprs out = times_E(sum);
    for (Expr& phi : out) phi *= -h_;
    return out;
  }

  // (4), and what cancels other forces.
  Expr control(const Equations::Tracking& t, Expr phi, Expr before, Expr compensation) const {
    const bool has_rate = t.method != TrackingMethod::L2;
    const Expr theta = has_rate ? h_ * sqrt(t.rho0 / t.rho1) : Expr(0);
    const ControlSolution mu = solve_control_equation(t.method, theta);
    return mu.keep * (before - compensation) + mu.gain * (phi / t.rho0) + compensation;
  }

  void limit(const Equations::Tracking& t, std::span<Expr> force) const {
    Expr part = t.is_active;
    if (!t.max_force.is_constant(0)) part *= min(1, t.max_force / length(force));
    for (Expr& f : force) f *= part;
  }

  const Equations& e_;
  Expr h_;
  Exprs s_, z_, z_rate_, rate_, free_;
  std::vector<Exprs> E_;  // columns
  Exprs weight_;
  std::optional<Elimination> normal_;  // of E² + ε²
};

}  // namespace

ControlSolution solve_control_equation(TrackingMethod method, Expr theta) {
  if (method == TrackingMethod::Neumann) return {0, tanh(theta / 2) / theta};
  if (method == TrackingMethod::Mixed) {
    // tanh θ/θ − 1/cosh θ = (sinh θ − θ)/(θ cosh θ), whose upper part cancels for small θ.
    Expr series = 1;
    const Expr square = theta * theta;
    for (int k = 6; k > 0; --k) series = 1 + square / ((2 * k + 2) * (2 * k + 3)) * series;
    const Expr keep = 1 / cosh(theta);
    return {keep, select(theta < 0.5, square / 6 * series, sinh(theta) / theta - 1) * keep};
  }
  return {0, 1};
}

Exprs tracking_forces(const Equations& equations) {
  Exprs out;
  for (const Equations::Tracking& t : equations.tracking) {
    for (const std::size_t i : t.forces) out.push_back(equations.x[i]);
  }
  return out;
}

Exprs follow_targets(const Equations& equations, Expr h, const Exprs& w0,
                     const std::vector<Exprs>& W) {
  return Follower(equations, h, w0, W).make();
}

}  // namespace koppel

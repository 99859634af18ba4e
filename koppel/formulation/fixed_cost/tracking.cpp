#include <koppel/formulation/fixed_cost/tracking.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <koppel/expr/algebra/elimination.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/formulation/fixed_cost/force_limits.hpp>
#include <koppel/formulation/fixed_cost/reach.hpp>
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

// The inverse of E as far as E moves anything: R = E (E² + ε²)⁻¹ in units of the effective mass of
// each tracking, applied once more to what is left. Rows and columns that are not chosen are out of
// it.
class Mobility {
 public:
  Mobility(std::vector<Exprs> E, Exprs weights, const Exprs& blocked)
      : E_(std::move(E)), weight_(std::move(weights)) {
    ExprMatrix squares(static_cast<int>(E_.size()));
    std::vector<int> order;
    for (std::size_t i = 0; i < E_.size(); ++i) {
      order.push_back(static_cast<int>(i));
      for (std::size_t j = 0; j < E_.size(); ++j) {
        Expr sum = i == j ? blocked[i] * blocked[i] : Expr(0);
        for (std::size_t k = 0; k < E_.size(); ++k) sum += scaled(k, i) * scaled(k, j);
        squares.add(static_cast<int>(i), static_cast<int>(j), sum);
      }
    }
    normal_.emplace(squares, order);
  }

  Exprs solve(const Exprs& b) const {
    Exprs x = solve_once(b), left = b;
    const Exprs done = times(x);
    for (std::size_t i = 0; i < left.size(); ++i) left[i] -= done[i];
    const Exprs more = solve_once(left);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += more[i];
    return x;
  }
  Exprs times(const Exprs& x) const {
    Exprs out(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += E_[j][i] * x[j];
    }
    return out;
  }

 private:
  Expr scaled(std::size_t i, std::size_t j) const { return E_[j][i] / (weight_[i] * weight_[j]); }
  Exprs solve_once(const Exprs& b) const {
    Exprs right(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      for (std::size_t k = 0; k < b.size(); ++k) right[i] += scaled(k, i) * (b[k] / weight_[k]);
    }
    Exprs x = normal_->solve(right);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] /= weight_[i];
    return x;
  }

  std::vector<Exprs> E_;  // columns
  Exprs weight_;
  std::optional<Elimination> normal_;  // of E² + ε²
};

class Follower {
 public:
  Follower(const Equations& e, const State& state, Expr h, const StepResponse& response)
      : e_(e), h_(h), response_(response) {
    for (const Equations::Tracking& t : e.tracking) {
      parts_.push_back({&t, d_.size(), t.outputs.size()});
      for (std::size_t i = 0; i < t.outputs.size(); ++i) {
        d_.push_back(t.targets[i] - t.outputs[i]);
      }
      append(targets_, t.targets);
      active_.insert(active_.end(), t.outputs.size(), t.is_active);
    }
    const Exprs time = {e.t}, one = {1};
    z_rate_ = time_derivative(targets_, time, one);
    rate_ = multiply_transposed(response.S, e.v);
    free_ = multiply_transposed(response.S, response.w0);
    curve_ = time_derivative(rate_, e.q, multiply(e.K, e.v));
    for (std::size_t j = 0; j < response.W.size(); ++j) {
      E_.push_back(multiply_transposed(response.S, response.W[j]));
      for (std::size_t i = 0; i < E_[j].size(); ++i) E_[j][i] *= active_[i] * active_[j];
    }
    find_scales(state);
    find_reaches();
  }

  Exprs make() {
    Exprs out(d_.size());
    choose_controls(out);
    choose_automatic(out);
    // A target that is not finite is no target: limits would hide it, and so it becomes the force,
    // with which the step fails.
    constexpr double kFinite = 1e300;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Expr force = select(abs(targets_[i]) <= kFinite, out[i] * active_[i], targets_[i]);
      out[i] = select(active_[i] > 0, force, 0);
    }
    return out;
  }

 private:
  struct Part {
    const Equations::Tracking* of;
    std::size_t first, size;
    double mobility = 1;              // what is usual
    bool is_known = false;            // from the start, where it is held
    Expr present = 0;                 // the mean of E's diagonal
    Expr usual = 0;                   // the larger one of both, as far as it is known
    Eigenbasis basis = {};            // of its part of E, where it is automatic
    std::vector<Reach> reach = {};    // along each of its vectors
    std::vector<Exprs> turning = {};  // [i][j]: of vector j along vector i, a metre

    bool is_automatic() const { return of->method == TrackingMethod::Automatic; }
  };
  static Exprs of_part(const Part& part, const Exprs& x) {
    const auto first = x.begin() + static_cast<std::ptrdiff_t>(part.first);
    return {first, first + static_cast<std::ptrdiff_t>(part.size)};
  }
  template <typename F>
  void for_each_component(const Part& part, F&& f) const {
    for (std::size_t i = part.first; i < part.first + part.size; ++i) f(i);
  }

  static void append(Exprs& to, const Exprs& more) {
    to.insert(to.end(), more.begin(), more.end());
  }

  // The size e of E that is usual for what is followed: that of the start and of places around it,
  // should the start be a dead point; where nothing is held at the start, of the largest mass.
  void find_scales(const State& state) {
    double mass = 0;
    const MatrixFunction M(e_, *e_.M);
    const std::vector<double> masses = M.values(state);
    for (std::size_t j = 0; j < e_.num_v(); ++j) {
      const Sparsity& pattern = M.pattern();
      for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
        const auto entry = static_cast<std::size_t>(k);
        if (pattern.row[entry] == static_cast<int>(j)) mass = std::max(mass, masses[entry]);
      }
    }
    Exprs wanted;
    for (Part& part : parts_) {
      Expr trace = 0;
      for_each_component(part, [&](std::size_t i) { trace += E_[i][i]; });
      part.present = max(trace, 0) / static_cast<double>(part.size);
      wanted.push_back(part.present);
    }
    const std::vector<double> usual = usual_values(wanted, state);
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      parts_[k].is_known = usual[k] > 0;
      parts_[k].mobility = usual[k] > 0 ? usual[k] : mass > 0 ? 1 / mass : 1;
    }
  }

  // Dead points ahead, along the eigenvectors of each part.
  void find_reaches() {
    for (Part& part : parts_) {
      if (!part.is_automatic()) continue;
      std::vector<Exprs> E(part.size, Exprs(part.size));
      for (std::size_t j = 0; j < part.size; ++j) {
        for (std::size_t i = 0; i < part.size; ++i) E[j][i] = E_[part.first + j][part.first + i];
      }
      part.basis = make_eigenbasis(E);
      const Exprs free = to_basis(part.basis, of_part(part, free_));
      part.usual = part.is_known ? max(part.present, part.mobility) : part.present;
      std::vector<ReachPull> pulls;
      for (std::size_t i = 0; i < part.size; ++i) {
        pulls.push_back(make_pull(part, i));
        const Expr change = response_.mobility_change(pulls[i], pulls[i], pulls[i]);
        part.reach.push_back(
            find_reach(part.basis.values[i], change, free[i], part.usual, part.of->max_force));
      }
      find_turning(part, pulls);
    }
  }

  // A unit of force along vector i.
  ReachPull make_pull(const Part& part, std::size_t i) const {
    ReachPull out{Exprs(d_.size()), Exprs(e_.num_v()), Exprs(e_.num_rows())};
    for (std::size_t k = 0; k < part.size; ++k) {
      const std::size_t at = part.first + k;
      out.u[at] = part.basis.vectors[i][k];
      out.w = plus(out.w, out.u[at], response_.W[at]);
      out.l = plus(out.l, out.u[at], response_.reactions[at]);
    }
    return out;
  }

  // |ω| of reach.hpp.
  void find_turning(Part& part, const std::vector<ReachPull>& pulls) const {
    constexpr double kApart = 0.1;  // of a mobility: where two are nearly the same
    part.turning.assign(part.size, Exprs(part.size));
    for (std::size_t i = 0; i < part.size; ++i) {
      for (std::size_t j = 0; j < part.size; ++j) {
        if (i == j) continue;
        const Expr own = part.basis.values[i], other = part.basis.values[j];
        const Expr change = response_.mobility_change(pulls[j], pulls[i], pulls[i]);
        part.turning[i][j] = abs(change) / (own * (abs(own - other) + kApart * own) + 1e-200);
      }
    }
  }

  // The largest of the value at the start and of the median of values around it.
  std::vector<double> usual_values(const Exprs& values, const State& state) const {
    Exprs inputs = {e_.t, h_};
    for (const Exprs* some : {&e_.q, &e_.v, &e_.x, &e_.u, &e_.p}) append(inputs, *some);
    const Function function(inputs, values);
    constexpr double kStep = 1e-3, kAway = 0.05;
    double squares = 0;
    for (const double q : state.q) squares += q * q / static_cast<double>(state.q.size());
    const double size = squares > 0 ? std::min(1.0, std::sqrt(squares)) : 1;
    std::mt19937_64 engine(1);
    const auto at = [&](double away) {
      std::vector<double> x = {state.t, kStep};
      for (const double q : state.q) {
        x.push_back(q + away * size * (2 * (static_cast<double>(engine() >> 11) * 0x1p-53) - 1));
      }
      for (const auto* some : {&state.v, &state.x, &state.u, &state.p}) {
        x.insert(x.end(), some->begin(), some->end());
      }
      return function(x);
    };
    std::vector<double> out = at(0);
    std::vector<std::vector<double>> around;
    for (int k = 0; k < 9; ++k) around.push_back(at(kAway));
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::vector<double> some;
      for (const std::vector<double>& values_there : around) some.push_back(values_there[i]);
      std::ranges::nth_element(some, some.begin() + 4);
      if (std::isfinite(some[4])) out[i] = std::max(out[i], some[4]);
      if (!std::isfinite(out[i])) out[i] = 0;
    }
    return out;
  }

  // Of those that are automatic, or of the others.
  Mobility mobility_of(bool is_automatic) const {
    constexpr double kRelative = 1e-5;  // of the mean in a tracking: what moves less is blocked,
    constexpr double kAbsolute = 1e-5;  // and of what is usual
    constexpr double kLeast = 1e-12;    // of the same: where nothing moves at all
    constexpr double kNone = 1e-200;    // and nothing is held
    std::vector<Exprs> E = E_;
    Exprs weights, blocked;
    for (const Part& part : parts_) {
      const Expr present = part.present + kLeast * part.mobility + kNone;
      weights.insert(weights.end(), part.size, sqrt(present));
      blocked.insert(blocked.end(), part.size, kRelative + kAbsolute * part.mobility / present);
      if (part.is_automatic() == is_automatic) continue;
      for_each_component(part, [&](std::size_t i) {
        for (std::size_t j = 0; j < E.size(); ++j) E[i][j] = E[j][i] = 0;
      });
    }
    return {std::move(E), std::move(weights), blocked};
  }

  // What those want that choose their forces by themselves.
  void choose_controls(Exprs& out) const {
    if (std::ranges::all_of(parts_, &Part::is_automatic)) return;
    const Mobility mobility = mobility_of(false);
    const Exprs cancelled = mobility.solve(free_), seen = adjoint();
    for (const Part& part : parts_) {
      if (part.is_automatic()) continue;
      for_each_component(part, [&](std::size_t i) {
        out[i] = control(*part.of, seen[i], e_.x[part.of->forces[i - part.first]],
                         part.of->compensates ? -cancelled[i] : Expr(0));
      });
      limit(part, out);
    }
  }

  // The automatic ones all together; what the others do is known to them.
  void choose_automatic(Exprs& out) const {
    if (std::ranges::none_of(parts_, &Part::is_automatic)) return;
    const Mobility mobility = mobility_of(true);
    const Exprs near = approachable(mobility);
    Exprs change(d_.size()), by_others(d_.size());
    for (std::size_t j = 0; j < out.size(); ++j) {
      for (std::size_t i = 0; i < out.size(); ++i) by_others[i] += E_[j][i] * out[j];
    }
    std::vector<LimitedForce> forces;
    Exprs wanted(d_.size());
    std::vector<std::size_t> places;
    for (const Part& part : parts_) {
      if (!part.is_automatic()) continue;
      approach(part, near, change);
      constexpr double kLeast = 1e-12;
      forces.push_back({places.size(), part.size, part.of->max_force,
                        part.present + kLeast * part.mobility + 1e-200, part.basis});
      for_each_component(part, [&](std::size_t i) {
        change[i] = active_[i] * (change[i] / h_ - by_others[i]);
        places.push_back(i);
      });
    }
    wanted = mobility.solve(change);
    std::vector<Exprs> E(places.size(), Exprs(places.size()));
    Exprs some;
    for (std::size_t j = 0; j < places.size(); ++j) {
      some.push_back(wanted[places[j]]);
      for (std::size_t i = 0; i < places.size(); ++i) E[j][i] = E_[places[j]][places[i]];
    }
    const Exprs taken = limit_forces(E, some, forces);
    for (std::size_t k = 0; k < places.size(); ++k) out[places[k]] = taken[k];
  }

  // (2): the part of the differences that can be gone.
  Exprs approachable(const Mobility& mobility) const {
    Exprs d = d_;
    for (std::size_t i = 0; i < d.size(); ++i) d[i] *= active_[i];
    return mobility.times(mobility.solve(d));
  }

  // The speed of (3) at a distance from where it must be zero, with the acceleration of braking.
  static Expr approach_speed(Expr distance, const std::optional<Expr>& a, Expr tau) {
    const Expr speed = distance / tau;
    if (!a) return speed;
    const Expr near_end = *a * tau * tau;
    return select(distance <= near_end, speed, sqrt(2 * *a * max(distance - 0.5 * near_end, 0)));
  }

  // (3): the change of the rates in this step, towards what is within reach.
  void approach(const Part& part, const Exprs& near, Exprs& change) const {
    const Equations::Tracking& t = *part.of;
    Exprs along = to_basis(part.basis, of_part(part, near));
    Exprs beyond;
    for (std::size_t i = 0; i < part.size; ++i) {
      beyond.push_back(max(part.reach[i].side * along[i] - part.reach[i].end, 0));
      along[i] = stop_at(part.reach[i], along[i]);
    }
    for (std::size_t i = 0; i < part.size; ++i) along[i] /= 1 + dot(beyond, part.turning[i]);
    const Exprs d = from_basis(part.basis, along);
    const Expr distance = length(d);
    const Expr tau = t.response.is_constant(0) ? 5 * h_ : max(t.response, 2 * h_);
    Expr speed = approach_speed(distance, braking(part, d, distance), tau);
    if (!t.max_speed.is_constant(0)) speed = min(speed, t.max_speed);
    Exprs wanted(part.size);
    for (std::size_t i = 0; i < part.size; ++i) {
      wanted[i] = speed * (d[i] / distance) + z_rate_[part.first + i];
    }
    wanted = slow_down(part, wanted, tau);
    for (std::size_t i = 0; i < part.size; ++i) wanted[i] -= rate_[part.first + i];
    Expr portion = 1;
    if (!t.max_acceleration.is_constant(0)) {
      portion = min(1, t.max_acceleration * h_ / length(wanted));
    }
    for (std::size_t i = 0; i < part.size; ++i) {
      wanted[i] = portion * wanted[i] - h_ * (free_[part.first + i] + curve_[part.first + i]);
    }
    wanted = soften(part, wanted, beyond);
    for (std::size_t i = 0; i < part.size; ++i) change[part.first + i] = wanted[i];
  }

  // Where the target is out of reach, forces along what hardly moves fade: to hold it more firmly
  // than that is not worth them.
  static Exprs soften(const Part& part, const Exprs& wanted, const Exprs& beyond) {
    constexpr double kSoft = 1e-3;  // of the mobility that is usual
    Exprs along = to_basis(part.basis, wanted);
    for (std::size_t i = 0; i < part.size; ++i) {
      const Expr e = part.basis.values[i];
      along[i] *= select(beyond[i] > 0, e / (e + kSoft * part.usual + 1e-200), 1);
    }
    return from_basis(part.basis, along);
  }

  // What is left of `x` where the way ends.
  static Expr stop_at(const Reach& reach, Expr x) {
    return reach.side * min(reach.side * x, reach.way);
  }

  // Speeds towards a dead point can be braked before it.
  Exprs slow_down(const Part& part, const Exprs& speed, Expr tau) const {
    const Exprs free = to_basis(part.basis, of_part(part, free_));
    Exprs along = to_basis(part.basis, speed);
    for (std::size_t i = 0; i < part.size; ++i) {
      const Reach& reach = part.reach[i];
      const auto a = braking(*part.of, reach.mobility, reach.side * free[i]);
      const Expr most = approach_speed(reach.way, a, tau);
      along[i] = reach.side * min(reach.side * along[i], most);
    }
    return from_basis(part.basis, along);
  }

  // The acceleration that is certain to be there for braking, along a direction of this mobility in
  // which other forces accelerate by `free`; nothing: no limit.
  static std::optional<Expr> braking(const Equations::Tracking& t, Expr mobility, Expr free) {
    std::optional<Expr> a;
    if (!t.max_acceleration.is_constant(0)) a = t.max_acceleration;
    if (t.max_force.is_constant(0)) return a;
    const Expr by_force = t.max_force * mobility;
    constexpr double kReserve = 0.75, kLeast = 0.1;
    const Expr left = kReserve * max(by_force - free, kLeast * by_force);
    return a ? min(*a, left) : left;
  }
  std::optional<Expr> braking(const Part& part, std::span<const Expr> d, Expr distance) const {
    Expr mobility = 0, free = 0;
    for (std::size_t i = 0; i < d.size(); ++i) {
      free += d[i] / distance * free_[part.first + i];
      for (std::size_t j = 0; j < d.size(); ++j) {
        mobility += d[i] / distance * (d[j] / distance) * E_[part.first + j][part.first + i];
      }
    }
    return braking(*part.of, mobility, free);
  }

  // φ of (4).
  Exprs adjoint() const {
    const Exprs t = {e_.t}, later = {e_.t + h_};
    const Exprs next = substitute(d_, t, later);
    Exprs sum(d_.size());
    for (std::size_t i = 0; i < d_.size(); ++i) sum[i] = h_ * rate_[i] - next[i] - h_ * d_[i];
    Exprs out(d_.size());
    for (std::size_t j = 0; j < out.size(); ++j) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] -= h_ * (E_[j][i] * sum[j]);
    }
    return out;
  }

  // (5), and what cancels other forces.
  Expr control(const Equations::Tracking& t, Expr phi, Expr before, Expr compensation) const {
    const bool has_rate = t.method != TrackingMethod::L2;
    const Expr theta = has_rate ? h_ * sqrt(t.rho0 / t.rho1) : Expr(0);
    const ControlSolution mu = solve_control_equation(t.method, theta);
    return mu.keep * (before - compensation) + mu.gain * (phi / t.rho0) + compensation;
  }

  void limit(const Part& part, Exprs& force) const {
    if (part.of->max_force.is_constant(0)) return;
    const Expr portion =
        min(1, part.of->max_force / length(std::span(force).subspan(part.first, part.size)));
    for_each_component(part, [&](std::size_t i) { force[i] *= portion; });
  }

  const Equations& e_;
  Expr h_;
  std::vector<Part> parts_;
  const StepResponse& response_;
  Exprs targets_, d_, z_rate_, rate_, active_, free_;
  Exprs curve_;           // Ṡ v
  std::vector<Exprs> E_;  // columns
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

Exprs follow_targets(const Equations& equations, const State& state, Expr h,
                     const StepResponse& response) {
  return Follower(equations, state, h, response).make();
}

}  // namespace koppel

#include <koppel/analysis/motion/steady.hpp>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/base/largest.hpp>

namespace koppel {
namespace {

using Eigen::VectorXd;

constexpr double kSteady = 1e-9;    // of accelerations, by velocities times the fastest rate
constexpr double kConstant = 1e-7;  // of coefficients, multipliers and constraints along the way

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  return a.empty() ? 0 : (dense::view(a) - dense::view(b)).cwiseAbs().maxCoeff();
}

// q̇ = K(q) v with v constant, by Runge and Kutta's method; time goes on too.
void move(const Evaluator& evaluator, State& state, double duration, int steps) {
  const double h = duration / steps;
  const VectorXd v = dense::view(state.v);
  const auto rate = [&](const VectorXd& q) -> VectorXd {
    State there = state;
    there.q = dense::to_vector(q);
    return dense::view(evaluator.K(there)) * v;
  };
  for (int i = 0; i < steps; ++i) {
    const VectorXd q = dense::view(state.q), k1 = rate(q), k2 = rate(q + h / 2 * k1),
                   k3 = rate(q + h / 2 * k2), k4 = rate(q + h * k3);
    state.q = dense::to_vector(q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4));
    state.t += h;
  }
}

class SteadyTest {
 public:
  SteadyTest(const Evaluator& evaluator, const State& start)
      : evaluator_(evaluator), linearizer_(evaluator), start_(start) {}

  SteadyMotion run() {
    SteadyMotion out;
    out.is_at_rest = largest(start_.v) == 0;
    out.system = linearizer_.at(start_);
    here_ = solve_accelerations(evaluator_, start_);
    const double rate = std::max(largest(out.system.A.values), 1.0);
    allowed_ = kSteady * rate * std::max(largest(start_.v), 1e-3);
    out.text = changes_at_start();
    if (out.text.empty()) out.text = changes_on_the_way(out.system);
    out.is_steady = out.text.empty();
    return out;
  }

 private:
  std::string changes_at_start() const {
    const Equations& e = evaluator_.equations;
    const auto find = [&](const std::vector<double>& rates, const std::vector<Expr>& names) {
      std::string text;
      double most = allowed_;
      for (std::size_t i = 0; i < rates.size(); ++i) {
        if (std::abs(rates[i]) <= most) continue;
        most = std::abs(rates[i]);
        text = fmt::format("{} changes at a rate of {:.3g}", names[i].name(), rates[i]);
      }
      return text;
    };
    const std::string v = find(here_.v_rate, e.v);
    return v.empty() ? find(evaluator_.r(start_), e.x) : v;
  }

  // Eq. (1) at some places.
  std::string changes_on_the_way(const LinearSystem& system) const {
    const double speed = largest(start_.v), time = speed == 0 ? 1 : 1 / speed;
    State state = start_;
    for (const double part : {0.7, 1.2, 2.1}) {
      move(evaluator_, state, part * time, 200);
      if (!is_the_same_at(state, system)) {
        return fmt::format("velocities are constant at the start, but not {:.3g} s later",
                           state.t - start_.t);
      }
      const LinearSystem there = linearizer_.at(state, system.z);
      const double change = difference(there.A.values, system.A.values);
      if (!(change <= kConstant * largest(system.A.values))) {
        return fmt::format(
            "velocities are constant, but the linearised equations are different {:.3g} s "
            "later",
            state.t - start_.t);
      }
    }
    return "";
  }

  bool is_the_same_at(const State& state, const LinearSystem& system) const {
    const double size = std::max(1.0, largest(start_.v));
    if (!(largest(evaluator_.g(state)) <= kConstant)) return false;
    if (!(largest(evaluator_.g_rate(state)) <= kConstant * size)) return false;
    if (!(largest(evaluator_.a_rate(state)) <= kConstant * size)) return false;
    const Accelerations there = solve_accelerations(evaluator_, state);
    // Accelerations where the constraints hold up to round-off of the way there.
    const double allowed = allowed_ + kConstant * largest(system.A.values);
    if (!(largest(there.v_rate) <= allowed && largest(evaluator_.r(state)) <= allowed))
      return false;
    return difference(there.lambda, here_.lambda) <= kConstant * (1 + largest(here_.lambda)) &&
           difference(there.mu, here_.mu) <= kConstant * (1 + largest(here_.mu));
  }

  const Evaluator& evaluator_;
  Linearizer linearizer_;
  const State& start_;
  Accelerations here_;
  double allowed_ = 0;  // of accelerations
};

}  // namespace

SteadyMotion find_steady_motion(const Evaluator& evaluator, const State& start) {
  return SteadyTest(evaluator, start).run();
}

}  // namespace koppel

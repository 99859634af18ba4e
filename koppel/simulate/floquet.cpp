#include <koppel/simulate/floquet.hpp>

#include <fmt/format.h>
#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/base/largest.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kReturned = 1e-6;   // of velocities and coefficients, by their size
constexpr double kConverged = 1e-9;  // of multipliers, by the largest

Eigen::Map<const MatrixXd> view(const Matrix& m) { return {m.values.data(), m.rows, m.columns}; }

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) out = std::max(out, std::abs(a[i] - b[i]));
  return out;
}

// Gauss's nodes and weights on [0, 1] with 4 stages, and the matrix of collocation
// a_ij = ∫₀^{c_i} l_j [Hairer, Nørsett & Wanner 1993, II.7].
struct Gauss {
  static constexpr int kStages = 4;
  Gauss() {
    const double inner = std::sqrt(3.0 / 7 - 2.0 / 7 * std::sqrt(1.2));
    const double outer = std::sqrt(3.0 / 7 + 2.0 / 7 * std::sqrt(1.2));
    c = {0.5 - outer / 2, 0.5 - inner / 2, 0.5 + inner / 2, 0.5 + outer / 2};
    // Σ_j a_ij c_jᵏ = c_iᵏ⁺¹/(k+1), and so for the weights.
    MatrixXd V(kStages, kStages), R(kStages, kStages + 1);
    for (int k = 0; k < kStages; ++k) {
      for (int j = 0; j < kStages; ++j) {
        V(k, j) = std::pow(c[static_cast<std::size_t>(j)], k);
        R(k, j) = std::pow(c[static_cast<std::size_t>(j)], k + 1) / (k + 1);
      }
      R(k, kStages) = 1.0 / (k + 1);
    }
    const MatrixXd solution = V.fullPivLu().solve(R).transpose();
    a = solution.topRows(kStages);
    b = solution.row(kStages);
  }

  std::array<double, kStages> c;
  MatrixXd a;
  VectorXd b;
};

class Orbit {
 public:
  Orbit(const Model& model, const SimulateOptions& options)
      : model_(model),
        options_(options),
        prepared_(prepare(model, options)),
        evaluator_(prepared_.equations),
        linearizer_(evaluator_),
        start_(prepared_.state),
        z_(linearizer_.choose(start_)) {
    options_.coordinates = prepared_.equations->coordinates;
    options_.reactions = ReactionAxes::None;
    options_.derivatives = 0;
  }

  PeriodicMotion run(std::optional<double> period) {
    PeriodicMotion out;
    out.coordinate_set = prepared_.equations->coordinates;
    for (const Expr& q : prepared_.equations->q) out.coordinates.emplace_back(q.name());
    if (!prepared_.equations->events.empty()) {
      out.text = "the model has events, across which small motions are not followed";
      return out;
    }
    if (!period) period = find_period(out.text);
    if (!period) return out;
    out.period = *period;
    out.text = why_not_periodic(*period);
    if (!out.text.empty()) return out;
    find_multipliers(out);
    return out;
  }

 private:
  // The states at times, from an accurate simulation; fewer where it failed.
  std::vector<State> states_at(std::vector<double> times) {
    SimulateOptions options = options_;
    options.end = times.back();
    options.sampling = {};
    options.sampling.times = std::move(times);
    const Simulation s = simulate(model_, options);
    failure_ = s.status == Outcome::Status::Done ? "" : s.text;
    std::vector<State> states;
    for (std::size_t i = 0; i < s.trajectory.num_rows(); ++i) {
      State state = start_;
      state.t = s.trajectory.time()[i];
      for (std::size_t k = 0; k < state.q.size(); ++k) {
        state.q[k] = s.trajectory.column(s.observation->columns_of_q()[k])[i];
      }
      std::size_t column = s.observation->first_velocity();
      for (double& v : state.v) v = s.trajectory.column(column++)[i];
      for (double& x : state.x) x = s.trajectory.column(column++)[i];
      states.push_back(std::move(state));
    }
    return states;
  }

  // Velocities and states, and their rates.
  struct Signature {
    VectorXd value, rate;
  };
  Signature signature(const State& state) const {
    const std::vector<double> v_rate = solve_accelerations(evaluator_, state).v_rate,
                              r = evaluator_.r(state);
    Signature out{VectorXd(static_cast<Index>(state.v.size() + state.x.size())), {}};
    out.rate.resize(out.value.size());
    std::copy(state.v.begin(), state.v.end(), out.value.begin());
    std::copy(state.x.begin(), state.x.end(),
              out.value.begin() + static_cast<Index>(state.v.size()));
    std::copy(v_rate.begin(), v_rate.end(), out.rate.begin());
    std::copy(r.begin(), r.end(), out.rate.begin() + static_cast<Index>(v_rate.size()));
    return out;
  }

  // The first time at which value and rate are near those of the start again, then by Newton's
  // method for the least distance.
  std::optional<double> find_period(std::string& text) {
    const Equations& e = prepared_.equations;
    if (depends_on(e.f, std::vector<Expr>{e.t}) || depends_on(e.g, std::vector<Expr>{e.t})) {
      text = "the equations depend on time itself: give the `period`";
      return {};
    }
    constexpr int kSamples = 2000;
    std::vector<double> times;
    for (int i = 0; i <= kSamples; ++i) times.push_back(options_.end * i / kSamples);
    const std::vector<State> states = states_at(times);
    std::vector<double> distance;
    const Signature start = signature(start_);
    double value_size = 1e-300, rate_size = 1e-300;
    std::vector<Signature> all;
    for (const State& state : states) {
      all.push_back(signature(state));
      value_size = std::max(value_size, (all.back().value - start.value).norm());
      rate_size = std::max(rate_size, (all.back().rate - start.rate).norm());
    }
    for (const Signature& s : all) {
      distance.push_back(std::hypot((s.value - start.value).norm() / value_size,
                                    (s.rate - start.rate).norm() / rate_size));
    }
    constexpr double kFar = 0.2, kNear = 0.1;
    bool was_far = false;
    for (std::size_t i = 1; i + 1 < distance.size(); ++i) {
      was_far = was_far || distance[i] > kFar;
      const bool is_lowest = distance[i] <= distance[i - 1] && distance[i] <= distance[i + 1];
      if (!was_far || !is_lowest || distance[i] > kNear) continue;
      const double period = refine(states[i].t, start);
      if (why_not_periodic(period).empty()) return period;
    }
    text = fmt::format(
        "the motion does not return to its start within {:.4g} s; give the "
        "`period` if it is longer",
        options_.end);
    return {};
  }

  double refine(double period, const Signature& start) {
    for (int i = 0; i < 8; ++i) {
      const std::vector<State> states = states_at({0, period});
      const Signature there = signature(states.back());
      const double slope = there.rate.squaredNorm();
      if (slope == 0) break;
      const double step = -(there.value - start.value).dot(there.rate) / slope;
      period += step;
      if (std::abs(step) < 1e-14 * period) break;
    }
    return period;
  }

  std::string why_not_periodic(double period) {
    const std::vector<State> states = states_at({0, period});
    if (!failure_.empty()) return "the simulation of one period failed: " + failure_;
    const State& there = states.back();
    const Signature first = signature(start_), last = signature(there);
    const double size = first.value.cwiseAbs().maxCoeff() + first.rate.cwiseAbs().maxCoeff() + 1e-9;
    const double moved = std::max((last.value - first.value).cwiseAbs().maxCoeff(),
                                  (last.rate - first.rate).cwiseAbs().maxCoeff());
    if (!(moved <= kReturned * size)) {
      return fmt::format("after {:.6g} s velocities or accelerations are off by {:.3g}", period,
                         moved);
    }
    const LinearSystem A = linearizer_.at(start_, z_), B = linearizer_.at(there, z_);
    if (!(difference(A.A.values, B.A.values) <= 10 * kReturned * (1 + largest(A.A.values)))) {
      return fmt::format("after {:.6g} s velocities have returned, but not the position", period);
    }
    return "";
  }

  // Eq. (1) over n intervals.
  MatrixXd monodromy(double period, int n) {
    const Gauss gauss;
    constexpr Index s = Gauss::kStages;
    const double h = period / n;
    std::vector<double> times;
    for (int i = 0; i < n; ++i) {
      for (const double c : gauss.c) times.push_back(h * (i + c));
    }
    times.push_back(period);
    const std::vector<State> states = states_at(times);
    MatrixXd Phi = view(linearizer_.basis(start_, z_));
    const Index m = Phi.rows();
    for (int i = 0; i < n; ++i) {
      MatrixXd stages = MatrixXd::Identity(s * m, s * m), right(s * m, Phi.cols());
      for (Index k = 0; k < s; ++k) {
        const Matrix rates = linearizer_.rates(states[static_cast<std::size_t>(i * s + k)]);
        for (Index j = 0; j < s; ++j) {
          stages.block(k * m, j * m, m, m) -= h * gauss.a(k, j) * view(rates);
        }
        right.middleRows(k * m, m) = view(rates) * Phi;
      }
      const MatrixXd slopes = stages.partialPivLu().solve(right);
      for (Index k = 0; k < s; ++k) Phi += h * gauss.b[k] * slopes.middleRows(k * m, m);
    }
    return Phi(linearizer_.places(z_), Eigen::all);
  }

  void find_multipliers(PeriodicMotion& out) {
    constexpr int kFirst = 16, kMost = 512;
    MatrixXd before = monodromy(out.period, kFirst);
    for (int n = 2 * kFirst; n <= kMost; n *= 2) {
      const MatrixXd now = monodromy(out.period, n);
      out.error = (now - before).cwiseAbs().maxCoeff() / std::max(1.0, now.cwiseAbs().maxCoeff());
      before = now;
      if (out.error <= kConverged) break;
    }
    if (!(out.error <= kConverged)) {
      out.text = fmt::format(
          "deviations could not be followed over one period: their error stays "
          "{:.2g}",
          out.error);
      return;
    }
    out.is_periodic = true;
    // Φ − 1 is zero where a deviation returns as it was.
    LinearSystem growth = linearizer_.at(start_, z_);
    const double least = kConverged * std::max(1.0, before.cwiseAbs().maxCoeff());
    for (Index i = 0; i < before.rows(); ++i) before(i, i) -= 1;
    before = (before.cwiseAbs().array() > least).select(before, 0.0).eval();  // less than its error
    growth.A.values.assign(before.data(), before.data() + before.size());
    Spectrum spectrum = find_spectrum(growth, 1e-7);
    out.num_one = spectrum.num_zero;
    for (Mode& mode : spectrum.modes) {
      out.multipliers.push_back(mode.eigenvalue + 1.0);
      mode.eigenvalue = std::log(out.multipliers.back()) / out.period;
      const double size = std::abs(mode.eigenvalue);
      mode.frequency = size / (2 * std::numbers::pi);
      mode.damping_ratio = size > 0 ? -mode.eigenvalue.real() / size : 0;
      out.modes.push_back(std::move(mode));
    }
  }

  const Model& model_;
  SimulateOptions options_;
  Prepared prepared_;
  Evaluator evaluator_;
  Linearizer linearizer_;
  State start_;
  Independent z_;
  std::string failure_;  // of the last simulation
};

}  // namespace

PeriodicMotion find_periodic_motion(const Model& model, const SimulateOptions& options,
                                    std::optional<double> period) {
  return Orbit(model, options).run(period);
}

}  // namespace koppel

#include <koppel/analysis/rank/departure.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/assembly/neighbours.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/leave_out.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kPoints = 8;

// P_0 … P_kPoints at x, Legendre's polynomials.
std::array<double, kPoints + 1> legendre(double x) {
  std::array<double, kPoints + 1> P{1, x};
  for (std::size_t n = 1; n < kPoints; ++n) {
    const auto k = static_cast<double>(n);
    P[n + 1] = ((2 * k + 1) * x * P[n] - k * P[n - 1]) / (k + 1);
  }
  return P;
}

// The roots of P_8 in (−1, 1) and the weights of the Gauss points, which sum up to 1.
struct Gauss {
  std::array<double, kPoints> x{}, weight{};

  Gauss() {
    for (std::size_t i = 0; i < kPoints; ++i) {
      double root = -std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (kPoints + 0.5));
      double slope = 0;
      for (int k = 0; k < 10; ++k) {
        const auto P = legendre(root);
        slope = kPoints * (root * P[kPoints] - P[kPoints - 1]) / (root * root - 1);
        root -= P[kPoints] / slope;
      }
      x[i] = root;
      weight[i] = 1 / ((1 - root * root) * slope * slope);
    }
  }
};

const Gauss& gauss() {
  static const Gauss points;
  return points;
}

// ∫₀^θ ℓ_j of the Lagrange polynomials over the Gauss points: in Legendre's polynomials, with
// ∫₀^θ P_n(2τ − 1) dτ = (P_{n+1} − P_{n−1})(2θ − 1) / (2 (2n + 1)). And ℓ_j(θ) itself.
struct Weights {
  std::array<double, kPoints> integral{}, value{};
};

Weights weights_at(double theta) {
  const auto P = legendre(2 * theta - 1);
  Weights w;
  for (std::size_t j = 0; j < kPoints; ++j) {
    const auto at = legendre(gauss().x[j]);
    w.integral[j] = gauss().weight[j] * theta;
    w.value[j] = gauss().weight[j];
    for (std::size_t n = 1; n < kPoints; ++n) {
      w.integral[j] += gauss().weight[j] * at[n] * (P[n + 1] - P[n - 1]) / 2;
      w.value[j] += gauss().weight[j] * at[n] * (2 * static_cast<double>(n) + 1) * P[n];
    }
  }
  return w;
}

void add(State& sum, double factor, const State& rate) {
  dense::view(sum.q) += factor * dense::view(rate.q);
  dense::view(sum.v) += factor * dense::view(rate.v);
  dense::view(sum.x) += factor * dense::view(rate.x);
}

// At the part ξ of the interval of the points.
State at_part(const Departure::Stretch& stretch, double xi) {
  State state = stretch.begin;
  const Weights from = weights_at(stretch.origin), to = weights_at(xi);
  for (std::size_t j = 0; j < kPoints; ++j) {
    add(state, stretch.length * (to.integral[j] - from.integral[j]), stretch.rates[j]);
  }
  state.t += (xi - stretch.origin) * stretch.length;
  return state;
}

double distance(const State& a, const State& b) {
  return (dense::view(a.q) - dense::view(b.q)).norm();
}

// The mechanism with independent rows.
class Kept {
 public:
  Kept(const Evaluator& evaluator, const std::vector<int>& leave_out) : evaluator_(evaluator) {
    const auto num_g = static_cast<int>(evaluator.equations->num_g());
    const Shared<Equations> kept = koppel::leave_out(evaluator.equations, leave_out);
    for (const Equations::Row& row : kept->rows) rows_.push_back(row.number);
    rows_of_g_.assign(rows_.begin(), std::lower_bound(rows_.begin(), rows_.end(), num_g));
  }

  // Positions and velocities moved onto the constraints. False where that does not converge.
  bool settle(State& state) const {
    double before = INFINITY;
    constexpr int kMost = 12;
    for (int i = 0; i < kMost; ++i) {
      const VectorXd c = dense::concatenate(
          {select(dense::view(evaluator_.g(state)), rows_of_g_), dense::view(evaluator_.h(state))});
      const double now = c.size() == 0 ? 0 : c.norm();
      if (!std::isfinite(now)) return false;
      const bool stalls = now < kClosed && now > 0.1 * before;
      before = now;
      if (now == 0 || stalls) break;
      const MatrixXd A = dense::stack({select_rows(dense::view(evaluator_.g_q(state)), rows_of_g_),
                                       MatrixXd(dense::view(evaluator_.h_q(state)))});
      dense::view(state.q) -= solve_full(A, c);
    }
    if (!(before < kClosed)) return false;
    const VectorXd rest = dense::concatenate(
        {dense::view(evaluator_.g_rate(state)), dense::view(evaluator_.a_rate(state))});
    const std::vector<double> ease = ease_of_motion(evaluator_, state);
    const MatrixXd C = constraints(state) * dense::view(ease).asDiagonal();
    dense::view(state.v) -= dense::view(ease).cwiseProduct(solve_full(C, select(rest, rows_)));
    return dense::view(state.v).allFinite();
  }

  // q̇, v̇ and ẋ, (2) of departure.hpp, with N from C or as given.
  State rates(const State& state, const MatrixXd* tangents = nullptr) const {
    State rate = state;
    const std::vector<double> ease = ease_of_motion(evaluator_, state);
    const MatrixXd C = constraints(state) * dense::view(ease).asDiagonal();
    const Eigen::HouseholderQR<MatrixXd> qr(C.transpose());
    const MatrixXd Q = qr.householderQ();
    const MatrixXd N =
        tangents != nullptr
            ? *tangents
            : MatrixXd(dense::view(ease).asDiagonal() * Q.rightCols(C.cols() - C.rows()));
    VectorXd w = VectorXd::Zero(C.cols());
    if (tangents == nullptr) {
      const VectorXd gamma = select(dense::view(evaluator_.all_gamma(state)), rows_);
      w = -dense::view(ease).cwiseProduct(solve_full(C, gamma));
    }
    const MatrixXd M = dense::view((*evaluator_.M)(state));
    const VectorXd f = dense::view(evaluator_.f(state));
    if (N.cols() > 0) {
      const MatrixXd reduced = N.transpose() * M * N;
      w += N * reduced.ldlt().solve(N.transpose() * (f - M * w));
    }
    rate.q = dense::to_vector(dense::view(evaluator_.K(state)) * dense::view(state.v));
    rate.v = dense::to_vector(w);
    rate.x = evaluator_.r(state);
    return rate;
  }

  double pivot(const State& state) const {
    const RankReport report = analyze_rank(evaluator_, state, {.here_only = true});
    return report.rank < static_cast<int>(rows_.size()) ? 0 : report.pivots[rows_.size() - 1];
  }

 private:
  static constexpr double kClosed = 1e-9;

  static VectorXd select(const VectorXd& values, const std::vector<int>& rows) {
    VectorXd part(static_cast<Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) part[static_cast<Index>(i)] = values[rows[i]];
    return part;
  }
  static MatrixXd select_rows(const MatrixXd& A, const std::vector<int>& rows) {
    MatrixXd part(static_cast<Index>(rows.size()), A.cols());
    for (std::size_t i = 0; i < rows.size(); ++i) part.row(static_cast<Index>(i)) = A.row(rows[i]);
    return part;
  }
  MatrixXd constraints(const State& state) const {
    return select_rows(dense::view(evaluator_.all_constraints(state)), rows_);
  }
  // The solution of least norm for independent rows, however close they are to being dependent.
  static VectorXd solve_full(const MatrixXd& A, const VectorXd& b) {
    if (A.rows() == 0) return VectorXd::Zero(A.cols());
    const Eigen::HouseholderQR<MatrixXd> qr(A.transpose());
    VectorXd x = VectorXd::Zero(A.cols());
    x.head(A.rows()) =
        qr.matrixQR().topRows(A.rows()).triangularView<Eigen::Upper>().transpose().solve(b);
    return qr.householderQ() * x;
  }

  const Evaluator& evaluator_;
  std::vector<int> rows_, rows_of_g_;
};

// q₀ + t q̇ + ½ t² K v̇ and v₀ + t v̇.
State predicted(const Evaluator& evaluator, const State& state, const State& rate, double t) {
  State next = state;
  add(next, t, rate);
  dense::view(next.q) += t * t / 2 * (dense::view(evaluator.K(state)) * dense::view(rate.v));
  next.t += t;
  return next;
}

// One step of (1), or of its like around the start. `first` are the rates at its beginning as far
// as they are known.
bool take_stretch(const Evaluator& evaluator, const Kept& kept, const State& begin,
                  const State& first, double h, bool both_sides, Departure::Stretch& stretch,
                  State& end) {
  constexpr double kBranch = 0.3;  // of the way: a larger correction leads to another branch
  constexpr double kConverged = 1e-13, kDefect = 1e-9;
  constexpr int kMost = 40;
  stretch = {begin, both_sides ? 2 * h : h, both_sides ? 0.5 : 0, {}};
  std::vector<State> points;
  for (const double x : gauss().x) {
    State point =
        predicted(evaluator, begin, first, ((1 + x) / 2 - stretch.origin) * stretch.length);
    const State guess = point;
    if (!kept.settle(point) || distance(point, guess) > kBranch * distance(begin, guess)) {
      return false;
    }
    stretch.rates.push_back(kept.rates(point));
    points.push_back(std::move(point));
  }
  double way = 0, before = INFINITY;
  for (const State& point : points) way = std::max(way, distance(point, begin));
  for (int i = 0;; ++i) {
    double change = 0;
    std::vector<State> rates;
    for (std::size_t k = 0; k < kPoints; ++k) {
      State point = at_part(stretch, (1 + gauss().x[k]) / 2);
      if (!kept.settle(point)) return false;
      change = std::max(change, distance(point, points[k]) +
                                    h * (dense::view(point.v) - dense::view(points[k].v)).norm());
      rates.push_back(kept.rates(point));
      points[k] = std::move(point);
    }
    stretch.rates = std::move(rates);
    if (!std::isfinite(change) || change > 10 * way) return false;
    const bool stalls = change < 1e-9 * way && change > 0.5 * before;
    if (change < kConverged * way || stalls) break;
    if (i == kMost) return false;
    before = change;
  }
  end = at_part(stretch, 1);
  if (!kept.settle(end)) return false;
  // The polynomial of the rates must be right where it was not fitted.
  const State there = kept.rates(end);
  const Weights w = weights_at(1);
  VectorXd defect = dense::view(there.v);
  for (std::size_t j = 0; j < kPoints; ++j) {
    defect -= w.value[j] * dense::view(stretch.rates[j].v);
  }
  const double speed = dense::view(begin.v).norm() + h * dense::view(there.v).norm();
  return h * defect.norm() < kDefect * speed;
}

// A stretch of the length h or, where there is none, of a shorter one. Around the start first;
// where forces begin with the start, as jumps of time do, only after it.
bool take_shorter(const Evaluator& evaluator, const Kept& kept, const State& begin,
                  const State& first, bool both_sides, double& h, Departure::Stretch& stretch,
                  State& end) {
  constexpr int kHalvings = 12;
  const double longest = h;
  for (const bool around : {true, false}) {
    if (around && !both_sides) continue;
    h = longest;
    for (int i = 0; i < kHalvings; ++i, h /= 2) {
      if (take_stretch(evaluator, kept, begin, first, h, around, stretch, end)) return true;
    }
  }
  return false;
}

// How long a stretch may be for gradients to turn by a small angle; 0: nothing moves.
double first_step(const Evaluator& evaluator, const State& state, const State& rate) {
  constexpr double kAngle = 0.1;
  const double by_velocity = length_of_turn(evaluator, state, state.v, kAngle);
  const double by_acceleration = length_of_turn(evaluator, state, rate.v, kAngle);
  if (by_acceleration == 0) return by_velocity;
  const double falling = std::sqrt(2 * by_acceleration);
  return by_velocity == 0 ? falling : std::min(by_velocity, falling);
}

}  // namespace

State Departure::at(double t) const {
  if (t >= end.t) return end;
  for (const Stretch& stretch : stretches) {
    const double xi = stretch.origin + (t - stretch.begin.t) / stretch.length;
    if (xi <= 1) return at_part(stretch, xi);
  }
  return end;
}

Departure depart(const Evaluator& evaluator, const State& start, const Matrix& tangents,
                 const std::vector<int>& leave_out, double pivot) {
  constexpr int kMostStretches = 60;
  const Kept kept(evaluator, leave_out);
  Departure out;
  out.begin = out.end = start;
  const MatrixXd T = dense::view(tangents);
  State first = kept.rates(start, T.rows() > 0 ? &T : nullptr);
  double h = first_step(evaluator, start, first);
  for (int i = 0; i < kMostStretches; ++i) {
    if (!(h > 0) || !std::isfinite(h)) {
      out.text = "nothing moves the mechanism away from it";
      return out;
    }
    Departure::Stretch stretch;
    State end;
    if (!take_shorter(evaluator, kept, out.end, first, i == 0, h, stretch, end)) {
      out.text = "the motion cannot be followed away from it";
      return out;
    }
    out.stretches.push_back(std::move(stretch));
    out.end = std::move(end);
    if (kept.pivot(out.end) >= pivot) {
      out.is_found = true;
      return out;
    }
    first = kept.rates(out.end);
    h = std::min(2 * h, first_step(evaluator, out.end, first));
  }
  out.text = "the motion stays close to it";
  return out;
}

}  // namespace koppel

#include <koppel/analysis/assembly/distance.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>
#include <Eigen/SparseCholesky>

#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using sparse::SparseMatrix;

Eigen::Vector3d to_eigen(const Vec3<double>& a) { return {a.x, a.y, a.z}; }

SparseMatrix square(const SparseMatrix& J) { return SparseMatrix(J.transpose()) * J; }

// What keeps a semidefinite matrix factorable: a little of its own diagonal, which has masses and
// moments of inertia, many powers of ten apart in small mechanisms; where that is zero, of `top`.
SparseMatrix little_of(const SparseMatrix& S, double top) {
  constexpr double kDefinite = 1e-12;
  VectorXd diagonal = S.diagonal();
  for (double& x : diagonal) x = kDefinite * (x > 0 ? x : top);
  return SparseMatrix(diagonal.asDiagonal());
}

// Invariants, each with the weight of the heaviest motion in it; where that is none, of `top`.
SparseMatrix weighed(const SparseMatrix& h_q, const VectorXd& weights, double top) {
  VectorXd heaviest = VectorXd::Zero(h_q.rows());
  for (Index j = 0; j < h_q.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(h_q, j); it; ++it) {
      if (it.value() != 0) heaviest[it.row()] = std::max(heaviest[it.row()], weights[j]);
    }
  }
  for (double& x : heaviest) x = std::sqrt(x > 0 ? x : top);
  return heaviest.asDiagonal() * h_q;
}

}  // namespace

StartDistance::StartDistance(const Evaluator& evaluator, const Placement& placement,
                             const State& guess)
    : evaluator_(evaluator), placement_(placement), guess_(guess) {}

StartDistance::Rows StartDistance::make_rows() const {
  const Equations& e = evaluator_.equations;
  std::vector<Expr> values;
  std::vector<double> target;
  double largest = 0;
  const auto add = [&](const Vec3e& value, double weight, const Vec3<double>& expected) {
    const double root = std::sqrt(weight);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      values.push_back(root * value[axis]);
      target.push_back(root * expected[axis]);
    }
    largest = std::max(largest, weight);
  };
  for (const PlacedBody& body : placement_) {
    add(body.centre, body.mass, body.start);
    for (std::size_t k = 0; k < body.directions.size(); ++k) {
      add(body.directions[k], body.moments[k], body.start_directions[k]);
    }
  }
  // An angle that is counted beside the axes it is measured between follows from those.
  std::unordered_set<NodeId> used;
  for (const Expr& symbol : symbols_of(values)) used.insert(symbol.id());
  std::vector<char> free;
  for (const Expr& q : e.q) free.push_back(!used.contains(q.id()));
  for (const Equations::Counted& counted : e.counted) {
    free[static_cast<std::size_t>(counted.q)] = 0;
  }
  return {values,
          VectorFunction(e, values),
          VectorFunction(e, rate_of(e, values)),
          dense::view(target),
          std::sqrt(largest),
          std::move(free)};
}

const StartDistance::Rows& StartDistance::rows() const {
  if (!rows_) rows_.emplace(make_rows());
  return *rows_;
}

VectorXd StartDistance::moved(const State& state) const {
  return dense::view(rows().value(state)) - rows().target;
}

SparseMatrix StartDistance::rows_q(const State& state) const {
  const Equations& e = evaluator_.equations;
  if (!rows_q_) rows_q_.emplace(e, jacobian(rows().values, e.q));
  return sparse::evaluate(*rows_q_, state);
}

// Their rates are velocities, and M is that of their kinetic energy alone.
const StartDistance::FreeMass& StartDistance::free_mass() const {
  if (free_mass_) return *free_mass_;
  const auto n_q = static_cast<Index>(evaluator_.equations->num_q());
  const auto n_v = static_cast<Index>(evaluator_.equations->num_v());
  free_mass_ = {SparseMatrix(n_q, n_q), SparseMatrix(n_v, n_v)};
  sparse::Triplets entries;
  for (Index j = 0; j < n_q; ++j) {
    if (rows().free[static_cast<std::size_t>(j)]) entries.emplace_back(j, j, 1.0);
  }
  if (entries.empty()) return *free_mass_;
  const SparseMatrix K = sparse::from(entries, n_q, n_q) * sparse::evaluate(evaluator_.K, guess_);
  const SparseMatrix K_transposed = K.transpose();
  free_mass_->q = K * mass_metric(evaluator_, guess_) * K_transposed;
  free_mass_->v = K_transposed * free_mass_->q * K;
  return *free_mass_;
}

const std::shared_ptr<const Metric>& StartDistance::masses() const {
  if (!masses_) masses_ = make_metric(evaluator_, guess_);
  return masses_;
}

double StartDistance::weight() const {
  return placement_.empty() ? largest_weight(evaluator_, guess_) : rows().weight;
}

bool StartDistance::is_measured(Expr symbol) const {
  if (placement_.empty()) return true;
  const Equations& e = evaluator_.equations;
  const std::vector<int> rate = find_rates(e);
  for (std::size_t i = 0; i < e.num_q(); ++i) {
    if (!rows().free[i]) continue;
    if (symbol == e.q[i]) return true;
    if (rate[i] >= 0 && symbol == e.v[static_cast<std::size_t>(rate[i])]) return true;
  }
  return false;
}

double StartDistance::squared(const State& state) const {
  const VectorXd dq = dense::view(state.q) - dense::view(guess_.q);
  if (placement_.empty()) return std::pow(masses()->length(dq), 2);
  return moved(state).squaredNorm() + dq.dot(free_mass().q * dq);
}

std::shared_ptr<const Metric> StartDistance::even_metric_at(const State& state) const {
  if (placement_.empty()) return masses();
  const double least = 0.1 * std::pow(rows().weight, 2);
  std::vector<double> weights;
  for (const PlacedBody& body : placement_) {
    weights.insert(weights.end(), 3, std::sqrt(std::max(1.0, least / body.mass)));
    for (const double e : body.moments) {
      weights.insert(weights.end(), 3, std::sqrt(std::max(1.0, least / e)));
    }
  }
  return metric_of(dense::view(weights).asDiagonal() * rows_q(state), state);
}

std::shared_ptr<const Metric> StartDistance::metric_at(const State& state) const {
  return placement_.empty() ? masses() : metric_of(rows_q(state), state);
}

std::shared_ptr<const Metric> StartDistance::metric_of(const SparseMatrix& J,
                                                       const State& state) const {
  const double top = std::pow(rows().weight, 2);
  SparseMatrix S = square(J) + free_mass().q;
  S += square(weighed(sparse::evaluate(evaluator_.h_q, state), S.diagonal(), top));
  S += little_of(S, top);
  return make_metric(S);
}

VectorXd StartDistance::offset(const State& state, const Metric& metric) const {
  const VectorXd dq = dense::view(state.q) - dense::view(guess_.q);
  if (placement_.empty()) return dq;
  return metric.solve(rows_q(state).transpose() * moved(state) + free_mass().q * dq);
}

// ċ and ω × d.
VectorXd StartDistance::expected_rates(const VectorXd& rows) const {
  VectorXd rates(rows.size());
  Index at = 0;
  for (const PlacedBody& body : placement_) {
    rates.segment<3>(at) = std::sqrt(body.mass) * to_eigen(body.velocity);
    at += 3;
    for (std::size_t k = 0; k < body.directions.size(); ++k, at += 3) {
      rates.segment<3>(at) = to_eigen(body.spin).cross(Eigen::Vector3d(rows.segment<3>(at)));
    }
  }
  return rates;
}

bool StartDistance::expects(const State& state) const {
  if (placement_.empty()) return true;
  const bool rests = std::all_of(placement_.begin(), placement_.end(), [](const PlacedBody& body) {
    return norm(body.velocity) == 0 && norm(body.spin) == 0;
  });
  if (rests && dense::view(state.v).isZero(0)) return true;
  const VectorXd expected = expected_rates(dense::view(rows().value(state)));
  const VectorXd difference = dense::view(rows().rate(state)) - expected;
  return difference.norm() <= 1e-13 * expected.norm();
}

StartDistance::OfVelocities StartDistance::of_velocities(const State& position) const {
  const VectorXd v_guess = dense::view(guess_.v);
  if (placement_.empty()) return {mass_metric(evaluator_, position), v_guess};
  State rest = position;
  std::fill(rest.v.begin(), rest.v.end(), 0.0);
  // Less what moves by itself, with the time.
  const VectorXd expected =
      expected_rates(dense::view(rows().value(rest))) - dense::view(rows().rate(rest));
  const SparseMatrix J = rows_q(position) * sparse::evaluate(evaluator_.K, position);
  const SparseMatrix exact = square(J) + free_mass().v;
  const SparseMatrix W = exact + little_of(exact, std::pow(rows().weight, 2));
  const VectorXd c = J.transpose() * expected + free_mass().v * v_guess;
  const Eigen::SimplicialLDLT<SparseMatrix> solver(W);
  VectorXd v0 = solver.solve(c);
  for (int i = 0; i < 2; ++i) v0 += solver.solve(c - exact * v0);  // takes the addition back
  return {W, v0};
}

VectorXd StartDistance::place_of(const State& state) const {
  if (placement_.empty()) return dense::view(state.q);
  return dense::view(rows().value(state));
}

// The directions of a body keep the sign of their volume.
bool StartDistance::has_mirrored(const State& state) const {
  if (placement_.empty()) return false;
  const VectorXd here = dense::view(rows().value(state));
  Index at = 0;
  for (const PlacedBody& body : placement_) {
    at += 3;
    if (body.directions.size() == 3) {
      const auto volume = [&](const VectorXd& rows) {
        const Eigen::Vector3d a = rows.segment<3>(at), b = rows.segment<3>(at + 3);
        return a.cross(b).dot(Eigen::Vector3d(rows.segment<3>(at + 6)));
      };
      if (volume(here) * volume(rows().target) < 0) return true;
    }
    at += 3 * static_cast<Index>(body.directions.size());
  }
  return false;
}

std::string StartDistance::largest_move(const State& state) const {
  constexpr double kTold = 1e-6;
  const Move move = find_largest_move(state);
  return move.relative > kTold ? move.text : "";
}

double StartDistance::largest_relative_move(const State& state) const {
  return find_largest_move(state).relative;
}

StartDistance::Move StartDistance::find_largest_move(const State& state) const {
  Move largest;
  const auto see = [&](double relative, auto&& words) {
    if (relative > largest.relative) largest = {relative, words()};
  };
  const Equations& e = evaluator_.equations;
  for (std::size_t i = 0; i < e.num_q(); ++i) {
    const double by = std::abs(state.q[i] - guess_.q[i]);
    if (by == 0 || !is_measured(e.q[i])) continue;
    see(by / std::max(1.0, std::abs(guess_.q[i])),
        [&] { return fmt::format("'{}' moved by {:.3g}", e.q[i].name(), by); });
  }
  if (placement_.empty()) return largest;
  const VectorXd moves = moved(state);
  double size = 0;
  for (const PlacedBody& body : placement_) size = std::max(size, norm(body.start));
  if (size == 0) size = 1;
  Index at = 0;
  for (const PlacedBody& body : placement_) {
    const double by = moves.segment<3>(at).norm() / std::sqrt(body.mass);
    see(by / size, [&] { return fmt::format("body '{}' moved by {:.3g} m", body.name, by); });
    at += 3;
    // Σ |dₖ − dₖ₀|² = 8 sin²(θ/2) for three directions, 4 sin²(θ/2) for the one of the plane.
    double sum = 0;
    for (std::size_t k = 0; k < body.directions.size(); ++k, at += 3) {
      sum += moves.segment<3>(at).squaredNorm() / body.moments[k];
    }
    const double whole = body.directions.size() == 3 ? 8 : 4;
    const double turn = 2 * std::asin(std::min(1.0, std::sqrt(sum / whole)));
    see(turn, [&] { return fmt::format("body '{}' turned by {:.3g} rad", body.name, turn); });
  }
  return largest;
}

}  // namespace koppel

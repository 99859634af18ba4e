#include <koppel/analysis/rank/branches.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/algebra/metric.hpp>
#include <koppel/analysis/algebra/quadrics.hpp>
#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/assembly/neighbours.hpp>
#include <koppel/base/quoted.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Velocities v = drive + N z with (1) of branches.hpp as zᵀ Q z = 0; where the drive is not 0, z
// has the factor of the drive before the others.
struct Cone {
  VectorXd drive;
  MatrixXd N;  // its columns belong to z: with the drive as the first, where there is one
  bool is_driven = false;
  std::vector<MatrixXd> Q;  // independent, with entries near 1
};

// N, in the metric of masses, and Y.
struct NullSpaces {
  MatrixXd N, Y;
};

NullSpaces null_spaces(const Evaluator& evaluator, const State& state, int rank) {
  constexpr double kVanishes = 1e-8;  // of the largest row
  const std::vector<double> ease = ease_of_motion(evaluator, state);
  const MatrixXd C = dense::view(evaluator.all_constraints(state));
  const MatrixXd eased = C * dense::view(ease).asDiagonal();
  VectorXd rows = eased.rowwise().norm();
  rows = rows.cwiseMax(kVanishes * rows.maxCoeff()).cwiseInverse().eval();
  const dense::Singular svd =
      dense::singular_values(rows.asDiagonal() * eased, dense::Vectors::Full);
  return {dense::view(ease).asDiagonal() * svd.V.rightCols(C.cols() - rank),
          rows.asDiagonal() * svd.U.rightCols(C.rows() - rank)};
}

// Yᵀγ at v, and a measure of its terms.
VectorXd second_order(const Evaluator& evaluator, State state, const MatrixXd& Y, const VectorXd& v,
                      double& terms) {
  state.v = dense::to_vector(v);
  const std::vector<double> values = evaluator.all_gamma(state);
  terms = std::max(terms, (Y.cwiseAbs().transpose() * dense::view(values).cwiseAbs()).maxCoeff());
  return Y.transpose() * dense::view(values);
}

Cone make_cone(const Evaluator& evaluator, const State& state, int rank) {
  const NullSpaces spaces = null_spaces(evaluator, state, rank);
  Cone cone{VectorXd::Zero(spaces.N.rows()), spaces.N, false, {}};
  const VectorXd rates =
      -dense::concatenate({dense::view(evaluator.g_t(state)), dense::view(evaluator.b(state))});
  const Index d = spaces.N.cols();
  double terms = 0;
  const auto at = [&](const VectorXd& v) {
    return second_order(evaluator, state, spaces.Y, v, terms);
  };
  const VectorXd rest = at(cone.drive);
  cone.is_driven = rates.cwiseAbs().maxCoeff() > 0 || rest.cwiseAbs().maxCoeff() > 0;
  if (cone.is_driven) {
    const PullRows none{sparse::SparseMatrix(0, spaces.N.rows()), VectorXd()};
    cone.drive =
        nearest_velocity(mass_metric(evaluator, state), sparse::all_constraints(evaluator, state),
                         rates, none, cone.drive);
  }
  // F(z) = c + L z + zᵀ H z from its values at 0, ±e_i and e_i + e_j.
  const VectorXd c = at(cone.drive);
  MatrixXd plus(c.size(), d), minus(c.size(), d);
  for (Index i = 0; i < d; ++i) {
    plus.col(i) = at(cone.drive + spaces.N.col(i));
    minus.col(i) = at(cone.drive - spaces.N.col(i));
  }
  const Index first = cone.is_driven ? 1 : 0;
  std::vector<MatrixXd> forms(static_cast<std::size_t>(c.size()),
                              MatrixXd::Zero(d + first, d + first));
  for (Index i = 0; i < d; ++i) {
    for (Index j = 0; j <= i; ++j) {
      const VectorXd both =
          i == j ? VectorXd() : at(cone.drive + spaces.N.col(i) + spaces.N.col(j));
      for (std::size_t k = 0; k < forms.size(); ++k) {
        const auto row = static_cast<Index>(k);
        const double h = i == j ? (plus(row, i) + minus(row, i)) / 2 - c[row]
                                : (both[row] - plus(row, i) - plus(row, j) + c[row]) / 2;
        forms[k](i + first, j + first) = forms[k](j + first, i + first) = h;
      }
    }
    if (!cone.is_driven) continue;
    for (std::size_t k = 0; k < forms.size(); ++k) {
      const auto row = static_cast<Index>(k);
      forms[k](0, 0) = c[row];
      forms[k](0, i + 1) = forms[k](i + 1, 0) = (plus(row, i) - minus(row, i)) / 4;
    }
  }
  if (cone.is_driven) {
    cone.N.resize(spaces.N.rows(), d + 1);
    cone.N << cone.drive, spaces.N;
  }
  cone.Q = quadrics::independent(forms, terms);
  return cone;
}

// The rates with the largest part, the largest of them 1; with a drive as they have to be.
std::string describe_rates(const Equations& e, VectorXd v, bool is_driven) {
  constexpr Index kMost = 6;
  constexpr double kSmall = 1e-3;
  Index largest = 0;
  const double top = v.cwiseAbs().maxCoeff();
  if (!(top > 0)) return "at rest";
  while (std::abs(v[largest]) < 0.999 * top) ++largest;  // the first of equal ones
  const double unit = v[largest];
  v /= unit;
  std::vector<Index> order;
  for (Index i = 0; i < v.size(); ++i) {
    if (std::abs(v[i]) > kSmall) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return std::abs(v[a]) > std::abs(v[b]) + kSmall; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), kMost); ++i) {
    const Index k = order[i];
    const std::string value =
        is_driven ? fmt::format("{:.8g}", v[k] * unit) : fmt::format("{:.4g}", v[k]);
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", e.v[static_cast<std::size_t>(k)].name(),
                        value);
  }
  if (order.size() > kMost) text += ", …";
  return text;
}

// Velocities that span a branch, each with a 1 where the others are 0.
MatrixXd echelon(MatrixXd T) {
  for (Index j = 0; j < T.cols(); ++j) {
    Index row = 0;
    T.col(j).cwiseAbs().maxCoeff(&row);
    T.col(j) /= T(row, j);
    for (Index k = 0; k < T.cols(); ++k) {
      if (k != j) T.col(k) -= T(row, k) * T.col(j);
    }
  }
  return T;
}

// A step along v and closing again; true where it stays close to where it led.
bool confirm(const Evaluator& evaluator, const State& state, const VectorXd& v, bool is_driven,
             State& beside) {
  constexpr double kAngle = 0.1, kClose = 0.3, kLater = 0.1;
  const std::vector<double> along = dense::to_vector(v);
  double s = length_of_turn(evaluator, state, along, kAngle);
  if (is_driven) s = s > 0 ? std::min(s, kLater) : kLater;
  constexpr int kTries = 4;
  for (int i = 0; i < kTries && s > 0; ++i, s /= 4) {
    for (const double side : {s, -s}) {
      beside = moved(evaluator, state, along, side);
      if (is_driven) beside.t += side;
      const VectorXd predicted = dense::view(beside.q);
      const double length = (predicted - dense::view(state.q)).norm();
      if (close_positions(evaluator, beside) &&
          (dense::view(beside.q) - predicted).norm() < kClose * length) {
        return true;
      }
    }
  }
  return false;
}

// A velocity of the space in general position; of a driven one, with the drive once.
VectorXd velocity_in(const Cone& cone, const MatrixXd& U) {
  VectorXd z = U.rowwise().sum();
  if (U.cols() > 1) z += 0.3 * U.col(0);
  return cone.N * (cone.is_driven ? VectorXd(z / z[0]) : z);
}

}  // namespace

Branches find_branches(const Evaluator& evaluator, const State& state, const RankReport& rank) {
  Branches found;
  constexpr Index kMostFreedoms = 60;
  if (sparse::is_large(static_cast<Index>(rank.num_rows)) || rank.freedoms_here() > kMostFreedoms) {
    found.is_complete = false;
    return found;
  }
  const Cone cone = make_cone(evaluator, state, rank.rank_here);
  if (cone.Q.empty()) found.is_complete = false;
  for (const MatrixXd& U : quadrics::common_zeros(cone.Q)) {
    constexpr double kDriven = 1e-6;
    if (cone.is_driven && U.row(0).norm() < kDriven) continue;  // stands still in time
    Branch branch;
    const VectorXd v = velocity_in(cone, U);
    if (!confirm(evaluator, state, v, cone.is_driven, branch.beside)) continue;
    branch.rank = analyze_rank(evaluator, branch.beside, {.here_only = true});
    branch.drive = dense::to_vector(VectorXd::Zero(v.size()));
    MatrixXd T = cone.N * U;
    if (cone.is_driven) {
      branch.drive = dense::to_vector(v);
      T = cone.N * (U * dense::null_space(U.row(0), kDriven));
    }
    if (cone.is_driven) {
      branch.text = describe_rates(evaluator.equations, v, true);
    } else {
      const MatrixXd basis = T.cols() > 1 ? echelon(T) : T;
      for (Index j = 0; j < basis.cols(); ++j) {
        branch.text += (j == 0 ? "" : " and, independently, ") +
                       describe_rates(evaluator.equations, basis.col(j), false);
      }
    }
    branch.tangents = dense::to_matrix(T);
    found.all.push_back(std::move(branch));
  }
  return found;
}

namespace {

// drive + T z nearest to the velocities of a state, and how far it is from them, relative to both.
// With rows: among those with A v = b; false where there is none.
bool nearest_on(const Evaluator& evaluator, const Branch& branch, const State& state,
                const MatrixXd& A, const VectorXd& b, VectorXd& v, double& distance) {
  const std::vector<double> ease = ease_of_motion(evaluator, state);
  const auto weight = dense::view(ease).cwiseInverse();
  const MatrixXd T = dense::view(branch.tangents);
  const VectorXd drive = dense::view(branch.drive), wanted = dense::view(state.v);
  VectorXd z = VectorXd::Zero(T.cols());
  MatrixXd free = MatrixXd::Identity(T.cols(), T.cols());
  constexpr double kRank = 1e-9, kMet = 1e-9;
  if (A.rows() > 0 && T.cols() > 0) {
    const VectorXd right = b - A * drive;
    z = dense::solve_least_norm(A * T, right, kRank);
    const double size = 1 + b.cwiseAbs().maxCoeff();
    if ((A * T * z - right).cwiseAbs().maxCoeff() > kMet * size) return false;
    free = dense::null_space(A * T, kRank);
  }
  v = drive + T * z;
  if (free.cols() > 0) {
    const MatrixXd W = weight.asDiagonal() * T * free;
    v += T * (free * dense::solve_least_squares(W, weight.cwiseProduct(wanted - v)));
  }
  const double size = std::max(weight.cwiseProduct(wanted).norm(), weight.cwiseProduct(v).norm());
  distance = size > 0 ? weight.cwiseProduct(wanted - v).norm() / size : 0;
  return true;
}

// The wishes for rates as A v = b.
void wished_rates(const Equations& e, const State& state, MatrixXd& A, VectorXd& b) {
  std::vector<Expr> residuals;
  for (const Equations::Wish& wish : e.wishes) {
    if (wish.is_rate) residuals.push_back(wish.residual);
  }
  State rest = state;
  std::fill(rest.v.begin(), rest.v.end(), 0.0);
  A = dense::view(MatrixFunction(e, jacobian(residuals, e.v))(rest));
  b = -dense::view(VectorFunction(e, residuals)(rest));
}

}  // namespace

int choose_branch(const Evaluator& evaluator, const Branches& branches, State& state) {
  constexpr double kAlong = 1e-6;
  MatrixXd wishes;
  VectorXd wished;
  wished_rates(evaluator.equations, state, wishes, wished);
  // First by the velocities alone, then by the wishes.
  for (const bool by_wishes : {false, true}) {
    int chosen = -1, count = 0;
    VectorXd velocity;
    for (std::size_t i = 0; i < branches.all.size(); ++i) {
      VectorXd v;
      double distance = 0;
      const MatrixXd A = by_wishes ? wishes : MatrixXd(0, dense::view(state.v).size());
      const VectorXd b = by_wishes ? wished : VectorXd();
      if (!nearest_on(evaluator, branches.all[i], state, A, b, v, distance)) continue;
      if (!by_wishes && distance > kAlong) continue;
      ++count;
      chosen = static_cast<int>(i);
      velocity = v;
    }
    if (count == 1) {
      if (velocity.isZero(0)) return -1;
      state.v = dense::to_vector(velocity);
      return chosen;
    }
    if (count > 1) return -1;
  }
  return -1;
}

namespace {}  // namespace

std::vector<std::string> dependent_owners(const Evaluator& evaluator, const State& state) {
  std::vector<std::string> names;
  for (const Redundancy& r : analyze_rank(evaluator, state, {.here_only = true}).redundant) {
    names.push_back(r.owner);
    names.insert(names.end(), r.repeats.begin(), r.repeats.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string describe_singular(const Evaluator& evaluator, const State& state,
                              const RankReport& rank) {
  return fmt::format(
      "the start is a singular configuration: {} freedoms meet there, {} near it; the equations of "
      "{} become dependent.",
      rank.freedoms_here(), rank.degrees_of_freedom, quoted(dependent_owners(evaluator, state)));
}

std::string describe_degenerate(const Evaluator& evaluator, const State& state) {
  return fmt::format(
      "the start is a singular configuration: the equations of {} are dependent to first order, "
      "yet hold the mechanism to second order. Motion and reactions are not determined.",
      quoted(dependent_owners(evaluator, state)));
}

std::string describe(const Branches& branches) {
  if (branches.all.empty()) {
    return branches.is_complete ? "No motion leads away from it."
                                : "Its branches are not found: the mechanism is too "
                                  "large, or higher orders decide.";
  }
  std::string text = "Branches, by their rates:";
  for (std::size_t i = 0; i < branches.all.size(); ++i) {
    text += fmt::format(" ({}) {}{}", i + 1, branches.all[i].text,
                        i + 1 < branches.all.size() ? ";" : ".");
  }
  return text;
}

}  // namespace koppel

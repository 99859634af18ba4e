#include <koppel/analysis/rank/rank.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/algebra/metric.hpp>
#include <koppel/analysis/assembly/neighbours.hpp>
#include <koppel/base/text.hpp>

namespace koppel {
namespace {

using Index = Eigen::Index;

constexpr double kSupport = 1e-6;  // entries of the orthonormal Y below are round-off

// The columns of Y span {y : yᵀC = 0} for an equilibrated C. The weights are the ‖c_i‖ of (1) in
// rank.hpp, for its rows.
struct Dependences {
  Eigen::MatrixXd Y;
  Eigen::VectorXd weights;
  Eigen::VectorXd scale;  // of the rows of C: (diag(scale) Y)ᵀ C = 0 before equilibration
};

// Row numbers by owner, in the order in which the owners come.
struct Owner {
  std::string name;
  std::vector<int> rows;
};

std::vector<Owner> owners_of(const Equations& equations) {
  std::vector<Owner> owners;
  std::map<Equations::Owner, std::size_t> known;
  for (std::size_t i = 0; i < equations.rows.size(); ++i) {
    const Equations::Owner& owner = equations.rows[i].owner;
    const auto [it, is_new] = known.try_emplace(owner, owners.size());
    if (is_new) owners.push_back({owner.name, {}});
    owners[it->second].rows.push_back(static_cast<int>(i));
  }
  return owners;
}

Eigen::MatrixXd rows_of(const Eigen::MatrixXd& Y, const std::vector<int>& rows) {
  Eigen::MatrixXd part(static_cast<Index>(rows.size()), Y.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) part.row(static_cast<Index>(i)) = Y.row(rows[i]);
  return part;
}

// A largest set of rows whose Y_S are independent, by pivoting.
std::vector<int> independent_rows(const Eigen::MatrixXd& Y, const std::vector<int>& rows) {
  const Eigen::MatrixXd part = rows_of(Y, rows).transpose();
  if (part.size() == 0 || part.cwiseAbs().maxCoeff() < kSupport) return {};
  std::vector<int> chosen;
  for (const int j :
       dense::independent_columns(part, kSupport / part.colwise().norm().maxCoeff())) {
    chosen.push_back(rows[static_cast<std::size_t>(j)]);
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// The joint in space that holds what is left of an owner's equations without those removed, where
// there is one: by how many displacements, tilts and turns it holds (joint_constraints.cpp).
std::string weaker_joint(const Equations& equations, const Owner& owner,
                         const std::vector<int>& removed) {
  int shifts = 0, tilts = 0, turns = 0;
  bool had_tilts = false;
  for (const int row : owner.rows) {
    const Holds holds = equations.rows[static_cast<std::size_t>(row)].holds;
    had_tilts = had_tilts || holds == Holds::Tilt;
    if (std::find(removed.begin(), removed.end(), row) != removed.end()) continue;
    switch (holds) {
      case Holds::Point:
      case Holds::Shift: ++shifts; break;
      case Holds::Tilt: ++tilts; break;
      case Holds::Turn: ++turns; break;
      case Holds::Other: return "";
    }
  }
  if (!had_tilts) return "";
  constexpr struct {
    int shifts, tilts, turns;
    const char* name;
  } kJoints[] = {{3, 2, 0, "revolute"},      {3, 1, 0, "universal"},     {3, 0, 0, "spherical"},
                 {2, 2, 1, "prismatic"},     {2, 2, 0, "cylindrical"},   {1, 2, 0, "planar"},
                 {2, 0, 0, "point-on-line"}, {1, 0, 0, "point-on-plane"}};
  for (const auto& joint : kJoints) {
    if (joint.shifts == shifts && joint.tilts == tilts && joint.turns == turns) return joint.name;
  }
  return "";
}

std::string explain(const Redundancy& r, const std::string& weaker) {
  const bool one = r.rows.size() == 1;
  std::string text = "'" + r.owner + "': ";
  if (r.num_equations == 1) {
    text += "its equation repeats";
  } else {
    text += std::to_string(r.rows.size()) + " of its " + std::to_string(r.num_equations) +
            " equations (" + joined(r.rows) + ") repeat" + (one ? "s" : "");
  }
  if (!r.repeats.empty()) {
    text += " what " + joined(r.repeats) + " already say.";
  } else {
    text += r.num_equations == 1 ? " what is fixed already." : " its others.";
  }
  if (!weaker.empty()) {
    text += " Make it a " + weaker + " joint, or accept that its reaction is not unique.";
  } else {
    text += one ? " Leave it out, or accept that its reaction is not unique."
                : " Leave them out, or accept that their reactions are not unique.";
  }
  return text;
}

// Owners other than `owner` with a part in the dependences that the removed rows are in.
std::vector<std::string> partners(const Eigen::MatrixXd& Y, const std::vector<Owner>& owners,
                                  std::size_t owner, const std::vector<int>& removed) {
  // The part of Y that sees the removed rows: Y Y_Sᵀ.
  const Eigen::MatrixXd seen = Y * rows_of(Y, removed).transpose();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < owners.size(); ++i) {
    if (i == owner) continue;
    if (rows_of(seen, owners[i].rows).cwiseAbs().maxCoeff() > kSupport) {
      names.push_back(owners[i].name);
    }
  }
  return names;
}

void name_redundant_rows(const Equations& equations, Eigen::MatrixXd Y, RankReport& report) {
  const std::vector<Owner> owners = owners_of(equations);
  const Eigen::MatrixXd all = Y;
  while (Y.cols() > 0) {
    std::size_t best = 0;
    std::vector<int> removed;
    for (std::size_t i = 0; i < owners.size(); ++i) {
      std::vector<int> rows = independent_rows(Y, owners[i].rows);
      if (rows.size() >= removed.size() && !rows.empty()) {
        best = i;
        removed = std::move(rows);
      }
    }
    if (removed.empty()) break;  // only round-off is left
    Redundancy r;
    r.owner = owners[best].name;
    r.num_equations = static_cast<int>(owners[best].rows.size());
    for (const int row : removed) {
      r.rows.push_back(equations.rows[static_cast<std::size_t>(row)].name);
    }
    r.repeats = partners(all, owners, best, removed);
    r.text = explain(r, weaker_joint(equations, owners[best], removed));
    report.redundant.push_back(std::move(r));
    // What is left are the dependences without the removed rows.
    Y = Y * dense::null_space(rows_of(Y, removed), kSupport);
  }
}

// By (1) of rank.hpp. Projecting what is left of Y along the row that is taken keeps the others'
// distances from it.
std::vector<int> rows_to_leave_out(const Dependences& found, std::size_t num_g) {
  constexpr double kEqual = 0.9;     // of the largest is as good
  constexpr double kRate = 1e3;      // more for rows of a: one of g holds the position as well
  constexpr double kNothing = 1e-6;  // of the largest weight, for rows that are 0
  Eigen::VectorXd weights = found.weights.cwiseMax(kNothing * found.weights.maxCoeff());
  weights.tail(weights.size() - static_cast<Index>(num_g)) *= kRate;
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(weights.asDiagonal() * found.Y);
  Eigen::MatrixXd Y = qr.householderQ() * Eigen::MatrixXd::Identity(found.Y.rows(), found.Y.cols());
  std::vector<int> rows;
  for (Index k = 0; k < Y.cols(); ++k) {
    const Eigen::VectorXd norms = Y.rowwise().norm();
    Index i = norms.size() - 1;
    while (norms[i] < kEqual * norms.maxCoeff()) --i;
    rows.push_back(static_cast<int>(i));
    const Eigen::RowVectorXd y = Y.row(i) / norms[i];
    Y -= Y * y.transpose() * y;
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Two places beside a state, on both sides of it, for the natural sizes of the entries of C: their
// largest magnitude at the state and there. Scaling by C alone would hide a row that vanishes at
// the state, which is singular. They are where gradients have turned by 0.3 rad and satisfy
// nothing.
std::vector<State> places_beside(const Evaluator& evaluator, const State& state) {
  constexpr double kBeside = 0.3;
  const std::vector<double> v = varied_velocity(evaluator, state, 0);
  const double s = length_of_turn(evaluator, state, v, kBeside);
  if (s == 0) return {};
  return {moved(evaluator, state, v, -s), moved(evaluator, state, v, s)};
}

Eigen::MatrixXd natural_sizes(const Evaluator& evaluator, const State& state,
                              const Eigen::MatrixXd& C) {
  Eigen::MatrixXd sizes = C.cwiseAbs();
  for (const State& beside : places_beside(evaluator, state)) {
    const Matrix other = evaluator.all_constraints(beside);
    if (dense::view(other).allFinite()) sizes = sizes.cwiseMax(dense::view(other).cwiseAbs());
  }
  return sizes;
}

sparse::SparseMatrix natural_sizes(const Evaluator& evaluator, const State& state,
                                   const sparse::SparseMatrix& C) {
  sparse::SparseMatrix sizes = C.cwiseAbs();  // all have the same pattern
  for (const State& beside : places_beside(evaluator, state)) {
    const sparse::SparseMatrix other = sparse::all_constraints(evaluator, beside);
    if (!other.coeffs().allFinite()) continue;
    sizes.coeffs() = sizes.coeffs().cwiseMax(other.coeffs().cwiseAbs());
  }
  return sizes;
}

// Dependences by QR with column pivoting; also fills in the rank.
Dependences find_dependences(const Evaluator& evaluator, const State& state, double tolerance,
                             RankReport& report) {
  const Matrix constraints = evaluator.all_constraints(state);
  const Eigen::MatrixXd C = dense::view(constraints), sizes = natural_sizes(evaluator, state, C);
  const dense::Equilibration scale = dense::equilibrate(sizes);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(C.rows(), C.cols());
  qr.setThreshold(tolerance);
  qr.compute(scale.rows.asDiagonal() * C * scale.columns.asDiagonal());
  report.rank = static_cast<int>(qr.rank());
  if (report.rank > 0) {
    const auto diagonal = qr.matrixR().diagonal().cwiseAbs();
    report.smallest_pivot = diagonal[report.rank - 1] / diagonal[0];
    report.pivots = dense::to_vector(diagonal / diagonal[0]);
  }
  if (report.rank == report.num_rows) return {};
  const Eigen::MatrixXd Q = qr.householderQ();
  const Eigen::MatrixXd eased = sizes * dense::view(ease_of_motion(evaluator, state)).asDiagonal();
  return {Q.rightCols(C.rows() - report.rank), scale.rows.cwiseProduct(eased.rowwise().norm()),
          scale.rows};
}

// The same for a large sparse C: the null space of Cᵀ.
Dependences find_sparse_dependences(const Evaluator& evaluator, const State& state,
                                    RankReport& report) {
  const sparse::SparseMatrix C = sparse::all_constraints(evaluator, state);
  const sparse::SparseMatrix sizes = natural_sizes(evaluator, state, C);
  const dense::Equilibration scale = sparse::equilibrate(sizes);
  sparse::NullSpace null = sparse::null_space(sparse::scaled(C, scale).transpose());
  report.rank = report.num_rows - static_cast<int>(null.basis.cols());
  report.smallest_pivot = null.next;
  if (report.rank == report.num_rows) return {};
  const sparse::SparseMatrix eased =
      sizes * dense::view(ease_of_motion(evaluator, state)).asDiagonal();
  return {std::move(null.basis), scale.rows.cwiseProduct(sparse::row_norms(eased)), scale.rows};
}

// Without velocities C has no columns: each row is a dependence of its own.
Dependences all_dependent(Index num_rows) {
  return {Eigen::MatrixXd::Identity(num_rows, num_rows), Eigen::VectorXd::Ones(num_rows),
          Eigen::VectorXd::Ones(num_rows)};
}

// The rank at a state alone, and the dependences there.
RankReport rank_at(const Evaluator& evaluator, const State& state, const RankOptions& options,
                   Dependences& found) {
  RankReport report;
  report.num_rows = static_cast<int>(evaluator.equations->num_rows());
  report.degrees_of_freedom = static_cast<int>(evaluator.equations->num_v());
  if (report.num_rows == 0) return report;
  const bool is_large = sparse::is_large(static_cast<Index>(report.num_rows));
  if (report.degrees_of_freedom == 0) {
    found = all_dependent(report.num_rows);
  } else {
    found = is_large ? find_sparse_dependences(evaluator, state, report)
                     : find_dependences(evaluator, state, options.tolerance, report);
  }
  report.rank_here = report.rank;
  report.degrees_of_freedom -= report.rank;
  if (found.Y.cols() > 0) {
    report.redundant_rows = rows_to_leave_out(found, evaluator.equations->num_g());
    name_redundant_rows(evaluator.equations, found.Y, report);
  }
  return report;
}

// Whether (2) of rank.hpp is violated, by trial with a few velocities.
bool restricts_motion(const Evaluator& evaluator, const State& state, const Dependences& found) {
  // Of the largest, and of v²: γ may be all round-off.
  constexpr double kCancelled = 1e-6, kNothing = 1e-9;
  const sparse::SparseMatrix C = sparse::all_constraints(evaluator, state);
  const Eigen::VectorXd rates =
      -dense::concatenate({dense::view(evaluator.g_t(state)), dense::view(evaluator.b(state))});
  const PullRows none{sparse::SparseMatrix(0, C.cols()), Eigen::VectorXd()};
  for (const int k : {0, 1}) {
    const std::vector<double> varied = varied_velocity(evaluator, state, k);
    State moving = state;
    moving.v = dense::to_vector(
        nearest_velocity(mass_metric(evaluator, state), C, rates, none, dense::view(varied)));
    const std::vector<double> gamma = evaluator.all_gamma(moving);
    const Eigen::VectorXd scaled = found.scale.cwiseProduct(dense::view(gamma));
    const double left = (found.Y.transpose() * scaled).cwiseAbs().maxCoeff();
    const double speed = dense::view(moving.v).cwiseAbs().maxCoeff();
    const double allowed =
        std::max(kCancelled * scaled.cwiseAbs().maxCoeff(), kNothing * speed * speed);
    if (left > allowed) return true;
  }
  return false;
}

}  // namespace

RankReport analyze_rank(const Evaluator& evaluator, const State& state,
                        const RankOptions& options) {
  Dependences found;
  const RankReport here = rank_at(evaluator, state, options, found);
  const int freedoms = here.degrees_of_freedom;
  if (options.here_only || found.Y.cols() == 0 || freedoms == 0) return here;
  RankReport best = here;
  const int most = std::min(here.num_rows, static_cast<int>(evaluator.equations->num_v()));
  const bool is_large = sparse::is_large(static_cast<Index>(here.num_rows));
  const int num_neighbours = is_large ? 1 : 4;
  for (int k = 0; k < num_neighbours && best.rank < most; ++k) {
    const std::optional<State> beside = find_neighbour(evaluator, state, k);
    if (!beside) continue;
    Dependences ignored;
    RankReport there = rank_at(evaluator, *beside, options, ignored);
    if (there.rank > best.rank) best = std::move(there);
  }
  best.rank_here = here.rank;
  best.pivots = here.pivots;
  best.smallest_pivot = here.smallest_pivot;
  if (best.is_singular()) {
    best.smallest_pivot =
        here.pivots.empty() ? 0 : here.pivots[static_cast<std::size_t>(best.rank - 1)];
  } else if (restricts_motion(evaluator, state, found)) {
    best.is_degenerate = true;
    best.redundant_rows.clear();
    best.redundant.clear();
  }
  return best;
}

}  // namespace koppel

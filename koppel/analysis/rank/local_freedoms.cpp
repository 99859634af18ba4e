#include <koppel/analysis/rank/local_freedoms.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include <koppel/analysis/algebra/sparse.hpp>
#include <koppel/analysis/assembly/neighbours.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using sparse::SparseMatrix;

constexpr double kFreedomTolerance = 1e-8;
constexpr double kFreedomSupport = 1e-6;  // of orthonormal null vectors

// The velocities of a body: those of its centre of mass, and angular ones.
struct Columns {
  std::vector<Index> shifts, turns;
};

std::vector<Columns> columns_of(const Model& model, const Equations& equations) {
  std::vector<Columns> columns(model.bodies.size());
  for (std::size_t j = 0; j < equations.num_v(); ++j) {
    const auto& [owner, unit, min, max] = equations.about.v[j];
    if (owner.kind != Equations::Owner::Kind::Body) continue;
    Columns& c = columns[static_cast<std::size_t>(owner.index)];
    (unit == "rad/s" ? c.turns : c.shifts).push_back(static_cast<Index>(j));
  }
  return columns;
}

class Search {
 public:
  Search(const Model& model, const Equations& equations, const SparseMatrix& C)
      : model_(model),
        C_(C),
        columns_(columns_of(model, equations)),
        neighbours_(model.bodies.size()) {
    for (const Joint& j : model.joints) {
      neighbours_[body(j.a)].insert(body(j.b));
      neighbours_[body(j.b)].insert(body(j.a));
    }
  }

  std::vector<LocalFreedom> run() {
    const std::size_t n = model_.bodies.size();
    std::vector<MatrixXd> alone(n);
    for (std::size_t i = 1; i < n; ++i) {
      alone[i] = motions({i});
      if (neighbours_[i].size() >= 2) report({i}, alone[i]);
    }
    for (std::size_t i = 1; i < n; ++i) {
      for (const std::size_t j : neighbours_[i]) {
        if (j <= i || num_outside(i, j) < 2) continue;
        report({i, j}, without(motions({i, j}), alone[i], alone[j]));
      }
    }
    return std::move(found_);
  }

 private:
  static std::size_t body(const Marker& marker) { return static_cast<std::size_t>(marker.body); }

  std::size_t num_outside(std::size_t i, std::size_t j) const {
    std::set<std::size_t> all = neighbours_[i];
    all.insert(neighbours_[j].begin(), neighbours_[j].end());
    all.erase(i);
    all.erase(j);
    return all.size();
  }

  // An orthonormal basis of the motions of a group with all others at rest.
  MatrixXd motions(const std::vector<std::size_t>& group) const {
    std::vector<Index> rows;
    Index size = 0;
    sparse::Triplets part;
    for (const std::size_t b : group) {
      for (const auto* columns : {&columns_[b].shifts, &columns_[b].turns}) {
        for (const Index column : *columns) {
          for (SparseMatrix::InnerIterator it(C_, column); it; ++it) {
            rows.push_back(it.row());
            part.emplace_back(static_cast<int>(it.row()), static_cast<int>(size), it.value());
          }
          ++size;
        }
      }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    MatrixXd A = MatrixXd::Zero(static_cast<Index>(rows.size()), size);
    for (const auto& entry : part) {
      const auto place = std::lower_bound(rows.begin(), rows.end(), Index{entry.row()});
      A(place - rows.begin(), entry.col()) = entry.value();
    }
    return dense::null_space(A, kFreedomTolerance);
  }

  // What of the pair's motions is orthogonal to those of the bodies alone.
  static MatrixXd without(const MatrixXd& both, const MatrixXd& first, const MatrixXd& second) {
    MatrixXd alone = MatrixXd::Zero(both.rows(), first.cols() + second.cols());
    if (alone.cols() == 0) return both;
    alone.topLeftCorner(first.rows(), first.cols()) = first;
    alone.bottomRightCorner(second.rows(), second.cols()) = second;
    return both * dense::null_space(alone.transpose() * both, kFreedomSupport);
  }

  void report(const std::vector<std::size_t>& group, const MatrixXd& motions) {
    for (Index k = 0; k < motions.cols(); ++k) {
      double shift = 0, turn = 0;
      Index row = 0;
      for (const std::size_t b : group) {
        const auto num_shifts = static_cast<Index>(columns_[b].shifts.size());
        const auto num_turns = static_cast<Index>(columns_[b].turns.size());
        shift += motions.col(k).segment(row, num_shifts).norm();
        turn += motions.col(k).segment(row + num_shifts, num_turns).norm();
        row += num_shifts + num_turns;
      }
      LocalFreedom freedom;
      using Kind = LocalFreedom::Kind;
      freedom.kind = shift < kFreedomSupport ? Kind::Spin : turn < kFreedomSupport ? Kind::Slide : Kind::Other;
      for (const std::size_t b : group) freedom.bodies.push_back(model_.bodies[b].name);
      freedom.text = describe(freedom);
      found_.push_back(std::move(freedom));
    }
  }

  static std::string describe(const LocalFreedom& f) {
    std::string text = "'" + f.bodies[0] + "'";
    if (f.bodies.size() > 1) text += " (with '" + f.bodies[1] + "')";
    switch (f.kind) {
      case LocalFreedom::Kind::Spin: return text + " can spin about its own axis.";
      case LocalFreedom::Kind::Slide: return text + " can slide while all else stands still.";
      case LocalFreedom::Kind::Other: break;
    }
    return text + " can move while all else stands still.";
  }

  const Model& model_;
  const SparseMatrix& C_;
  std::vector<Columns> columns_;
  std::vector<std::set<std::size_t>> neighbours_;
  std::vector<LocalFreedom> found_;
};

}  // namespace

std::vector<LocalFreedom> find_local_freedoms(const Model& model, const Evaluator& absolute,
                                              const State& state) {
  if (model.bodies.size() <= 1 || absolute.equations->coordinates != "absolute") return {};
  const auto search = [&](const State& at) {
    const SparseMatrix C = sparse::all_constraints(absolute, at);
    return Search(model, absolute.equations, C).run();
  };
  if (search(state).empty()) return {};
  // Bodies that are in line by chance are so no more beside the state: a stretched pair of links
  // can move by an infinitesimal amount only.
  return search(find_neighbour(absolute, state, 0).value_or(state));
}

}  // namespace koppel

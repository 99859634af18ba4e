#include <koppel/analysis/rank/dead_point.hpp>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/algebra/sparse.hpp>
#include <koppel/analysis/assembly/neighbours.hpp>
#include <koppel/base/text.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/model/elements/distance.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// w by C in the metric of masses: y, and what is left of w, of its own length.
struct Fit {
  VectorXd y;  // for rows of C of length 1
  double left = 1;
};

Fit fit(const Evaluator& evaluator, const MatrixFunction& rate, const State& state) {
  const std::vector<double> ease = ease_of_motion(evaluator, state);
  const auto eased = dense::view(ease).asDiagonal();
  MatrixXd C = MatrixXd(sparse::all_constraints(evaluator, state)) * eased;
  const VectorXd w = (MatrixXd(sparse::evaluate(rate, state)) * eased).row(0).transpose();
  for (Index i = 0; i < C.rows(); ++i) C.row(i) /= std::max(C.row(i).norm(), 1e-300);
  Fit out{dense::LeastNorm(C.transpose()).solve(w), 1};
  if (w.norm() > 0) out.left = (w - C.transpose() * out.y).norm() / w.norm();
  return out;
}

// Two ends of a body or rod, in world axes: at joint `from` and at joint `to`.
struct Link {
  std::string name;
  int from, to;
  Vector3d way;
};

class Links {
 public:
  Links(const Model& model, const Evaluator& evaluator, const State& state) : model_(model) {
    const Kinematics k = make_kinematics(model, evaluator.equations->coordinates);
    std::vector<Expr> ends;
    const auto add = [&](const Marker& marker) {
      const BodyFrame& body = k.bodies[static_cast<std::size_t>(marker.body)];
      const Vec3e p = body.r + body.R * marker.point;
      ends.insert(ends.end(), {p.x, p.y, p.z});
    };
    for (const Joint& joint : model.joints) {
      add(joint.a);
      add(joint.b);
    }
    const std::vector<double> at = VectorFunction(evaluator.equations, ends)(state);
    for (std::size_t i = 0; i + 2 < at.size(); i += 3)
      at_.emplace_back(at[i], at[i + 1], at[i + 2]);
  }

  // "'crank' and 'rod'" for every two in line at one of the joints.
  std::vector<std::string> find_in_line(const std::set<int>& joints) const {
    std::vector<Link> links;
    for (const int i : joints) {
      if (is_rod(i)) links.push_back({joint(i).name, i, i, end(i, 1) - end(i, 0)});
      for (const int j : joints) {
        if (j > i) add_links(i, j, links);
      }
    }
    std::vector<std::string> out;
    for (std::size_t a = 0; a < links.size(); ++a) {
      for (std::size_t b = a + 1; b < links.size(); ++b) {
        if (meet(links[a], links[b]) && are_parallel(links[a].way, links[b].way)) {
          out.push_back(fmt::format("'{}' and '{}'", links[a].name, links[b].name));
        }
      }
    }
    return out;
  }

 private:
  const Joint& joint(int i) const { return model_.joints[static_cast<std::size_t>(i)]; }
  bool is_rod(int i) const { return joint(i).law->type() == Distance::kInfo.type; }
  Vector3d end(int i, int side) const { return at_[static_cast<std::size_t>(2 * i + side)]; }
  static int body_at(const Joint& j, int side) { return side == 0 ? j.a.body : j.b.body; }

  // The bodies that two joints share.
  void add_links(int i, int j, std::vector<Link>& links) const {
    for (const int p : {0, 1}) {
      for (const int q : {0, 1}) {
        const int body = body_at(joint(i), p);
        if (body == kGround || body != body_at(joint(j), q)) continue;
        links.push_back(
            {model_.bodies[static_cast<std::size_t>(body)].name, i, j, end(j, q) - end(i, p)});
      }
    }
  }
  static bool meet(const Link& a, const Link& b) {
    return a.name != b.name &&
           (a.from == b.from || a.from == b.to || a.to == b.from || a.to == b.to);
  }
  static bool are_parallel(const Vector3d& a, const Vector3d& b) {
    constexpr double kInLine =
        1e-4;  // rad: the start is found to 1e-10, its dead point to the root
    const double size = a.norm() * b.norm();
    return size > 0 && a.cross(b).norm() < kInLine * size;
  }

  const Model& model_;
  std::vector<Vector3d> at_;
};

}  // namespace

std::string explain_dead_point(const Model& model, const Assembly& failed) {
  constexpr double kHere = 1e-4, kBeside = 1e-3, kHolds = 1e-6;
  constexpr std::size_t kLarge = 1000;  // dense algebra
  if (!failed.positions_found || failed.gaps.empty()) return {};
  const std::vector<std::string> sets = coordinate_sets(model);
  if (std::find(sets.begin(), sets.end(), "absolute") == sets.end()) return {};
  const Evaluator evaluator(derive(model, "absolute"));
  const Equations& e = evaluator.equations;
  const auto wish = std::find_if(e.wishes.begin(), e.wishes.end(), [&](const Equations::Wish& w) {
    return w.is_rate && w.name == failed.gaps[0].name;
  });
  if (wish == e.wishes.end() || e.num_v() > kLarge) return {};
  const Assembly start = assemble(evaluator, place_bodies(model, e));
  if (!start.positions_found) return {};
  const MatrixFunction rate(e, jacobian(std::vector{wish->residual}, e.v));
  const Fit here = fit(evaluator, rate, start.state);
  if (!(here.left < kHere)) return {};
  bool is_dead = false;
  for (int k = 0; k < 3 && !is_dead; ++k) {
    const auto beside = find_neighbour(evaluator, start.state, k);
    is_dead = beside && fit(evaluator, rate, *beside).left > kBeside;
  }
  if (!is_dead) return {};
  std::set<int> joints;
  std::vector<std::string> names;
  const double most = here.y.cwiseAbs().maxCoeff();
  for (std::size_t i = 0; i < e.num_rows(); ++i) {
    if (std::abs(here.y[static_cast<Index>(i)]) < kHolds * most) continue;
    const std::string& owner = e.rows[i].owner.name;
    const std::string quoted = '\'' + owner + '\'';
    if (std::find(names.begin(), names.end(), quoted) == names.end()) names.push_back(quoted);
    if (const int joint = model.find_joint(owner); joint >= 0) joints.insert(joint);
  }
  const std::vector<std::string> in_line =
      Links(model, evaluator, start.state).find_in_line(joints);
  std::string quantity = wish->name;
  if (!quantity.empty() && quantity.back() == '\'') quantity.pop_back();
  return fmt::format(
      "The start is a dead point of '{}', which no motion changes there: {}. Start beside it, or "
      "give the rate of another quantity.",
      quantity, in_line.empty() ? "it is held by " + joined(names) : joined(in_line) + " are in line");
}

}  // namespace koppel

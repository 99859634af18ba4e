#include <koppel/equations/placement.hpp>

#include <algorithm>

#include <Eigen/Eigenvalues>

#include <koppel/equations/derive.hpp>
#include <koppel/equations/quantities.hpp>

namespace koppel {
namespace {

constexpr double kAdded = 1e-6;       // of the largest mass and moment, to those of every body
constexpr double kSamePlace = 1e-12;  // nearer than this a body is where the model places it

struct ExpectedPose {
  NumericFrame frame;
  Vec3<double> velocity, spin;  // of the centre of mass; angular
};

bool has_tree(const Model& model) {
  const std::vector<std::string> sets = coordinate_sets(model);
  return std::find(sets.begin(), sets.end(), "joint") != sets.end();
}

// The values of coordinates and velocities at the expected start: guesses, and what `initial` says
// about them.
void set_start(const Model& model, Kinematics& k, ParameterValues& at) {
  const ParameterValues values(model);
  const Quantities quantities(model, k, values);
  for (std::size_t i = 0; i < k.q.size(); ++i) at.set(k.q[i], k.q_guess[i]);
  for (const Expr& v : k.v) at.set(v, 0);
  for (const Initial& initial : model.initial) {
    const Expr meaning = quantities.resolve(initial.symbol);
    const auto is_in = [&](const std::vector<Expr>& symbols) {
      return std::find(symbols.begin(), symbols.end(), meaning) != symbols.end();
    };
    if (is_in(k.q) || is_in(k.v)) at.set(meaning, values(initial.value));
  }
}

double distance(const Mat3<double>& a, const Mat3<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < 3; ++j) sum += norm(a.column[j] - b.column[j]);
  return sum;
}

// Of all bodies, in numbers, by their index; velocities on request.
std::vector<ExpectedPose> expected_poses(const Model& model, bool with_rates) {
  Kinematics k = make_joint(model);
  ParameterValues at(model);
  set_start(model, k, at);
  std::vector<Expr> centres;
  for (std::size_t i = 0; with_rates && i < model.bodies.size(); ++i) {
    const Vec3e c = k.bodies[i].r + k.bodies[i].R * model.bodies[i].com;
    centres.insert(centres.end(), {c.x, c.y, c.z});
  }
  const std::vector<Expr> rates = rate_of(k, model.time, centres);
  std::vector<ExpectedPose> poses;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    ExpectedPose pose{{at(k.bodies[i].r), at(k.bodies[i].R)}, {}, {}};
    if (with_rates) {
      pose.velocity = {at(rates[3 * i]), at(rates[3 * i + 1]), at(rates[3 * i + 2])};
      pose.spin = at(k.bodies[i].omega);
    }
    const NumericFrame placed = at.body(static_cast<int>(i));
    if (norm(pose.frame.r - placed.r) <= kSamePlace * (1 + norm(placed.r)) &&
        distance(pose.frame.R, placed.R) <= kSamePlace) {
      pose.frame = placed;
    }
    poses.push_back(pose);
  }
  return poses;
}

// The principal directions (body axes) and second moments of a body.
struct Moments {
  std::vector<Vec3<double>> directions;
  std::vector<double> values;
};

Moments moments_of(const Model& model, const Body& body, const ParameterValues& values) {
  const Mat3<double> J = values(body.inertia);
  if (body.is_point) return {};
  if (model.is_planar) return {{{1, 0, 0}}, {std::max(0.0, J(2, 2))}};
  Eigen::Matrix3d E;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      E(static_cast<int>(i), static_cast<int>(j)) =
          (i == j ? 0.5 * (J(0, 0) + J(1, 1) + J(2, 2)) : 0) - J(i, j);
    }
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(E);
  Moments out;
  for (int k = 0; k < 3; ++k) {
    const Eigen::Vector3d d = solver.eigenvectors().col(k);
    out.directions.push_back({d[0], d[1], d[2]});
    out.values.push_back(std::max(0.0, solver.eigenvalues()[k]));
  }
  return out;
}

// Gives each body its part of the largest mass and moment.
void add_to_massless(Placement& placement) {
  double mass = 0, moment = 0;
  for (const PlacedBody& body : placement) {
    mass = std::max(mass, body.mass);
    for (const double e : body.moments) moment = std::max(moment, e);
  }
  if (!(mass > 0)) mass = moment > 0 ? moment : 1;
  if (!(moment > 0)) moment = mass;
  for (PlacedBody& body : placement) {
    body.mass += kAdded * mass;
    for (double& e : body.moments) e += kAdded * moment;
  }
}

Vec3e in_world(const Mat3e& R, const Vec3<double>& a) {
  return a.x * R.column[0] + a.y * R.column[1] + a.z * R.column[2];
}

}  // namespace

Model carried_along_joints(const Model& model) {
  Model placed = model;
  if (!has_tree(model)) return placed;
  const std::vector<ExpectedPose> poses = expected_poses(model, false);
  const ParameterValues values(model);
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const NumericFrame &to = poses[i].frame, from = values.body(static_cast<int>(i));
    if (norm(to.r - from.r) == 0 && distance(to.R, from.R) == 0) continue;
    Body& body = placed.bodies[i];
    body.position = {to.r.x, to.r.y, to.r.z};
    if (body.is_point) continue;
    for (std::size_t j = 0; j < 3; ++j) {
      body.rotation.column[j] = {to.R.column[j].x, to.R.column[j].y, to.R.column[j].z};
    }
  }
  return placed;
}

Placement place_bodies(const Model& model, const Equations& equations) {
  Placement placement;
  if (!has_tree(model)) return placement;
  const std::vector<ExpectedPose> poses = expected_poses(model, true);
  const std::vector<BodyFrame>& frames = equations.kinematics->bodies;
  const ParameterValues values(model);
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const auto& [frame, velocity, spin] = poses[i];
    const Moments moments = moments_of(model, body, values);
    PlacedBody placed;
    placed.name = body.name;
    placed.centre = frames[i].r + frames[i].R * body.com;
    placed.mass = std::max(0.0, values(body.mass));
    placed.moments = moments.values;
    placed.start = frame.r + frame.R * values(body.com);
    placed.velocity = velocity;
    placed.spin = spin;
    for (const Vec3<double>& d : moments.directions) {
      placed.directions.push_back(in_world(frames[i].R, d));
      placed.start_directions.push_back(frame.R * d);
    }
    placement.push_back(std::move(placed));
  }
  add_to_massless(placement);
  return placement;
}

}  // namespace koppel

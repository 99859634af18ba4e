// Reactions against Newton and Euler: on every body, all that acts makes m a and the rate of its
// angular momentum. The accelerations are those of the bodies' frames; nothing of the way from
// multipliers to forces is used.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/results/reactions.hpp>
#include <tests/equations/random_state.hpp>

namespace koppel {
namespace {

using Vector = Vec3<double>;

// All at one state.
class Balance {
 public:
  Balance(const Model& model, const std::string& set, std::mt19937& random)
      : model_(model),
        e_(derive(model, set)),
        evaluator_(e_),
        state_(testing::random_state(e_, random, 0.1)),
        kinematics_(*e_.kinematics),
        solved_(solve_accelerations(evaluator_, state_)) {
    for (std::size_t i = 0; i < e_.num_rows(); ++i) {
      multipliers_.push_back(e_.graph->symbol("test.multiplier[" + std::to_string(i) + ']'));
    }
    values_ = solved_.lambda;
    values_.insert(values_.end(), solved_.mu.begin(), solved_.mu.end());
    read(ReactionAxes::World, world_);
    read(ReactionAxes::Joint, joint_);
  }

  bool has(const std::string& joint) const { return world_.contains(joint + ".force.x"); }
  // Of a joint or a contact, in world axes.
  Vector world(const std::string& name) const { return vector(world_, name); }
  // The same from the components along the axes of the joint.
  Vector from_joint(const std::string& name, const Mat3e& axes) const {
    return number(axes) * vector(joint_, name);
  }

  Vector number(const Vec3e& e) const {
    const std::vector<Expr> parts = {e.x, e.y, e.z};
    const std::vector<double> v = VectorFunction(e_, parts)(state_);
    return {v[0], v[1], v[2]};
  }
  Mat3<double> number(const Mat3e& e) const {
    return {{number(e.column[0]), number(e.column[1]), number(e.column[2])}};
  }
  // d/dt of expressions of q, v, t with the accelerations of the motion.
  Vector rate(const Vec3e& e) const {
    const std::vector<Expr> parts = {e.x, e.y, e.z};
    const std::vector<double> drift = VectorFunction(e_, rate_of(e_, parts))(state_);
    const Matrix by_v = MatrixFunction(e_, jacobian(parts, e_.v))(state_);
    Vector out{drift[0], drift[1], drift[2]};
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < by_v.columns; ++j) {
        out[static_cast<std::size_t>(i)] +=
            by_v(i, j) * solved_.v_rate[static_cast<std::size_t>(j)];
      }
    }
    return out;
  }
  Vec3e rate_expression(const Vec3e& e) const {
    const std::vector<Expr> r = rate_of(e_, std::vector<Expr>{e.x, e.y, e.z});
    return {r[0], r[1], r[2]};
  }

  // A force at a point with a torque; `more` acts beside the joints and gravity.
  struct Load {
    Vector at, force, torque;
  };
  void expect_balance(std::size_t index, const std::vector<Load>& more) const {
    const Body& body = model_.bodies[index];
    const BodyFrame& frame = kinematics_.bodies[index];
    const Vec3e centre = frame.r + frame.R * body.com;
    const Mat3e J = frame.R * body.inertia * transpose(frame.R);
    const Vector c = number(centre);
    Vector force = number(body.mass * model_.gravity), torque{};
    double scale = 1;
    const auto act = [&](const Load& load, double sign) {
      force += sign * load.force;
      torque += sign * (load.torque + cross(load.at - c, load.force));
      scale = std::max({scale, norm(load.force), norm(load.torque)});
    };
    for (const Joint& joint : model_.joints) {
      const Load load{number(locate(kinematics_, joint.b).r), world(joint.name + ".force."),
                      world(joint.name + ".torque.")};
      if (joint.b.body == static_cast<int>(index)) act(load, 1);
      if (joint.a.body == static_cast<int>(index)) act(load, -1);
    }
    for (const Load& load : more) act(load, 1);
    const Vector a = rate(rate_expression(centre)), spin = rate(J * frame.omega);
    const double m = VectorFunction(e_, std::vector<Expr>{body.mass})(state_)[0];
    for (std::size_t k = 0; k < 3; ++k) {
      if (!model_.is_planar || k < 2) {
        EXPECT_NEAR(force[k], m * a[k], 1e-9 * scale) << body.name << " force " << k;
      }
      if (!model_.is_planar || k == 2) {
        EXPECT_NEAR(torque[k], spin[k], 1e-9 * scale) << body.name << " torque " << k;
      }
    }
  }

  const Kinematics& kinematics() const { return kinematics_; }

 private:
  void read(ReactionAxes axes, std::map<std::string, double>& into) const {
    for (const Reaction& r : reactions_of(model_, e_, multipliers_, axes)) {
      into[r.name] =
          VectorFunction(e_, std::vector<Expr>{r.value}, multipliers_)(state_, values_)[0];
    }
  }
  static Vector vector(const std::map<std::string, double>& in, const std::string& name) {
    const auto at = [&](const char* axis) {
      const auto found = in.find(name + axis);
      return found == in.end() ? 0 : found->second;
    };
    return {at("x"), at("y"), at("z")};
  }

  const Model& model_;
  Equations e_;
  Evaluator evaluator_;
  State state_;
  Kinematics kinematics_;
  Accelerations solved_;
  std::vector<Expr> multipliers_;
  std::vector<double> values_;
  std::map<std::string, double> world_, joint_;
};

// Two bodies in general position, the second first in its joint where `reversed`.
Model pair(const std::string& joint, bool reversed) {
  const std::string between = reversed ? "[second, first]" : "[first, second]";
  return read_model_text(
      "gravity: [0.3, -0.2, -9.81]\n"
      "bodies:\n"
      "  first: {mass: 2, inertia: [1.3, 1, 0.8], com: [0.1, -0.2, 0]}\n"
      "  second: {mass: 3, inertia: [1.3, 1, 0.9], com: [0.1, -0.2, 0.05], "
      "position: [0.5, 0.1, 0.2]}\n"
      "joints:\n"
      "  carrier: {type: universal, between: [ground, first], at: [0.1, 0, 0], "
      "axes: [[0, 0, 1], [1, 0, 0]], closes: true}\n"
      "  tested: {between: " +
          between + ", at: [0.4, 0.2, -0.1], closes: true, " + joint + "}\n",
      "pair.yaml");
}

void expect_all(const Model& model) {
  std::mt19937 random(31);
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Balance balance(model, set, random);
    for (std::size_t i = 1; i < model.bodies.size(); ++i) {
      bool is_complete = true;
      for (const Joint& joint : model.joints) {
        const bool is_here =
            joint.a.body == static_cast<int>(i) || joint.b.body == static_cast<int>(i);
        if (is_here && !balance.has(joint.name)) is_complete = false;
      }
      EXPECT_TRUE(is_complete || set == "natural") << model.bodies[i].name;
      if (is_complete) balance.expect_balance(i, {});
    }
    for (const Joint& joint : model.joints) {
      if (!balance.has(joint.name)) continue;
      const Mat3e axes = locate(balance.kinematics(), joint.a).R;
      for (const char* what : {".force.", ".torque."}) {
        const Vector world = balance.world(joint.name + what);
        const Vector back = balance.from_joint(joint.name + what, axes);
        EXPECT_NEAR(norm(world - back), 0, 1e-9 * (1 + norm(world))) << joint.name << what;
      }
    }
  }
}

TEST(Reactions, OfEveryJointBalanceInertiaInEveryCoordinateSet) {
  for (const char* joint :
       {"type: revolute, axis: [1, 2, -0.5]", "type: prismatic, axis: [1, 2, -0.5]",
        "type: cylindrical, axis: [1, 2, -0.5]", "type: screw, axis: [1, 2, -0.5], pitch: 0.2",
        "type: spherical", "type: planar, axis: [1, 2, -0.5]", "type: fixed",
        "type: point-on-line, axis: [1, 2, -0.5]", "type: point-on-plane, axis: [1, 2, -0.5]"}) {
    for (const bool reversed : {false, true}) {
      SCOPED_TRACE(std::string(joint) + (reversed ? ", reversed" : ""));
      expect_all(pair(joint, reversed));
    }
  }
}

TEST(Reactions, HoldTheTorqueAndForceOfDrives) {
  for (const char* joint : {"type: revolute, axis: [1, 2, -0.5], drive: 0.3*sin(2*t)",
                            "type: prismatic, axis: [1, 2, -0.5], drive: 0.3*t^2",
                            "type: screw, axis: [1, 2, -0.5], pitch: 0.2, drive: 2*t + t^2",
                            "type: cylindrical, axis: [1, 2, -0.5], "
                            "drive: {angle: 0.2*t^2, position: 0.3*t^2}"}) {
    for (const bool reversed : {false, true}) {
      SCOPED_TRACE(std::string(joint) + (reversed ? ", reversed" : ""));
      expect_all(pair(joint, reversed));
    }
  }
}

// A gear acts on the angles of two joints.
TEST(Reactions, HoldTheTorqueOfCouplings) {
  expect_all(read_model_text(R"(
gravity: [0.3, -0.2, -9.81]
bodies:
  first: {mass: 2, inertia: [1.3, 1, 0.8], com: [0.1, -0.2, 0]}
  second: {mass: 3, inertia: [1.3, 1, 0.9], com: [0.1, -0.2, 0.05], position: [0.5, 0.1, 0.2]}
joints:
  one: {type: revolute, between: [ground, first], at: [0.1, 0, 0], axis: [1, 2, -0.5], closes: true}
  two: {type: screw, between: [second, ground], at: [0.4, 0, 0], axis: [1, 0, -0.5], pitch: 0.1, closes: true}
couplings:
  gear: two.angle + one.angle*(2 + 0.1*one.angle)
)",
                             "gear.yaml"));
}

TEST(Reactions, OfPlanarJointsAndDrivesBalance) {
  expect_all(read_model_text(R"(
dimension: 2
gravity: [0.5, -9.81]
bodies:
  arm: {mass: 2, inertia: 0.4, com: [0.3, 0.1]}
  block: {mass: 1, inertia: 0.2, com: [0.05, 0.02], position: [1, 0]}
joints:
  hinge: {type: revolute, between: [arm, ground], at: [0, 0], drive: t^2, closes: true}
  slide: {type: prismatic, between: [arm, block], at: [1, 0], axis: [1, 0.2], closes: true}
)",
                             "planar.yaml"));
}

// F is along the axis, so that T = −F p/2π turns the nut: 2 kg on a pitch of 10 mm.
//   (m + J (2π/p)²) a = −m g,   F = m (a + g),   T = J a 2π/p.
TEST(Reactions, TorqueAboutTheAxisOfAScrew) {
  const Model model = read_model_text(R"(
gravity: [0, 0, -9.81]
bodies:
  nut: {mass: 2, inertia: [0.01, 0.01, 0.01]}
joints:
  thread: {type: screw, between: [ground, nut], axis: [0, 0, 1], pitch: 0.01}
)",
                                      "screw.yaml");
  const double k = 2 * std::numbers::pi / 0.01, a = -2 * 9.81 / (2 + 0.01 * k * k);
  for (const char* set : {"absolute", "cardan", "directors"}) {
    std::mt19937 random(3);
    const Balance balance(model, set, random);
    EXPECT_NEAR(balance.world("thread.force.").z, 2 * (a + 9.81), 1e-8) << set;
    EXPECT_NEAR(balance.world("thread.torque.").z, 0.01 * a * k, 1e-9) << set;
    EXPECT_NEAR(balance.world("thread.torque.").z, -0.0312, 5e-5) << set;
  }
}

// A disc and a ball on slopes, turning and spinning; a cylinder in the plane.
TEST(Reactions, OfRollingContactsBalance) {
  const Model space = read_model_text(R"(
gravity: [1, -0.5, -9.81]
bodies:
  disc: {mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0.5]}
  ball: {mass: 3, inertia: [0.3, 0.3, 0.3], position: [2, 0, 0.3]}
joints:
  rim: {type: rolling, body: disc, radius: 0.5, axis: [0, 1, 0]}
  touch: {type: rolling, body: ball, radius: 0.3, normal: [0.1, 0, 1], at: [2, 0, 0]}
)",
                                      "rolling.yaml");
  std::mt19937 random(8);
  for (const std::string& set : coordinate_sets(space)) {
    SCOPED_TRACE(set);
    const Balance balance(space, set, random);
    for (const std::size_t i : {1U, 2U}) {
      const BodyFrame& frame = balance.kinematics().bodies[i];
      const Vector n = i == 1 ? Vector{0, 0, 1} : (1 / std::hypot(0.1, 1.0)) * Vector{0.1, 0, 1};
      const Vector axis = balance.number(frame.R.column[1]);
      // The lowest point of the rim, or of the ball.
      Vector down = -1.0 * n;
      if (i == 1) down = down - dot(down, axis) * axis;
      const Vector at = balance.number(frame.r) + ((i == 1 ? 0.5 : 0.3) / norm(down)) * down;
      const std::string name = i == 1 ? "rim" : "touch";
      const Vector force = balance.world(name + ".force.");
      balance.expect_balance(i, {{at, force, {}}});
      EXPECT_GT(dot(force, n), 1);
      const Mat3e plane = make_marker(kGround, {}, {n.x, n.y, n.z}).axes;
      EXPECT_NEAR(norm(balance.from_joint(name + ".force.", plane) - force), 0, 1e-9 * norm(force));
    }
  }
  const Model plane = read_model_text(R"(
dimension: 2
gravity: [1, -9.81]
bodies:
  wheel: {mass: 2, inertia: 0.1, com: [0.1, 0.05], position: [0, 0.5]}
joints:
  rim: {type: rolling, body: wheel, radius: 0.5}
)",
                                      "wheel.yaml");
  for (const std::string& set : coordinate_sets(plane)) {
    SCOPED_TRACE(set);
    const Balance balance(plane, set, random);
    const Vector at = balance.number(balance.kinematics().bodies[1].r) - Vector{0, 0.5, 0};
    balance.expect_balance(1, {{at, balance.world("rim.force."), {}}});
  }
}

}  // namespace
}  // namespace koppel

// Joint coordinates from first principles, for every joint of a tree and both orders of its bodies:
// positions satisfy the joint's equations, angles and displacements count from the first body named
// to the second, and velocities are the rates of positions.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/equations/kinematics.hpp>
#include <koppel/equations/quantities.hpp>
#include <koppel/model/elements/list.hpp>
#include <tests/equations/random_state.hpp>
#include <tests/near.hpp>

namespace koppel {
namespace {

struct Case {
  std::string name;
  std::shared_ptr<const JointLaw> law;
  bool is_planar;
  bool child_first;
};

void PrintTo(const Case& test, std::ostream* stream) { *stream << test.name; }

Mat3e turned(const Vec3e& axis, double angle) { return rotation(normalized(axis), Expr(angle)); }

// The ground, an arm on a hinge, and a body on the joint in question, all in general position.
Model make_chain(const Case& test) {
  Model model;
  model.name = "chain";
  model.is_planar = test.is_planar;
  const bool flat = test.is_planar;
  for (const char* name : {"arm", "body"}) {
    const bool is_arm = std::string(name) == "arm";
    Body body;
    body.name = name;
    body.mass = 2;
    body.com = {0.1, -0.2, flat ? 0 : 0.15};
    body.inertia = Mat3e::identity();
    body.position = {is_arm ? 0.3 : 0.9, 0.4, flat ? 0.0 : -0.2};
    body.rotation = flat ? turned({0, 0, 1}, is_arm ? 0.4 : 1.1)
                         : turned({1, is_arm ? 0.3 : -0.6, 2}, is_arm ? 0.7 : -0.9);
    model.add_body(body);
  }
  // World point and axis of each joint, as markers of both bodies.
  const auto marker = [&](int body, const Vec3e& at, const Vec3e& axis) {
    const Body& b = model.bodies[static_cast<std::size_t>(body)];
    const Marker world = make_marker(body, at, axis);
    const Mat3e R = transpose(b.rotation);
    return Marker{body, R * (at - b.position), R * world.axes};
  };
  const auto join = [&](const char* name, std::shared_ptr<const JointLaw> law, int a, int b,
                        const Vec3e& at, const Vec3e& axis) {
    Joint joint;
    joint.name = name;
    joint.law = law;
    joint.a = marker(a, at, axis);
    joint.b = marker(b, at, axis);
    model.add_joint(joint);
  };
  const Vec3e z = {0, 0, 1}, skew = {1, 2, flat ? 0 : -0.5};
  join("hinge", Revolute::law(), kGround, 1, {0, 0, 0}, flat ? z : Vec3e{1, 0, 1});
  const bool turns_in_plane = flat && test.law == Revolute::law();
  join("tested", test.law, test.child_first ? 2 : 1, test.child_first ? 1 : 2,
       {0.5, -0.3, flat ? 0.0 : 0.6}, turns_in_plane ? z : skew);
  return model;
}

class TreeJoint : public ::testing::TestWithParam<Case> {
 protected:
  TreeJoint() : model_(make_chain(GetParam())), k_(make_joint(model_)) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (const Expr& q : k_.q) inputs_.push_back(q);
    for (const Expr& v : k_.v) inputs_.push_back(v);
    inputs_.push_back(model_.time);
    values_ = k_.q_guess;
    for (double& q : values_) q += 0.8 * uniform(random);
    normalize_quaternion();
    for (std::size_t i = 0; i < k_.v.size(); ++i) values_.push_back(2 * uniform(random));
    values_.push_back(0);
  }

  Vec3<double> at(const Vec3e& e) const {
    const std::vector<Expr> parts = {e.x, e.y, e.z};
    const std::vector<double> v = Function(inputs_, parts)(values_);
    return {v[0], v[1], v[2]};
  }
  double at(Expr e) const { return at(Vec3e{e, 0, 0}).x; }
  Mat3<double> at(const Mat3e& e) const {
    return {{at(e.column[0]), at(e.column[1]), at(e.column[2])}};
  }
  Vec3<double> rate_at(const Vec3e& e) const {
    const std::vector<Expr> r = rate_of(k_, model_.time, std::vector<Expr>{e.x, e.y, e.z});
    return at(Vec3e{r[0], r[1], r[2]});
  }
  const Joint& joint() const { return model_.joints[1]; }

  Model model_;
  Kinematics k_;
  std::vector<Expr> inputs_;
  std::vector<double> values_;

 private:
  void normalize_quaternion() {
    std::vector<std::size_t> parts;
    double sum = 0;
    for (std::size_t i = 0; i < k_.q.size(); ++i) {
      if (k_.q[i].name().find(".e") == std::string_view::npos) continue;
      parts.push_back(i);
      sum += values_[i] * values_[i];
    }
    for (const std::size_t i : parts) values_[i] /= std::sqrt(sum);
  }
};

constexpr double kRoundOff = 1e-13;  // some dozens of operations on numbers of size 1 to 5

TEST_P(TreeJoint, SatisfiesItsEquationsWhateverItsCoordinates) {
  const MarkerFrame a = locate(k_, joint().a), b = locate(k_, joint().b);
  for (const ConstraintRow& row : constraints_of(joint(), a, b, k_.joints[1])) {
    EXPECT_NEAR(at(row.residual), 0, kRoundOff) << row.row.name;
  }
}

// x_b = cos φ x_a + sin φ y_a, and b is displaced by s along z_a.
TEST_P(TreeJoint, CountsFromTheFirstBodyToTheSecond) {
  const MarkerFrame a = locate(k_, joint().a), b = locate(k_, joint().b);
  const Mat3<double> A = at(a.R), B = at(b.R);
  const bool is_slide_in_plane = model_.is_planar && GetParam().law == Prismatic::law();
  if (k_.joints[1].angle && !is_slide_in_plane) {
    const double angle = at(*k_.joints[1].angle);
    EXPECT_GT(std::abs(std::sin(angle)), 0.1) << "else the sign is not seen";
    EXPECT_NEAR(dot(B.column[0], A.column[0]), std::cos(angle), kRoundOff);
    EXPECT_NEAR(dot(B.column[0], A.column[1]), std::sin(angle), kRoundOff);
  }
  if (k_.joints[1].position) {
    const double position = at(*k_.joints[1].position);
    EXPECT_GT(std::abs(position), 0.01) << "else the sign is not seen";
    EXPECT_NEAR(dot(at(b.r) - at(a.r), A.column[2]), position, kRoundOff);
  }
}

// Ṙ = ω × R, and the velocities that carry the masses are the rates of their centres.
TEST_P(TreeJoint, VelocitiesAreTheRatesOfPositions) {
  for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
    const BodyFrame& frame = k_.bodies[i];
    const Vec3<double> omega = at(frame.omega);
    for (const Vec3e& axis : frame.R.column) {
      EXPECT_NEAR(norm(rate_at(axis) - cross(omega, at(axis))), 0, kRoundOff) << i;
    }
    const std::vector<Expr>& w = k_.inertias[i - 1].w;
    const Vec3e centre = frame.r + frame.R * model_.bodies[i].com;
    EXPECT_NEAR(norm(rate_at(centre) - at(Vec3e{w[0], w[1], w[2]})), 0, kRoundOff) << i;
    const Vec3<double> spin = at(Vec3e{w[3], w[4], w[5]});
    const Vec3<double> expected = model_.is_planar ? omega : transpose(at(frame.R)) * omega;
    EXPECT_NEAR(norm(spin - expected), 0, kRoundOff) << i;
  }
}

std::vector<Case> all_cases() {
  const std::pair<const char*, std::shared_ptr<const JointLaw>> kinds[] = {
      {"Revolute", Revolute::law()},
      {"Prismatic", Prismatic::law()},
      {"Cylindrical", Cylindrical::law()},
      {"Screw", Screw::law(0.7)},
      {"Spherical", Spherical::law()},
      {"Universal", Universal::law()},
      {"ConstantVelocity", ConstantVelocity::law()},
      {"Planar", Planar::law()},
      {"Fixed", Fixed::law()}};
  std::vector<Case> cases;
  for (const bool child_first : {false, true}) {
    const std::string order = child_first ? "ChildFirst" : "ParentFirst";
    for (const auto& [name, kind] : kinds)
      cases.push_back({name + order, kind, false, child_first});
    cases.push_back({"RevoluteInPlane" + order, Revolute::law(), true, child_first});
    cases.push_back({"PrismaticInPlane" + order, Prismatic::law(), true, child_first});
    cases.push_back({"FixedInPlane" + order, Fixed::law(), true, child_first});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Joints, TreeJoint, ::testing::ValuesIn(all_cases()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace koppel

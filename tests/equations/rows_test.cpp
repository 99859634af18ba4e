// What unknowns and rows remember: their elements, what they hold, their units, where bodies are.
#include <gtest/gtest.h>

#include <koppel/equations/derive.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

using Kind = Equations::Owner::Kind;
using Level = Equations::Row::Level;

// A crank on a hinge and a block on a slide, a rope between them, and a wheel that must not skid.
Model mechanism() {
  return read_model_text(R"(
gravity: [0, 0, -9.81]
bodies:
  crank: {mass: 2, inertia: [1, 2, 3], com: [0.5, 0, 0], points: {tip: [1, 0, 0]}}
  block: {mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}
joints:
  hinge: {type: revolute, between: [ground, crank], axis: [0, 1, 0]}
  slide: {type: prismatic, between: [ground, block], at: [2, 0, 0], axis: [1, 0, 0]}
coordinates: {wound: {start: 0}}
kinetic: "wound'^2/2"
inputs: {pull: {min: -3, max: 5}}
constraints:
  rope: {value: "block.x - crank.tip.x - 1", pulls: true}
nonholonomic: {skid: "wound' - block.x'"}
)",
                         "mechanism.yaml");
}

TEST(Rows, KnowTheirElementAndWhatTheyHold) {
  const Equations e = derive(mechanism(), "absolute");
  ASSERT_EQ(e.rows.size(), e.num_rows());
  ASSERT_EQ(e.num_g(), 11U);
  ASSERT_EQ(e.num_a(), 1U);
  const Holds expected[] = {Holds::Point, Holds::Point, Holds::Point, Holds::Tilt,
                            Holds::Tilt,  Holds::Tilt,  Holds::Tilt,  Holds::Turn,
                            Holds::Shift, Holds::Shift, Holds::Other, Holds::Other};
  for (std::size_t i = 0; i < e.rows.size(); ++i) {
    SCOPED_TRACE(e.rows[i].name);
    const bool is_hinge = i < 5, is_slide = i >= 5 && i < 10;
    EXPECT_EQ(e.rows[i].holds, expected[i]);
    EXPECT_EQ(e.rows[i].number, static_cast<int>(i));
    EXPECT_EQ(e.rows[i].level, i < 11 ? Level::Position : Level::Velocity);
    EXPECT_EQ(e.rows[i].pulls, i == 10);
    const Equations::Owner owner = is_hinge   ? Equations::Owner{Kind::Joint, 0, "hinge"}
                                   : is_slide ? Equations::Owner{Kind::Joint, 1, "slide"}
                                   : i == 10  ? Equations::Owner{Kind::Constraint, 0, "rope"}
                                              : Equations::Owner{Kind::Nonholonomic, 0, "skid"};
    EXPECT_EQ(e.rows[i].owner, owner);
    EXPECT_EQ(e.rows[i].part, static_cast<int>(is_hinge ? i : is_slide ? i - 5 : 0));
    const bool is_length = expected[i] == Holds::Point || expected[i] == Holds::Shift;
    EXPECT_EQ(e.rows[i].unit, is_length ? "m" : "");
  }
}

TEST(Rows, OfPlanarJointsKeepTheirPlaceAmongThoseThatVanish) {
  const Model model = read_model_text(R"(
dimension: 2
bodies: {block: {mass: 1, inertia: 1}}
joints: {slide: {type: prismatic, between: [ground, block], axis: [1, 0]}}
)",
                                      "slide.yaml");
  const Equations e = derive(model, "absolute");
  const std::vector<ConstraintRow> all =
      constraints_of(model.joints[0], locate(*e.kinematics, model.joints[0].a),
                     locate(*e.kinematics, model.joints[0].b), e.kinematics->joints[0]);
  ASSERT_EQ(all.size(), 5U);
  ASSERT_EQ(e.rows.size(), 2U);
  for (std::size_t i = 0; i < e.rows.size(); ++i) {
    const auto part = static_cast<std::size_t>(e.rows[i].part);
    EXPECT_EQ(all[part].row.name, e.rows[i].name);
    EXPECT_EQ(all[part].residual, e.g[i]);
  }
}

TEST(Rows, ThatAreLeftOutAreKeptAside) {
  const Shared<Equations> whole = derive(mechanism(), "absolute");
  const std::vector<Expr> rates = constraint_rates(whole);
  const Shared<Equations> less = leave_out(whole, std::vector<int>{3, 11});
  ASSERT_EQ(less->num_g(), 10U);
  ASSERT_EQ(less->num_a(), 0U);
  EXPECT_EQ(less->a.pattern.num_rows, 0);
  ASSERT_EQ(less->G.pattern.num_rows, 10);
  const std::vector<Expr> remaining = constraint_rates(less);
  for (std::size_t i = 0; i < less->num_g(); ++i) {
    const auto number = static_cast<std::size_t>(less->rows[i].number);
    EXPECT_EQ(number, i < 3 ? i : i + 1);
    EXPECT_EQ(less->rows[i].name, whole->rows[number].name);
    EXPECT_EQ(less->g[i], whole->g[number]);
    EXPECT_EQ(less->gamma[i], whole->gamma[number]);
    EXPECT_EQ(remaining[i], rates[number]);
  }
  ASSERT_EQ(less->left_out.size(), 2U);
  EXPECT_EQ(less->left_out[0].row.name, whole->rows[3].name);
  EXPECT_EQ(less->left_out[0].position, whole->g[3]);
  EXPECT_EQ(less->left_out[0].velocity, rates[3]);
  EXPECT_EQ(less->left_out[1].row.name, "skid");
  EXPECT_EQ(less->left_out[1].position, Expr(0));
  EXPECT_EQ(less->left_out[1].velocity, rates[11]);
}

TEST(Rows, NoneLeftOutAreTheSameEquations) {
  const Shared<Equations> whole = derive(mechanism(), "absolute");
  EXPECT_EQ(&*leave_out(whole, {}), &*whole);
}

TEST(Unknowns, KnowTheirElement) {
  const Equations e = derive(mechanism(), "joint");
  ASSERT_EQ(e.about.q.size(), e.num_q());
  ASSERT_EQ(e.about.v.size(), e.num_v());
  const Equations::Owner owners[] = {
      {Kind::Coordinate, 0, "wound"}, {Kind::Joint, 0, "hinge"}, {Kind::Joint, 1, "slide"}};
  const char* const units[] = {"", "rad", "m"};
  const char* const rate_units[] = {"", "rad/s", "m/s"};
  ASSERT_EQ(e.num_q(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    SCOPED_TRACE(e.q[i].name());
    EXPECT_EQ(e.about.q[i].owner, owners[i]);
    EXPECT_EQ(e.about.v[i].owner, owners[i]);
    EXPECT_EQ(e.about.q[i].unit, units[i]);
    EXPECT_EQ(e.about.v[i].unit, rate_units[i]);
  }
  ASSERT_EQ(e.about.u.size(), 1U);
  EXPECT_EQ(e.about.u[0].owner, (Equations::Owner{Kind::Input, 0, "pull"}));
  EXPECT_EQ(e.about.u[0].min, -3);
  EXPECT_EQ(e.about.u[0].max, 5);
}

// The frames of the bodies at the expected start are where the model puts them.
TEST(Frames, AreKeptWithTheEquations) {
  const Model model = mechanism();
  for (const std::string& set : coordinate_sets(model)) {
    SCOPED_TRACE(set);
    const Equations e = derive(model, set);
    ASSERT_EQ(e.kinematics->bodies.size(), model.bodies.size());
    const Vec3e& r = e.kinematics->bodies[2].r;
    const std::vector<Expr> values = {r.x, r.y, r.z};
    const std::vector<double> at = VectorFunction(e, values)(start_of(e));
    EXPECT_NEAR(at[0], 2, 1e-15);
    EXPECT_NEAR(at[1], 0, 1e-15);
    EXPECT_NEAR(at[2], 0, 1e-15);
  }
}

// A force may have any name: f is the sum of its parts.
TEST(ForceParts, AddUpWhereAForceIsCalledInertia) {
  Model model;
  const int x = model.add_coordinate("x");
  const Expr value = model.quantities[static_cast<std::size_t>(x)].value;
  const Expr rate = model.quantities[static_cast<std::size_t>(x)].rate;
  model.kinetic = (1 + value * value) * rate * rate / 2;
  Force force;
  force.name = "inertia";
  force.actions = {{x, -3 * value}};
  model.add_force(force);
  const Equations e = derive(model);
  State state = start_of(e);
  state.q = {1};
  state.v = {2};
  Expr sum = 0;
  for (const Equations::ForcePart& part : *e.parts) sum += part.f[0];
  const std::vector<Expr> both = {sum, e.f[0]};
  const std::vector<double> values = VectorFunction(e, both)(state);
  EXPECT_DOUBLE_EQ(values[0], values[1]);
  EXPECT_DOUBLE_EQ(values[1], -3 - 1 * 2 * 2);  // −3 x − x ẋ², from (1 + x²) ẍ + x ẋ² = −3 x
}

}  // namespace
}  // namespace koppel

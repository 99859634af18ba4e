// Kinematics: what a set of coordinates says about the bodies of a model. The equations of motion
// follow from it in one way for all sets (derive.cpp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/model/elements/joint_law.hpp>
#include <koppel/model/parameter_values.hpp>

namespace koppel {

// A body's frame in world axes.
struct BodyFrame {
  Vec3e r;                      // its origin
  Mat3e R = Mat3e::identity();  // its axes, by columns
  Vec3e omega;                  // its angular velocity, linear in v
  std::optional<Expr> angle;    // planar, where the set has it: the angle, over any number of turns
};

// A part of the kinetic energy ½ wᵀ I w, where w(q, v) is linear in v and I is constant. Its
// generalised inertia force is (∂w/∂v)ᵀ (I ẇ + gyro); gyro belongs to velocities w that are not
// rates of anything, such as angular velocities in body axes.
struct Inertia {
  std::vector<Expr> w;
  std::function<std::vector<Expr>(const std::vector<Expr>&)> times;  // I ·
  std::vector<Expr> gyro;                                            // empty: none
};

struct ConstraintRow {
  Equations::Row row;
  Expr residual;
};

struct Kinematics {
  std::string set;  // its name
  std::vector<Expr> q, v;
  std::vector<Equations::Unknown> about_q, about_v;
  std::vector<Expr> rate;  // q̇ = K v, expressions linear in v
  std::vector<double> q_guess;
  std::vector<BodyFrame> bodies;
  std::vector<Inertia> inertias;
  std::vector<ConstraintRow> internal;  // of the set itself: rigidity of directors
  std::vector<Expr> invariants;
  // For each joint: whether the set satisfies it by itself, and its coordinates where it has them.
  struct JointState {
    bool is_satisfied = false;
    bool shares_point = false, shares_axis = false;  // natural: parts of it are satisfied
    std::optional<Expr> angle, position;
  };
  std::vector<JointState> joints;
  // For coordinates along a tree: its bodies outward from the ground, in world axes. A freedom is
  // the motion that a unit of its velocity gives to the link past its joint, at the joint point.
  struct Freedom {
    std::size_t v;  // its place among the velocities
    Vec3e angular, linear;
  };
  struct Link {
    int parent;   // a link before; −1: the ground
    Vec3e lever;  // from the parent's joint point to this one's
    std::vector<Freedom> freedoms;
    Expr mass;
    Vec3e com;      // from the joint point
    Mat3e inertia;  // about the centre of mass
  };
  std::vector<Link> links;

  // What the model draws beside its bodies, a part after the other: x, y, z of each of its points,
  // and of a box its turn. Of q, t and parameters.
  std::vector<Expr> drawing;

  // A new coordinate with rate v' = its own velocity.
  Expr add_coordinate(Graph& graph, const std::string& name, double guess,
                      const Equations::Unknown& about);
  // A new velocity that is not the rate of a coordinate.
  Expr add_velocity(Graph& graph, const std::string& name, Equations::Unknown about);
  // A new coordinate whose rate is given.
  Expr add_driven_coordinate(Graph& graph, const std::string& name, Expr rate, double guess,
                             Equations::Unknown about);
};

// As owners of coordinates and rows.
Equations::Owner owner_of_body(const Model& model, std::size_t index);
Equations::Owner owner_of_joint(const Model& model, std::size_t index);

// A marker in world axes.
MarkerFrame locate(const Kinematics& kinematics, const Marker& marker);

// The equations of a joint between two markers, less what the coordinates satisfy. The caller knows
// the joint's place in the model.
std::vector<ConstraintRow> constraints_of(const Joint& joint, const MarkerFrame& a,
                                          const MarkerFrame& b,
                                          const Kinematics::JointState& state);

// The relative angle about z and the displacement along z, in numbers.
double relative_angle(const NumericFrame& a, const NumericFrame& b);
double relative_position(const NumericFrame& a, const NumericFrame& b);
std::array<double, 4> quaternion_of(const Mat3<double>& R);

// Unit quaternion coordinates with angular velocity in body axes as velocity.
struct QuaternionCoordinates {
  std::array<Expr, 4> e;
  Vec3e omega;  // body axes
};
QuaternionCoordinates add_quaternion(Kinematics& kinematics, Graph& graph,
                                     const Equations::Owner& owner, const Mat3<double>& guess);

// The kinetic energy of a rigid body from the velocity of its centre of mass (world axes) and its
// angular velocity (body axes).
Inertia rigid_inertia(const Body& body, const Vec3e& velocity, const Vec3e& omega);

// What the user expects a symbol to be at the start; 0 where nothing is said.
double expected_value(const Model& model, const ParameterValues& values, Expr symbol);

// Kinematics of this set with the model's own coordinates, and none yet of its bodies.
Kinematics start_kinematics(const Model& model, const char* set);

// A body that moves freely, by the position of its centre of mass and its rotation: in the plane an
// angle, in space a unit quaternion or Cardan angles with the angular velocity in body axes.
// Adds its coordinates, frame and inertia; returns the velocity of its centre of mass.
Vec3e add_free_body(Kinematics& kinematics, const Model& model, const ParameterValues& values,
                    std::size_t index, bool cardan);

// The sets.
Kinematics make_absolute(const Model& model, bool cardan);
Kinematics make_joint(const Model& model);
Kinematics make_directors(const Model& model);
Kinematics make_natural(const Model& model);
// One of them by its name, also `lagrange`: no bodies. Throws Error
// `equations.unknown-coordinates`.
Kinematics make_kinematics(const Model& model, const std::string& set);
// The model with its bodies where they are expected for this set: carried along the joints, unless
// the set does so itself.
Model placed_for(const Model& model, const std::string& set);

}  // namespace koppel

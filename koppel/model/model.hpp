// Model: what the user said. Bodies, joints, forces, free coordinates, inputs, outputs, servo
// constraints, initial values and run settings: names and expressions, no mathematics.
//
// Wherever a number may stand there is an Expr of parameters and time; forces, constraints and
// outputs may also depend on *quantities*. A quantity is something with a value and a rate that can
// be observed in a mechanism whatever coordinates describe it: the angle of a hinge, the length of
// a spring, a coordinate of a point. Its symbols are `hinge.angle` and, for the rate,
// `hinge.angle'`. Equations replaces both by expressions of the coordinates it chose.
//
// All in SI units and radians. Planar models are spatial ones whose bodies move in the x-y plane.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/event_direction.hpp>
#include <koppel/base/linear.hpp>
#include <koppel/base/tracking_method.hpp>
#include <koppel/expr/graph/graph.hpp>

namespace koppel {

using Vec3e = Vec3<Expr>;
using Mat3e = Mat3<Expr>;

inline constexpr int kGround = 0;  // the index of the ground among the bodies

struct Parameter {
  Expr symbol;
  double value = 0;
  // Whether it is built into something that has numbers only (counts, tables, paths, samples): the
  // model has to be made again for another value.
  bool is_built_in = false;
};

// For pictures only. Placed in the body frame.
struct Shape {
  enum class Kind { Box, Cylinder, Sphere, Line };
  Kind kind = Kind::Sphere;
  Vec3<double> size;  // box: edges; cylinder: radius, length along local z; sphere: radius
  Vec3<double> position;
  Mat3<double> axes = Mat3<double>::identity();
  std::vector<Vec3<double>> points;  // of a line
};

// A point or vector of the user's own. Its components in world axes are coordinates of the model,
// numbers, or expressions of both: natural coordinates as the user chose them.
struct PointOrVector {
  std::string name;
  bool is_point = true;
  // Given by others: it adds no coordinates, and what it has to do with others that are given by
  // others (its length, an angle) is taken to hold without a constraint.
  bool is_given = false;
  Vec3e value;  // of free coordinates and parameters
  Location where;
};

struct NamedVector {
  std::string name;
  Vec3e value;  // in the body frame
};

struct Body {
  std::string name;
  Expr mass = 0;
  Vec3e com;      // centre of mass, in the body frame
  Mat3e inertia;  // about the centre of mass, along the body axes
  // The rotation of a point mass is of no consequence: it has three (planar: two) freedoms.
  bool is_point = false;
  std::vector<NamedVector> points, axes;
  std::vector<Shape> shapes;
  // Where the body frame is expected to be at the start; also what world coordinates given for
  // joints refer to.
  Vec3e position;
  Mat3e rotation = Mat3e::identity();
  // The user's points and vectors that the body frame follows from, with their places in it; see
  // Model::set_frame. Empty: none.
  struct Site {
    int element;
    Vec3e local;
  };
  std::vector<Site> frame;
  Location where;
};

// A point and three orthonormal directions fixed to a body.
struct Marker {
  int body = kGround;
  Vec3e point;
  Mat3e axes = Mat3e::identity();
};

// What a joint holds, and all else that is known about its kind (elements/joint_law.hpp).
class JointLaw;

// The joint's coordinate is the rotation of b against a about z (`.angle`) and the displacement of
// b along z of a (`.position`), as far as its law has them.
struct Joint {
  std::string name = {};
  std::shared_ptr<const JointLaw> law = {};
  Marker a = {}, b = {};
  bool closes = false;    // held by constraints in joint coordinates too
  bool may_jump = false;  // what its law prescribes may, by an impulse (`jump: impulse`)
  Location where = {};
};

// What can be observed; see the head of this file.
// clang-format off
struct Quantity {
  struct JointAngle { int joint; };
  struct JointPosition { int joint; };
  struct DistanceBetween { Marker a, b; };
  // Coordinate `axis` (0, 1, 2) of a point, in world axes, or relative to and along those of a marker.
  struct PointCoordinate { Marker point; int axis; std::optional<Marker> reference; };
  // The angle of a body against the ground, in planar models.
  struct BodyAngle { int body; };
  // Component of the rotation of b against a: roll, pitch, yaw (0, 1, 2) about x, y, z with
  // R = R_z(yaw) R_y(pitch) R_x(roll), or of the rotation vector (3, 4, 5) in the axes of both.
  struct Orientation { Marker a, b; int component; };
  // Component of the angular velocity of a body (against another), along world axes or its own.
  // It has a rate only, whose symbol is its name without a quote: `disc.wx`.
  struct AngularVelocity { int body; int reference; int axis; bool in_body_axes; };
  // A free coordinate of the model.
  struct Free { int coordinate; };
  // clang-format on

  Expr value, rate;  // the symbols that stand for it
  using Of = std::variant<JointAngle, JointPosition, DistanceBetween, PointCoordinate, BodyAngle,
                          Orientation, AngularVelocity, Free>;
  Of of;
};

// A force or torque by its power: effort × rate, summed over the quantities it acts on. A spring's
// tension acts on its length with effort −k (length − l0).
struct Action {
  int quantity;
  Expr effort;
};

struct Force {
  std::string name = {};
  std::vector<Action> actions = {};
  // The energy that the force stores, of quantities: for the balance of energy only, the actions
  // already say all about the force.
  Expr potential = 0;
  bool is_stiff = false;  // steps of fixed cost treat it implicitly, and others then not
  Location where = {};
};

// A coordinate of the user's own, with its place in the energies below.
struct FreeCoordinate {
  std::string name;
  Expr value, rate;  // symbols `name` and `name'`
  Location where;
};

struct Constraint {
  std::string name;
  Expr residual;  // = 0; of quantities and time; nonholonomic: linear in rates
  Location where;
  bool pulls = false;     // a cable, an open contact: its multiplier should not become negative
  bool may_jump = false;  // what it prescribes may, by an impulse (`jump: impulse`)
};

// A joint that is held by constraints of the model alone: a wheel on a plane, a point on a curve.
// Its force acts on `point`; `frame` has the plane or the curve, and the axes that the force is
// given in.
struct Contact {
  std::string name = {};
  std::string_view type = {};  // of its element: rolling, cam
  Marker frame = {}, point = {};
  std::vector<int> coordinates = {};                     // of points of its body, in the rows
  std::vector<int> constraints = {}, nonholonomic = {};  // its rows among those of the model
};

// x' = f for a state of the user's own (controllers, relaxation): not a coordinate of mechanics.
struct FirstOrder {
  std::string name;
  Expr state;
  Expr rate;
  Location where;
};

struct Output {
  std::string name;
  Expr value;
  Location where;
};

// For pictures only: what a model without bodies looks like, by expressions of positions
// and time. In world axes.
struct Drawn {
  enum class Kind { Point, Line, Cable, Circle, Box, Label };
  std::string name;
  Kind kind = Kind::Point;
  std::vector<Vec3e> points = {};  // of a line or cable its corners; else the one where it is
  Vec3<double> size = {};          // circle: radius; box: edges
  Expr turn = 0;                   // of a box, about z
  std::string text = {};           // of a label
  Location where = {};
};

// What an actuator can do.
struct InputLimits {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
};

// A servo constraint: the output shall follow the reference.
struct Servo {
  std::string name;
  Expr output;     // of quantities
  Expr reference;  // of time
  Location where;
};

// What follows a signal, by forces that fixed-cost steps choose. The forces are states, and act on
// what the outputs are of.
struct Tracking {
  std::string name = {};
  std::vector<Expr> outputs = {};  // of quantities
  std::vector<Expr> targets = {};  // what they follow
  std::vector<Expr> forces = {};   // states, one for each
  TrackingMethod method = TrackingMethod::Automatic;
  Expr rho0 = 0, rho1 = 0;  // penalties of the force and of its rate, of L2 and the others
  // Of the automatic choice; 0: none, and the time is chosen.
  Expr max_force = 0, max_acceleration = 0, max_speed = 0, response = 0;
  bool compensates = true;  // other forces are cancelled
  Expr is_active = 1;       // 0: nothing is held
  Location where = {};
};

// A wish for the start: value of a quantity or of a rate, kept exactly when fixed.
struct Initial {
  Expr symbol;
  Expr value;
  bool fixed = false;
  Location where;
};

// What happens when an expression passes through zero during the motion.
struct Event {
  std::string name;
  Expr when;  // of quantities, rates, states and time
  EventDirection direction = EventDirection::Both;
  bool stops = false;
  struct Change {
    Expr parameter, value;
  };
  std::vector<Change> changes;
  // An impact: the rate of `when`, which is of positions then, becomes −restitution times as large.
  std::optional<Expr> restitution;
  std::vector<Action> impulses;  // efforts times time
  Location where;
};

struct RunSettings {
  double end = 10;
  std::optional<double> step, tolerance;
  std::optional<int> samples;
  std::string coordinates, formulation, integrator;  // empty: automatic
};

// A number that must be positive, or not negative, whatever values the parameters have, and what is
// said where it is not.
struct Bounded {
  Expr value;
  bool may_be_zero = false;
  std::string text;
  Location where;
};

struct Model {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>();
  std::string name, description, file;
  bool is_planar = false;

  Expr time;  // the symbol t
  std::vector<Parameter> parameters;
  std::vector<Expr> inputs;               // symbols that an actuator or a signal drives
  std::vector<InputLimits> input_limits;  // one for each
  Vec3e gravity;

  std::vector<Body> bodies;  // [0] is the ground
  std::vector<Joint> joints;
  std::vector<Quantity> quantities;
  std::vector<Force> forces;
  std::vector<Constraint> constraints;  // holonomic
  std::vector<Constraint> nonholonomic;
  std::vector<Contact> contacts;  // joints among these

  std::vector<PointOrVector> elements;  // points and vectors of the user's own

  // Free coordinates and the energies of what they describe, beside those of the bodies.
  std::vector<FreeCoordinate> coordinates;
  Expr kinetic = 0, potential = 0, dissipation = 0;
  std::vector<FirstOrder> first_order;

  std::vector<Initial> initial;
  std::vector<Output> outputs;
  std::vector<Drawn> drawing;
  std::vector<Servo> servos;
  std::vector<Tracking> tracking;
  std::vector<Expr> hands;  // parameters of grip.hpp: the body that each holds, −1: none
  std::vector<Event> events;
  std::vector<Output> definitions;  // named expressions, already put in where they are used
  std::vector<Output> positive;     // what stays positive on the branch that is meant
  std::vector<Bounded> bounded;     // of elements, by parameters
  RunSettings run;
  std::vector<Diagnostic> remarks;  // what a reader did that the user should know

  Model();

  // Building. Each returns the index of what it added. Names must be new: checked by validate.
  int add_body(Body body);
  int add_joint(Joint joint);
  int add_coordinate(std::string_view name);
  Expr add_parameter(std::string_view name, double value);
  Expr add_input(std::string_view name);
  int add_force(Force force);
  // A point or vector whose components are coordinates name.x, name.y, name.z, expected at `start`;
  // those not among the letters of `moves` stay there.
  int add_point(std::string_view name, const Vec3e& start, std::string_view moves = "xyz");
  int add_vector(std::string_view name, const Vec3e& start, std::string_view moves = "xyz");
  // One that is given by expressions of coordinates and parameters.
  int add_given(std::string_view name, const Vec3e& value, bool is_point);

  // Lets the frame of a body follow from an ordered list of points and vectors O, A, B [Derakhshan
  // 2022, ch. 2]: O is a point, the origin; A, on the x axis, and B, in the x-y plane on the side
  // of y, are points or vectors. In the plane there is no B; a point mass has O alone. A fourth
  // one, anywhere off the x-y plane, makes the frame linear in the coordinates. Their places in the
  // frame are those that they are expected to have at the start; so is the body's placement.
  // Throws Error model.bad-frame where they do not determine a frame.
  void set_frame(Body& body, std::span<const int> list) const;

  int find_body(std::string_view name) const;      // −1: none
  int find_joint(std::string_view name) const;     // −1: none
  int find_quantity(std::string_view name) const;  // −1: none

  // The quantity, made when it is new, under the symbols name and name'.
  int angle_of(int joint);
  int position_of(int joint);
  int distance(std::string_view name, const Marker& a, const Marker& b);
  int coordinate_of(std::string_view name, const Marker& point, int axis,
                    std::optional<Marker> reference = {});
  int body_angle(std::string_view name, int body);
  int orientation(std::string_view name, const Marker& a, const Marker& b, int component);
  // Under the symbol `name` for the rate.
  int angular_velocity(std::string_view name, int body, int axis, bool in_body_axes,
                       int reference = kGround);

  // What can be observed on an element by name: `owner.member`. The quantity is made when it is
  // asked for; nothing where there is none.
  void add_measure(const std::string& owner, std::string_view member, Quantity::Of of);
  std::optional<int> find_measure(const std::string& name);
  // On bodies: x, y, z of the origin, in the plane angle; in space roll, pitch, yaw, the rotation
  // vector rx, ry, rz, and the angular velocity wx, wy, wz in body axes. On points: x, y, z.
  std::optional<int> measure_body(const std::string& name, int body, std::string_view member);
  std::optional<int> measure_point(const std::string& name, const Marker& point,
                                   std::string_view member);
  // The symbol of a measure, or with a quote behind the name of its rate; of a parameter, an input,
  // a coordinate, a state or the time. Nothing: there is none.
  std::optional<Expr> find_symbol(const std::string& name);
  Expr symbol_of(int quantity, bool is_rate) const;
  // All of them: owner and member.
  std::vector<std::pair<std::string, std::string>> measures() const;

  // With coordinates as expected at the start, of parameters; and in numbers.
  Vec3e at_start(const Vec3e& e) const;
  Vec3<double> number_at_start(const Vec3e& e) const;

  // All that can be told to be wrong without mathematics; throws Error with every mistake.
  void validate() const;

 private:
  int add_quantity(std::string_view name, Quantity::Of of);
  int add_element(std::string_view name, const Vec3e& start, std::string_view moves, bool is_point);

  std::unordered_map<NodeId, int> quantity_of_;  // by the symbol of its name
  struct Measure {
    std::string member;
    Quantity::Of of;
  };
  std::unordered_map<std::string, std::vector<Measure>> measures_;  // by the owner
};

// A marker whose z axis is along `axis` (any length but zero). Its x axis depends on the direction
// only, so that markers with equal axes are parallel.
Marker make_marker(int body, const Vec3e& point, const Vec3e& axis = {0, 0, 1});
// The same for an axis of expressions, with its value in numbers to choose x by.
Marker make_marker(int body, const Vec3e& point, const Vec3e& axis, const Vec3<double>& value);

}  // namespace koppel

// The exact text of what is said about wrong models.
#include <koppel/model/elements/list.hpp>
#include <koppel/model/places.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

struct Case {
  const char* name;
  const char* text;
  const char* said;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) { return stream << c.name; }

std::string said_about(const char* text, const ReadOptions& options = {}) {
  return testing::error_of([&] { read_model_text(text, "m.yaml", options); }, "nothing");
}

class WrongModel : public ::testing::TestWithParam<Case> {};

TEST_P(WrongModel, IsRefusedWithPlaceReasonAndRemedy) {
  EXPECT_EQ(said_about(GetParam().text), GetParam().said);
}

constexpr Case kCases[] = {
    {"UnknownKey",
     R"(bodys: {}
)",
     R"(m.yaml:1:1: error[model.unknown-key]: unknown key 'bodys' in the model.
  keys: name, description, dimension, parameters, tables, gravity, inputs, include, points, vectors, bodies, joints, coordinates, states, forces, constraints, couplings, nonholonomic, kinetic, potential, dissipation, generalized_forces, initial, outputs, servo, signals, events, tracking, positive, definitions, drawing, run. Did you mean 'bodies'?)"},
    {"UnknownKeyOfABody",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
  c: {mas: 1, inertia: 1}
)",
     R"(m.yaml:5:7: error[model.unknown-key]: unknown key 'mas' in body 'c'.
  keys: mass, density, point_mass, com, inertia, shape, points, axes, position, angle, rotation, quaternion, cardan, frame. Did you mean 'mass'?)"},
    {"MissingMass",
     R"(bodies:
  rod: {inertia: [1, 1, 1]}
)",
     R"(m.yaml:2:3: error[model.missing-mass]: body 'rod' has no mass.
  Give mass, or density with a shape, or point_mass.)"},
    {"MissingInertia",
     R"(bodies:
  rod: {mass: 1}
)",
     R"(m.yaml:2:3: error[model.missing-inertia]: body 'rod' has no inertia.
  Give inertia, or a shape to compute it from, or point_mass in place of mass.)"},
    {"AxesOfAPointMass",
     R"(bodies:
  beam: {mass: 1, inertia: [1, 1, 1]}
  load: {point_mass: 1, position: [1, 0, 0]}
  ball: {point_mass: 1, position: [2, 0, 0]}
joints:
  grip: {type: fixed, between: [beam, load], at: [1, 0, 0]}
  slide: {type: prismatic, between: [load, beam], at: [1, 0, 0], axis: [1, 0, 0]}
  rail: {type: prismatic, between: [ground, load], axis: [1, 0, 0]}
  pair: {type: fixed, between: [load, ball]}
  eye: {type: spherical, between: [beam, ball], at: [2, 0, 0]}
  wire: {type: point-on-line, between: [beam, ball], axis: [1, 0, 0]}
)",
     R"(m.yaml:6:3: error[model.point-mass-axes]: joint 'grip' holds the axes of point mass 'load', which does not turn: body 'beam' could not turn either.
  Use spherical, point-on-line or point-on-plane, or give mass and inertia in place of point_mass.
m.yaml:7:3: error[model.point-mass-axes]: joint 'slide' holds the axes of point mass 'load', which does not turn: body 'beam' could not turn either.
  Use spherical, point-on-line or point-on-plane, or give mass and inertia in place of point_mass.)"},
    {"RotationOfAPointMass",
     R"(dimension: 2
bodies:
  arm: {mass: 1, inertia: 1}
  ball: {point_mass: 1, position: [1, 0]}
joints:
  knee: {type: revolute, between: [{arm: [1, 0]}, ball]}
  roll: {type: rolling, body: ball, radius: 0.1, at: [0, -0.1]}
forces:
  motor: {type: torque, on: ball, torque: 3}
  reaction: {type: torque, on: arm, against: ball, torque: 3}
  spring: {type: torsion, joint: knee, stiffness: 2}
  bush: {type: bushing, between: [ground, ball], stiffness: [10, 10, 1]}
  soft: {type: bushing, between: [ground, ball], stiffness: [10, 10, 0]}
  push: {type: force, on: ball, force: [1, 0]}
couplings: {gear: arm.angle - 2*ball.angle}
events: {kick: {when: t - 1, impulse: {ball.angle: 1}}}
)",
     R"(m.yaml:9:3: error[model.point-mass-turned]: force 'motor' acts on the rotation of point mass 'ball', which does not turn.
  Give mass and inertia in place of point_mass.
m.yaml:10:3: error[model.point-mass-turned]: force 'reaction' acts on the rotation of point mass 'ball', which does not turn.
  Give mass and inertia in place of point_mass.
m.yaml:11:3: error[model.point-mass-turned]: force 'spring' acts on the rotation of point mass 'ball', which does not turn.
  Give mass and inertia in place of point_mass.
m.yaml:12:3: error[model.point-mass-turned]: force 'bush' acts on the rotation of point mass 'ball', which does not turn.
  Give mass and inertia in place of point_mass.
m.yaml:16:10: error[model.point-mass-turned]: event 'kick' has an impulse on the rotation of point mass 'ball', which does not turn.
  Give mass and inertia in place of point_mass.
m.yaml:7:3: error[model.point-mass-turned]: constraint 'roll.slip' prescribes the rotation of point mass 'ball', which does not turn.
  Give mass and inertia in place of point_mass.
m.yaml:15:13: error[model.point-mass-turned]: constraint 'gear' prescribes the rotation of point mass 'ball', which does not turn.
  Give mass and inertia in place of point_mass.)"},
    {"NegativeMass",
     R"(parameters: {m: -2}
bodies:
  rod: {mass: m, inertia: [1, 1, 1]}
)",
     R"(m.yaml:3:3: error[model.bad-mass]: body 'rod' has the mass -2; it must not be negative.)"},
    {"TriangleInequality",
     R"(bodies:
  rod: {mass: 1, inertia: [1, 1, 3]}
)",
     R"(m.yaml:2:3: error[model.bad-inertia]: body 'rod' cannot have the principal moments of inertia 1, 1 and 3: none is larger than the sum of the others.
  Check that inertia is about the centre of mass, and the signs of the products of inertia.)"},
    {"NegativeInertia",
     R"(bodies:
  rod: {mass: 1, inertia: [1, 1, 1, 2, 0, 0]}
)",
     R"(m.yaml:2:3: error[model.bad-inertia]: body 'rod' has a negative principal moment of inertia, -1.)"},
    {"UnknownBody",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  knee: {type: revolute, between: [a, bb]}
)",
     R"(m.yaml:6:39: error[model.unknown-body]: joint 'knee' names body 'bb'; there is none.
  bodies: ground, a, b. Did you mean 'b'?)"},
    {"UnknownPoint",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  knee: {type: revolute, between: [a.B, b]}
)",
     R"(m.yaml:6:36: error[model.unknown-point]: joint 'knee' names point 'B' of body 'a'; there is none.
  points: A.)"},
    {"SelfJoint",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  knee: {type: revolute, between: [a.A, a]}
)",
     R"(m.yaml:6:3: error[model.self-joint]: joint 'knee' joins body 'a' to itself.)"},
    {"PointAndPlace",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  knee: {type: revolute, between: [a.A, b], at: [1, 0]}
  hip: {type: revolute, between: [ground, {a: [1, 0]}], at: [1, 0]}
)",
     R"(m.yaml:6:49: error[model.contradiction]: joint 'knee' has both a point of body 'a' and a place, at.
  Give a point of each body, or the bodies alone and at.
m.yaml:7:61: error[model.contradiction]: joint 'hip' has both a point of body 'a' and a place, at.
  Give a point of each body, or the bodies alone and at.)"},
    {"ZeroAxis",
     R"(bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  knee: {type: revolute, between: [a, b], axis: [0, 0, 0]}
)",
     R"(m.yaml:5:49: error[model.zero-axis]: axis of joint 'knee' has length zero; it gives no direction.)"},
    {"MissingAxis",
     R"(bodies:
  a: {mass: 1, inertia: [1, 1, 1]}
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  knee: {type: revolute, between: [a, b]}
)",
     R"(m.yaml:5:3: error[model.missing-axis]: joint 'knee' has no axis.
  Give axis: a direction in the frame of the first body (with 'at': in world axes).)"},
    {"DuplicateKey",
     R"(dimension: 2
bodies:
  a: {point_mass: 1}
  a: {point_mass: 2}
)",
     R"(m.yaml:4:3: error[model.duplicate-name]: 'a' stands here twice; first in line 3.)"},
    {"DuplicateName",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  a: {type: revolute, between: [a, b]}
)",
     R"(m.yaml:6:3: error[model.duplicate-name]: joint 'a' has the name of another body.)"},
    {"CyclicParameters",
     R"(parameters: {a: 2*b, b: c + 1, c: a, d: a}
)",
     R"(m.yaml:1:14: error[model.cyclic-parameters]: parameters need each other: a → b → c → a.)"},
    {"WrongDimensionOfAVector",
     R"(dimension: 2
gravity: [0, 0, -9.81]
)",
     R"(m.yaml:2:10: error[model.wrong-dimension]: gravity must be two numbers, [x, y]; found 3.
  The model has dimension 2; see the key 'dimension'.)"},
    {"WrongDimensionOfAnInertia",
     R"(bodies:
  a: {mass: 1, inertia: 2}
)",
     R"(m.yaml:2:25: error[model.wrong-dimension]: inertia of body 'a' must be [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz].)"},
    {"SphericalInThePlane",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  knee: {type: spherical, between: [a, b]}
)",
     R"(m.yaml:6:16: error[model.wrong-dimension]: joint 'knee' is spherical; planar models have revolute, prismatic, fixed, distance, point-on-line, rolling and cam joints.
  Did you mean 'revolute'?)"},
    {"UnknownJointType",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  knee: {type: revolut, between: [a, b]}
)",
     R"(m.yaml:6:16: error[model.unknown-type]: type of joint 'knee' cannot be 'revolut'.
  choices: revolute, prismatic, cylindrical, screw, spherical, universal, constant-velocity, planar, fixed, distance, point-on-line, point-on-plane, rolling, cam. Did you mean 'revolute'?)"},
    {"UnknownForceType",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
forces:
  s: {type: springs, between: [a, b]}
)",
     R"(m.yaml:6:13: error[model.unknown-type]: type of force 's' cannot be 'springs'.
  choices: spring, damper, torsion, friction, force, torque, effort, bushing, tyre. Did you mean 'spring'?)"},
    {"TyreWithoutItsKeys",
     R"(bodies:
  w: {mass: 1, inertia: [1, 1, 1]}
forces:
  t: {type: tyre, on: w, radius: 0.3}
)",
     R"(m.yaml:4:3: error[model.missing-key]: force 't' needs on, radius, stiffness, friction and slip_stiffness.
  In space its axis too; damping, velocity, normal and at may be given.)"},
    {"BallWithASide",
     R"(bodies:
  b: {mass: 1, inertia: [1, 1, 1]}
joints:
  r: {type: rolling, body: b, radius: 0.3, side: 0.1}
)",
     R"(m.yaml:4:50: error[model.missing-key]: joint 'r' has a 'side' only with an axis: a ball has none.)"},
    {"TyreWithoutAxis",
     R"(bodies:
  w: {mass: 1, inertia: [1, 1, 1]}
forces:
  t: {type: tyre, on: w, radius: 0.3, stiffness: 1, friction: 1, slip_stiffness: 1}
)",
     R"(m.yaml:4:3: error[model.missing-axis]: force 't' has no axis.
  Give axis: the direction that the wheel turns about, in its own frame.)"},
    {"TyreWithWrongNumbers",
     R"(parameters: {mu: 0}
bodies:
  w: {mass: 1, inertia: [1, 1, 1]}
forces:
  t:
    type: tyre
    on: w
    axis: [0, 1, 0]
    radius: -1
    stiffness: 0
    damping: -1
    friction: mu
    slip_stiffness: [1, 2, 3]
)",
     R"(m.yaml:9:13: error[model.bad-value]: radius of force 't' must be positive.
m.yaml:10:16: error[model.bad-value]: stiffness of force 't' must be positive.
m.yaml:11:14: error[model.bad-value]: damping of force 't' must not be negative.
m.yaml:12:15: error[model.bad-value]: friction of force 't' must be positive.
m.yaml:13:21: error[model.wrong-dimension]: slip_stiffness of force 't' must be a number, or two: [forward, sideways].)"},
    {"TyreWithAxisInThePlane",
     R"(dimension: 2
bodies:
  w: {mass: 1, inertia: 1}
forces:
  t: {type: tyre, on: w, axis: [0, 1], radius: 1, stiffness: 1, friction: 1, slip_stiffness: 1}
)",
     R"(m.yaml:5:32: error[model.wrong-dimension]: force 't' needs no axis: in the plane all wheels turn about z.)"},
    {"PointWithoutStart",
     R"(points:
  A: {moves: x}
  B: {start: [0, 0, 1], moves: xw}
  C: {is: [A.x, 0, 0]}
)",
     R"(m.yaml:2:3: error[model.missing-key]: point 'A' needs start, or is.
  start: expected values of its coordinates; is: what it is, by others.
m.yaml:3:32: error[model.bad-value]: moves of point 'B' must be some of the letters of xyz, found 'xw'.)"},
    {"PointThatMovesByItself",
     R"(points:
  A: {is: [0, 0, t]}
)",
     R"(m.yaml:2:11: error[model.name-not-allowed]: point 'A' may depend on coordinates, points, vectors and parameters only.)"},
    {"UnknownPointOfAFrame",
     R"(dimension: 2
points: {left: [0, 0], right: [1, 0]}
bodies:
  rod: {frame: [left, rigth], mass: 1, inertia: 1}
)",
     R"(m.yaml:4:23: error[model.unknown-point]: frame of body 'rod' names 'rigth'; there is no such point or vector.
  points and vectors: left, right. Did you mean 'right'?)"},
    {"FrameOfTooFew",
     R"(points: {A: [0, 0, 0], B: [1, 0, 0]}
bodies:
  rod: {frame: [A, B], mass: 1, inertia: [1, 1, 1]}
)",
     R"(m.yaml:3:16: error[model.bad-frame]: frame of body 'rod' must have 3 or 4 points and vectors; found 2.)"},
    {"FrameOnALine",
     R"(points: {A: [0, 0, 0], B: [1, 0, 0], C: [2, 0, 0]}
bodies:
  rod: {frame: [A, B, C], mass: 1, inertia: [1, 1, 1]}
)",
     R"(m.yaml:3:16: error[model.bad-frame]: frame of body 'rod': 'A', 'B' and 'C' are on one line at the start.)"},
    {"FrameThatStartsWithAVector",
     R"(dimension: 2
points: {A: [0, 0]}
vectors: {u: [1, 0]}
bodies:
  rod: {frame: [u, A], mass: 1, inertia: 1}
)",
     R"(m.yaml:5:16: error[model.bad-frame]: frame of body 'rod' starts with vector 'u'; its origin is a point.)"},
    {"FrameAndPosition",
     R"(dimension: 2
points: {A: [0, 0], B: [1, 0]}
bodies:
  rod: {frame: [A, B], position: [0, 0], mass: 1, inertia: 1}
)",
     R"(m.yaml:4:34: error[model.contradiction]: body 'rod' has a frame of points and vectors; it has no position.)"},
    {"InitialOfAGivenPoint",
     R"(dimension: 2
points: {A: [0, 0], B: {is: [2*A.x, 1]}}
initial: {B.x: 1, B.y: 2}
)",
     R"(m.yaml:3:11: error[model.wrong-kind]: 'B.x' is given by others; it has no initial value of its own.
m.yaml:3:19: error[model.wrong-kind]: 'B.y' does not change during the motion; it has no initial value.)"},
    {"DegreesWithoutUnit",
     R"(dimension: 2
bodies:
  a: {point_mass: 1, angle: 45}
)",
     R"(m.yaml:3:29: error[model.unit-mistake]: angle of body 'a' is 45 radians, more than a turn.
  Angles are in radians; write '45 deg' for degrees.)"},
    {"UnitNotSI",
     R"(dimension: 2
parameters: {l: 30 mm}
)",
     R"(m.yaml:2:17: error[model.unit-mistake]: parameter 'l' has the unit 'mm'; units are not written.
  All numbers are in SI units: m, kg, s, N. Only angles may have one: 45 deg.)"},
    {"UnknownName",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  knee: {type: revolute, between: [a, b]}
forces:
  f: {type: effort, on: knee.angle, effort: -3*kne.angle}
)",
     R"(m.yaml:8:48: error[model.unknown-name]: unknown name 'kne.angle'.
  known: a.A.x, a.A.y, a.angle, a.x, a.y, b.angle, b.x, b.y, knee.angle, knee.angle', pi, t. Did you mean 'knee.angle'?)"},
    {"UnknownParameter",
     R"(parameters: {length: 1, c: lenght/2}
)",
     R"(m.yaml:1:28: error[model.unknown-name]: unknown name 'lenght'.
  known: c, length. Did you mean 'length'?)"},
    {"QuantityInABody",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
  c: {mass: a.x, inertia: 1}
)",
     R"(m.yaml:5:13: error[model.name-not-allowed]: 'a.x' changes during the motion; only parameters may stand here.)"},
    {"RateInAConstraint",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
constraints:
  c: a.x' - b.x
)",
     R"(m.yaml:6:6: error[model.name-not-allowed]: 'a.x'' changes during the motion; rates may not stand here.)"},
    {"SyntaxOfAnExpression",
     R"(parameters:
  l: 2 * (3 + 
)",
     R"(m.yaml:2:14: error[expr.syntax]: expected a number, a name or '(', but the text ends.
  2 * (3 +
          ^)"},
    {"DivisionByZero",
     R"(parameters: {a: 0, b: 1/a}
)",
     R"(m.yaml:1:25: error[expr.division-by-zero]: the divisor is zero.
  1/a
    ^)"},
    {"NotYaml",
     R"(bodies: {a: [1, 2}
)",
     R"(m.yaml:1:18: error[model.syntax]: this is not YAML: illegal flow end.
  Inside [ ] and { }, a text that has brackets, braces, commas or ': ' stands in quotes.)"},
    {"MissingFreeLength",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
forces:
  s: {type: spring, between: [a, b], stiffness: 10}
)",
     R"(m.yaml:6:3: error[model.missing-key]: force 's' has a stiffness but no free_length.
  Write free_length: 0 for one that pulls until its ends meet.)"},
    {"FrictionWithoutJoint",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
forces:
  f: {type: friction, joint: knee, torque: 1, velocity: 0.1}
)",
     R"(m.yaml:6:30: error[model.unknown-joint]: force 'f' names joint 'knee'; there is none.)"},
    {"FrictionTorqueInASlide",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1}
joints: {slide: {type: prismatic, between: [ground, a], axis: [1, 0]}}
forces:
  f: {type: friction, joint: slide, torque: 1, force: 2, velocity: 0.1}
)",
     R"(m.yaml:6:45: error[model.wrong-joint]: force 'f' has a torque, but joint 'slide' has no angle.
  Give force instead: it acts along the position.)"},
    {"FrictionForceInAHinge",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1}
joints: {pivot: {type: revolute, between: [ground, a]}}
forces:
  f: {type: friction, joint: pivot, force: 1, velocity: 0.1}
)",
     R"(m.yaml:6:44: error[model.wrong-joint]: force 'f' has a force, but joint 'pivot' has no position.
  Give torque instead: it acts about the angle.)"},
    {"RangeOfRepeat",
     R"(bodies:
  link[i]: {repeat: {i: 3}, point_mass: 1}
)",
     R"(m.yaml:2:25: error[model.bad-index]: index 'i' needs a range like 1..n.)"},
    {"IndexNotWhole",
     R"(parameters: {n: 2.5}
bodies:
  link[i]: {repeat: {i: 1..n}, point_mass: 1}
)",
     R"(m.yaml:3:25: error[model.bad-index]: end of the range 'n' is not a whole number.)"},
    {"BadName",
     R"(parameters: {sin: 1}
bodies:
  2nd: {point_mass: 1}
)",
     R"(m.yaml:1:14: error[model.bad-name]: 'sin' cannot name a parameter.
  A name is a letter, then letters, digits, underscores or an index like [3]; it is not a function or a constant.
m.yaml:3:3: error[model.bad-name]: '2nd' cannot name a body.
  A name is a letter, then letters, digits, underscores or an index like [3]; it is not a function or a constant.)"},
    {"NotLinear",
     R"(coordinates: [x, y]
nonholonomic:
  c: x'*y' - 1
)",
     R"(m.yaml:3:3: error[model.not-linear]: constraint 'c' is not linear in the rates.
  A nonholonomic constraint is a sum of rates times functions of position and time.)"},
    {"EmptyConstraint",
     R"(coordinates: [x]
constraints: {c: 1 - t}
)",
     R"(m.yaml:2:15: error[model.empty-constraint]: constraint 'c' does not depend on any quantity.)"},
    {"RateInPotential",
     R"(coordinates: [x]
kinetic: x'^2
potential: x*x'
)",
     R"(m.yaml:3:14: error[model.name-not-allowed]: 'x'' changes during the motion; rates may not stand here.)"},
    {"ServoOfARate",
     R"(coordinates: [x]
servo:
  y: {output: "x'", reference: t}
)",
     R"(m.yaml:3:16: error[model.name-not-allowed]: 'x'' changes during the motion; rates may not stand here.)"},
    {"TableThatDoesNotAscend",
     R"(tables:
  road: {type: linear, x: [0, 0], y: [1, 2]}
)",
     R"(m.yaml:2:3: error[model.bad-table]: table 'road': the points of a table must ascend; point 2 (0.000000) does not.)"},
    {"RunSettings",
     R"(run: {end: -1, sample: 3}
)",
     R"(m.yaml:1:12: error[model.bad-value]: end must be positive.
m.yaml:1:16: error[model.unknown-key]: unknown key 'sample' in run.
  keys: end, step, tolerance, samples, coordinates, formulation, integrator. Did you mean 'samples'?)"},
    {"ZeroInTheFormOfAnotherJoint",
     R"(bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}}
joints:
  s: {type: cylindrical, between: [ground, a], axis: [0, 0, 1], zero: 30 deg}
  r: {type: revolute, between: [a, b], axis: [0, 0, 1], zero: {angle: 1}}
)",
     R"(m.yaml:3:71: error[model.wrong-kind]: zero of joint 's' must be a map: {angle: …, position: …}.
m.yaml:4:63: error[model.wrong-kind]: zero of joint 'r' must be one expression: the joint has one coordinate.)"},
    {"ListForAMap",
     R"(bodies: [a, b]
)",
     R"(m.yaml:1:9: error[model.wrong-kind]: bodies must be a map of keys and values.)"},
    {"AccelerationInAnOutput",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
outputs: {a: "a.x''"}
)",
     R"(m.yaml:5:15: error[model.unknown-name]: 'a.x''' is an acceleration; only values and rates, with one quote, are known here.)"},
    {"DistanceOfCoincidingPoints",
     R"(dimension: 2
bodies:
  a: {mass: 1, inertia: 1, points: {A: [1, 0]}}
  b: {mass: 1, inertia: 1}
joints:
  d: {type: distance, between: [a, b]}
)",
     R"(m.yaml:6:3: error[model.bad-value]: length of joint 'd' must be positive; as placed, its points coincide.
  Give length, or positions of the bodies.)"},
    {"UnknownShape",
     R"(bodies:
  a: {mass: 1, shape: {shpere: {radius: 1}}}
)",
     R"(m.yaml:2:24: error[model.unknown-type]: unknown shape 'shpere' of body 'a'.
  shapes: box, cylinder, disc, rod, sphere. Did you mean 'sphere'?)"},
    {"DensityWithoutVolume",
     R"(bodies:
  a: {density: 1000, shape: {rod: {to: [1, 0, 0]}}}
)",
     R"(m.yaml:2:16: error[model.missing-shape]: body 'a' has a density but no shape with a volume.
  Give mass instead.)"},
    {"InitialOfParameter",
     R"(parameters: {l: 1}
coordinates: [x]
initial: {l: 2, y: 3}
)",
     R"(m.yaml:3:11: error[model.wrong-kind]: 'l' does not change during the motion; it has no initial value.
m.yaml:3:17: error[model.unknown-name]: unknown name 'y'.
  known: l, pi, t, x, x'.)"},
    {"Events",
     R"(coordinates: [x]
kinetic: x'^2/2
parameters: {k: 1}
events:
  a: {stop: true}
  b: {when: x', bounce: 0.5}
  c: {when: x, bounce: 2}
  d: {when: x, set: {kk: 2}}
  e: {when: x, direction: down}
  f: {when: x, impulse: {k: 1}}
)",
     R"(m.yaml:5:3: error[model.missing-key]: event 'a' needs its condition: when.
  Such as `when: ball.y - r`, which happens where that passes through zero.
m.yaml:6:13: error[model.name-not-allowed]: when of event 'b' has 'x''; an impact has a condition of positions.
m.yaml:7:24: error[model.bad-value]: bounce of event 'c' must lie between 0 and 1: the part of the rate that is left.
m.yaml:8:22: error[model.unknown-name]: event 'd' sets 'kk'; there is no such parameter.
m.yaml:9:27: error[model.unknown-type]: direction of event 'e' cannot be 'down'.
  choices: both, falling, rising.
m.yaml:10:26: error[model.wrong-kind]: impulse of event 'f' must be a quantity; 'k' is none.
  Such as pivot.angle, spring.length or rod.A.x.)"},
};

INSTANTIATE_TEST_SUITE_P(Errors, WrongModel, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(ModelErrors, AllMistakesAreReportedTogether) {
  const std::string said = said_about(R"(dimension: 2
parameters: {l: 30 cm, k: l*q}
bodies:
  rod: {mass: -, inertia: 1}
  arm: {inertia: 1}
joints:
  knee: {type: revolute, between: [rod, amr]}
)");
  for (const char* const id :
       {":2:17: error[model.unit-mistake]", ":2:29: error[model.unknown-name]",
        ":4:16: error[expr.syntax]", ":5:3: error[model.missing-mass]",
        ":7:41: error[model.unknown-body]"}) {
    EXPECT_NE(said.find(id), said.npos) << id << " is not in\n" << said;
  }
}

TEST(ModelErrors, UnknownParameterToSetIsNamed) {
  EXPECT_EQ(said_about("parameters: {length: 1}", {.set = {{"lenght", "2"}}}),
            "m.yaml: error[model.unknown-parameter]: there is no parameter 'lenght' to be set.\n"
            "  parameters: length. Did you mean 'length'?");
}

TEST(ModelErrors, MissingFileIsNamed) {
  EXPECT_EQ(testing::error_of([&] { read_model("no/such/model.yaml"); }),
            "no/such/model.yaml: error[model.no-file]: cannot read the file.");
}

TEST(ModelErrors, BuiltInCppIsCheckedToo) {
  Model model;
  Body body;
  body.name = "rod";
  body.mass = -1;
  const int rod = model.add_body(body);
  Joint joint;
  joint.name = "hinge";
  joint.law = Revolute::law();
  joint.a = joint.b = make_marker(rod, {});
  model.add_joint(joint);
  EXPECT_EQ(testing::error_of([&] { model.validate(); }),
            "error[model.bad-mass]: body 'rod' has the mass -1; it must not be negative.\n"
            "error[model.self-joint]: joint 'hinge' joins body 'rod' to itself.");
}

TEST(ModelErrors, KnowTheElementThatTheyAreAboutAndTheNameThatItUses) {
  try {
    read_model_text(R"(
dimension: 2
bodies: {rod: {mass: 1, inertia: 1}}
joints:
  knee: {type: revolute, between: [rod, thigh]}
forces:
  pull: {type: force, on: rod, force: [hip.angle, 0]}
  push: {type: force, on: rod, forse: [1, 0]}
)",
                    "m.yaml", {});
    FAIL();
  } catch (const Error& error) {
    ASSERT_EQ(error.diagnostics().size(), 3U) << error.what();
    const Diagnostic& body = error.diagnostics()[0];
    EXPECT_EQ(body.subject, "knee");
    EXPECT_EQ(body.cause, Cause::UnknownName);
    EXPECT_EQ(body.named, "thigh");
    const Diagnostic& name = error.diagnostics()[1];
    EXPECT_EQ(name.subject, "pull");
    EXPECT_EQ(name.cause, Cause::UnknownName);
    EXPECT_EQ(name.named, "hip.angle");
    const Diagnostic& key = error.diagnostics()[2];
    EXPECT_EQ(key.subject, "push");
    EXPECT_EQ(key.cause, Cause::UnknownKey);
    EXPECT_EQ(key.named, "force");
  }
}

TEST(Places, AreThoseOfTheSubjectAndNotOfNamesInTheText) {
  const Model model = read_model_text(
      "dimension: 2\n"
      "coordinates: [s]\n"
      "bodies: {rod: {mass: 1, inertia: 1}}\n"
      "initial:\n"
      "  s: 2\n",
      "m.yaml", {});
  const Places places(model);
  const auto line_of = [&](const Error& error) {
    return places.locate(error).diagnostics()[0].where.line;
  };
  EXPECT_EQ(line_of(Error("a.b", "'s' is wrong.").about("rod.rigid11")), 3);
  EXPECT_EQ(line_of(Error("a.b", "'rod' is wrong.").about("s'")), 2);
  EXPECT_EQ(line_of(Error("a.b", "wrong.").about("s").because(Cause::InitialValue)), 5);
  EXPECT_EQ(line_of(Error("a.b", "'rod' is wrong.")), 0);
  EXPECT_EQ(line_of(Error("a.b", "wrong.").about("crank")), 0);
}

}  // namespace
}  // namespace koppel

// Fields of elements. An element of a model (a spring, a hinge) is a plain struct, and one table
// says what each of its members is called in model files, what it means and in which unit. The
// readers, the JSON Schema, the reference of the model format and other languages go by the table.
//
//   struct Effort {
//     static constexpr ElementInfo kInfo{"effort", "…"};
//     std::optional<Observed> on;
//     std::optional<Expr> effort;
//     static const std::vector<Field<Effort>>& fields();
//     void add_to(ModelWriter& writer) const;  // its checks, and what it adds to the model
//   };
//
// A new element is such a struct in two files and a line in list.hpp. In C++ it is added as it is
// written in a file: mechanism.add("push", Effort{.on = slider.position(), .effort = 3}).
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <koppel/base/csv.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// Which names an expression may have, each with all before it.
enum class Allow { Parameters, Time, Positions, Everything };

// OneTurn: an angle; a plain number beyond a turn was meant in degrees.
enum class Bound { None, NotNegative, Positive, OneTurn };

// What can be said about an element itself.
struct ElementInfo {
  std::string_view type;  // in model files
  std::string_view text;  // what it is or holds, a phrase
  bool in_plane = true, in_space = true;
};

// A field that messages name as the element itself.
inline constexpr std::string_view kItself = "itself";

struct FieldInfo {
  std::string_view key;
  std::string_view text;               // what it is, a phrase
  std::string_view unit = {};          // SI; empty: none, or it depends
  std::string_view unless_given = {};  // the value then, for people; empty: it must be given
  Allow allow = Allow::Parameters;
  Bound bound = Bound::None;
  std::vector<std::string_view> words = {};  // of a choice
  bool alone = false;                        // the element may be written as this value alone
  std::string_view called = {};              // by messages; empty: its key
  int size = 0;                              // how many numbers a list has; 0: any
};

// A point of a body, or a body by itself (its origin).
struct Place {
  int body = kGround;
  Vec3e at = {};                   // in the body frame
  Mat3e axes = Mat3e::identity();  // what directions beside it refer to, in the body frame
  bool is_origin = true;           // the body by itself
};

// The two ends of a joint or a spring.
struct Ends {
  Ends() = default;
  Ends(Place first, Place second) : a(std::move(first)), b(std::move(second)), is_given(true) {}
  Place a, b;
  bool is_given = false;
};

// A direction of any length but zero: in the body frame, or in world axes.
struct Direction {
  Direction() = default;
  Direction(Expr x, Expr y, Expr z = 0) : value{x, y, z} {}
  Vec3e value = {};
  bool is_in_world = false;
};

// Two of them, one for each body of a joint.
struct Directions {
  Directions() = default;
  Directions(Direction first, Direction second) : a(first), b(second), is_given(true) {}
  Direction a, b;
  bool is_given = false;
};

// The angle or position of a joint that has one; any quantity.
struct Coordinate {
  int quantity = -1;
};
struct Observed {
  int quantity = -1;
};

// Something of a joint's coordinate; a joint with two coordinates has two.
struct JointValue {
  JointValue() = default;
  JointValue(Expr only) : value(only) {}    // NOLINT(google-explicit-constructor)
  JointValue(double only) : value(only) {}  // NOLINT(google-explicit-constructor)
  std::optional<Expr> value = {}, angle = {}, position = {};
  bool is_given() const { return value || angle || position; }
};

struct Word {
  int value = 0;  // the index of the word; −1: none
};

// Numbers in a list, or one that stands for itself.
struct Numbers {
  Numbers() = default;
  Numbers(std::initializer_list<Expr> list) : values(list) {}
  Numbers(Expr only) : values{only}, is_list(false) {}  // NOLINT(google-explicit-constructor)
  Numbers(double only)
      : values{Expr(only)}, is_list(false) {}  // NOLINT(google-explicit-constructor)
  std::vector<Expr> values;
  bool is_list = true;  // an empty list that is given is none
  bool is_given() const { return !is_list || !values.empty(); }
};

// Rows of a matrix, or its diagonal as the only row.
struct Rows {
  Rows() = default;
  Rows(std::initializer_list<Expr> diagonal) : rows{diagonal}, is_diagonal(true) {}
  std::vector<std::vector<Expr>> rows;
  bool is_diagonal = false;
  bool is_given() const { return !rows.empty(); }
};

// A point and a direction in the axes of the model (of a sub-assembly).
struct WorldPoint {
  WorldPoint() = default;
  WorldPoint(Expr x, Expr y, Expr z = 0) : value{x, y, z} {}
  Vec3e value = {};
};
struct WorldDirection {
  WorldDirection() = default;
  WorldDirection(Expr x, Expr y, Expr z = 0) : value{x, y, z} {}
  Vec3e value = {};
};

// Values that parameters get, and efforts on quantities, by their names in files.
struct Assignments {
  struct Assignment {
    Expr parameter, value;
  };
  std::vector<Assignment> values;
};
struct Efforts {
  std::vector<Action> values;
};

// Names in a list.
struct Texts {
  std::vector<std::string> values = {};
  bool is_list = true;
  bool is_given() const { return !is_list || !values.empty(); }
};

// Numbers of a list by their values: other values of parameters do not change them. Empty: no list.
struct PlainNumbers {
  std::vector<double> values = {};
};

// Numbers, or points, that a curve passes: by component.
struct WayPoints {
  std::vector<std::vector<double>> components = {};
  bool is_path = false;  // points
  std::size_t size() const { return components.empty() ? 0 : components[0].size(); }
};

// A file of comma-separated values, whose first column is the time.
struct SampleFile {
  std::string name;
  CsvColumns data;  // without columns: it could not be read
};

// A place in world axes by two or three coordinates, for pictures; several of them.
struct Spot {
  Vec3e at = {};
};
struct Corners {
  std::vector<Vec3e> values = {};
};

// Points and directions of a body, by names of their own.
struct NamedPoints {
  std::vector<NamedVector> values = {};
};
struct NamedAxes {
  std::vector<NamedVector> values = {};
};

// Points and vectors of the user's own, among Model::elements.
struct OwnPoints {
  std::vector<int> values = {};
  bool is_given = false, is_known = true;  // is_known: all that are named are there
};

// Numbers for the parameters of another file.
struct Settings {
  struct Setting {
    std::string name;
    Expr value;
    double number;
  };
  std::vector<Setting> values = {};
};

struct AxisAngle;    // elements/placing.hpp
struct Orientation;  // the same
struct Shapes;       // elements/shapes.hpp

// A member as the readers see it: what kind of value it takes.
template <typename E>
using Member =
    std::variant<std::optional<Expr> E::*, bool E::*, Word E::*, std::optional<Place> E::*,
                 Ends E::*, std::optional<Direction> E::*, Directions E::*,
                 std::optional<WorldPoint> E::*, std::optional<WorldDirection> E::*, Numbers E::*,
                 Rows E::*, std::optional<Coordinate> E::*, std::optional<Observed> E::*,
                 JointValue E::*, Assignments E::*, Efforts E::*, std::optional<double> E::*,
                 std::optional<std::string> E::*, Texts E::*, PlainNumbers E::*, WayPoints E::*,
                 std::optional<SampleFile> E::*, std::optional<Spot> E::*, Corners E::*,
                 NamedPoints E::*, NamedAxes E::*, OwnPoints E::*, Settings E::*, AxisAngle E::*,
                 Orientation E::*, Shapes E::*>;
enum class FieldKind {
  Number,
  Flag,
  Word,
  Point,
  Ends,
  Axis,
  Axes,
  WorldPoint,
  WorldDirection,
  Numbers,
  Matrix,
  Joint,
  Quantity,
  JointValue,
  Assignments,
  Efforts,
  Value,  // a number whose value is built in
  Text,
  Texts,
  PlainNumbers,
  WayPoints,
  SampleFile,
  Spot,
  Corners,
  NamedPoints,
  NamedAxes,
  OwnPoints,
  Settings,
  AxisAngle,
  Orientation,
  Shapes
};

template <typename E>
struct Field {
  FieldInfo info;
  Member<E> member;

  FieldKind kind() const { return static_cast<FieldKind>(member.index()); }
};

// Tables one after the other.
template <typename E>
std::vector<Field<E>> operator+(std::vector<Field<E>> a, const std::vector<Field<E>>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace koppel

// Where a frame is expected: its origin, and its rotation in one of several ways.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct AxisAngle {
  static constexpr ElementInfo kInfo{"rotation", "about an axis"};

  std::optional<WorldDirection> axis = {};
  std::optional<Expr> angle = {};
  bool is_given = false;

  static const std::vector<Field<AxisAngle>>& fields();
};

struct Orientation {
  static constexpr ElementInfo kInfo{"orientation", "a rotation in space"};

  AxisAngle rotation = {};
  Numbers quaternion = {}, cardan = {};
  bool is_given = false;

  static const std::vector<Field<Orientation>>& fields();
};

struct Placing : Orientation {
  std::optional<WorldPoint> position = {};
  std::optional<Expr> angle = {};
};

// `rotation`, `quaternion` and `cardan`.
template <typename E>
std::vector<Field<E>> orientation_fields() {
  return {{{"rotation", "`{axis: [x, y, z], angle: a}`", {}, "none"}, &E::rotation},
          {{.key = "quaternion",
            .text = "`[e0, e1, e2, e3]`, scalar first, of any length",
            .unless_given = "none",
            .size = 4},
           &E::quaternion},
          {{.key = "cardan",
            .text = "`[a, b, c]`: about x, then the new y, then the new z",
            .unit = "rad",
            .unless_given = "none",
            .bound = Bound::OneTurn,
            .size = 3},
           &E::cardan}};
}

// Those, `position` and `angle`.
template <typename E>
std::vector<Field<E>> placing_fields() {
  return std::vector<Field<E>>{
             {{"position", "the origin of the frame, in world coordinates", "m", "zero"},
              &E::position},
             {{.key = "angle",
               .text = "planar: the rotation of the frame",
               .unit = "rad",
               .unless_given = "zero",
               .bound = Bound::OneTurn},
              &E::angle}} +
         orientation_fields<E>();
}

// The rotation; what is wrong with it is a mistake in `key`, or of the element.
Mat3e turned(ModelWriter& writer, const Orientation& orientation, std::string_view key);
MarkerFrame placed(ModelWriter& writer, const Placing& placing);

}  // namespace koppel

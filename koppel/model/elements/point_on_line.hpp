// The point of b on the z axis of a.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct PointOnLine {
  static constexpr ElementInfo kInfo{"point-on-line",
                                     "the point of the second on the axis of the first"};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  bool closes = false;

  static const std::vector<Field<PointOnLine>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

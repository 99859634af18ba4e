// The point of b in the x-y plane of a.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct PointOnPlane {
  static constexpr ElementInfo kInfo{
      "point-on-plane", "the point of the second in the plane of the first with normal `axis`",
      false};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  bool closes = false;

  static const std::vector<Field<PointOnPlane>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

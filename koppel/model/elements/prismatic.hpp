// A slider: the point of b on the z axis of a, no rotation.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Prismatic {
  static constexpr ElementInfo kInfo{
      "prismatic", "the point of the second body on the axis of the first, no rotation"};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  JointValue zero = {}, drive = {};
  Word jump{-1};
  bool closes = false;

  static const std::vector<Field<Prismatic>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

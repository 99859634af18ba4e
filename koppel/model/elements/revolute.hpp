// A hinge: the points coincide, the z axes are parallel.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Revolute {
  static constexpr ElementInfo kInfo{"revolute", "the points together, the axes parallel"};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  JointValue zero = {}, drive = {};
  Word jump{-1};
  bool closes = false;

  static const std::vector<Field<Revolute>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

// A Cardan joint: the points coincide, z of a stays perpendicular to x of b.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Universal {
  static constexpr ElementInfo kInfo{"universal", "the points together, the two axes perpendicular",
                                     false};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  Directions axes = {};
  bool closes = false;

  static const std::vector<Field<Universal>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

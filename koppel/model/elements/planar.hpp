// The x-y planes coincide.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Planar {
  static constexpr ElementInfo kInfo{"planar", "the planes with the normal `axis` together", false};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  bool closes = false;

  static const std::vector<Field<Planar>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

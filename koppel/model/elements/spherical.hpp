// A ball joint: the points coincide.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Spherical {
  static constexpr ElementInfo kInfo{"spherical", "the points together", false};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  bool closes = false;

  static const std::vector<Field<Spherical>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

// A weld.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Fixed {
  static constexpr ElementInfo kInfo{"fixed", "the points together, no rotation"};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  bool closes = false;

  static const std::vector<Field<Fixed>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

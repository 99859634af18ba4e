// A force at a point of a body, in world axes or in those of the body.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct AppliedForce {
  static constexpr ElementInfo kInfo{"force", "a force at a point"};

  std::optional<Place> on = {};
  Numbers force = {};
  Word frame = {};  // 0: world, 1: body
  bool stiff = false;

  static const std::vector<Field<AppliedForce>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

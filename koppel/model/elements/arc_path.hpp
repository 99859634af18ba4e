// A path along a circle.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct ArcPath {
  static constexpr ElementInfo kInfo{"arc",
                                     "a path along a circle, `name.x`, `name.y` and `name.z`"};

  std::optional<WorldPoint> center = {}, from = {};
  std::optional<Expr> angle = {};
  std::optional<WorldDirection> axis = {};
  std::optional<Expr> law = {};

  static const std::vector<Field<ArcPath>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

// A straight path from a point to another.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct LinePath {
  static constexpr ElementInfo kInfo{"line", "a straight path, `name.x`, `name.y` and `name.z`"};

  std::optional<WorldPoint> from = {}, to = {};
  std::optional<Expr> law = {};

  static const std::vector<Field<LinePath>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

// Points and vectors of the user's own, whose world components are coordinates.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct OwnPoint {
  static constexpr ElementInfo kInfo{"point", "whose components are coordinates"};

  std::optional<WorldPoint> start = {};
  std::optional<std::string> moves = {};
  Numbers is = {};

  static const std::vector<Field<OwnPoint>>& fields();
  // The index among Model::elements; nothing: there is a mistake.
  std::optional<int> add_as(ModelWriter& writer, bool is_point) const;
};

}  // namespace koppel

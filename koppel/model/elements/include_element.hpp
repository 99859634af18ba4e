// A sub-assembly: the model of another file, or a robot, at a place.
#pragma once

#include <koppel/model/elements/placing.hpp>

namespace koppel {

struct IncludeElement : Placing {
  static constexpr ElementInfo kInfo{"sub-assembly", "the model of another file, or a robot"};

  std::optional<std::string> file = {}, urdf = {};
  bool floating = false;
  Settings parameters = {};

  static const std::vector<Field<IncludeElement>>& fields();
};

}  // namespace koppel

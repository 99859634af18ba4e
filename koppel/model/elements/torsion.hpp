// A spring and damper in a joint, on its angle or position.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Torsion {
  static constexpr ElementInfo kInfo{"torsion",
                                     "a spring in a joint, on its angle or position: "
                                     "`-stiffness*(angle - rest) - damping*angle' + effort`"};

  std::optional<Coordinate> joint = {};
  std::optional<Expr> stiffness = {}, rest = {}, damping = {}, effort = {};
  bool stiff = false;

  static const std::vector<Field<Torsion>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

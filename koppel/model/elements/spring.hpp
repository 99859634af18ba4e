// Springs and dampers between two points: the tension k (length − free_length) + d length' +
// tension pulls them together.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Spring {
  static constexpr ElementInfo kInfo{
      "spring",
      "a pull between two points: `stiffness*(length - free_length) + damping*length' + tension`"};

  Ends between = {};
  std::optional<Expr> stiffness = {}, free_length = {}, damping = {}, tension = {};
  bool stiff = false;

  static const std::vector<Field<Spring>>& fields();
  // `name.length`; known to the spring's own expressions.
  void announce(ModelWriter& writer) const;
  void add_to(ModelWriter& writer) const;
};

// A spring by another name: of a damper, the damping is what one gives.
struct Damper : Spring {
  static constexpr ElementInfo kInfo{"damper", "the same"};
  static const std::vector<Field<Damper>>& fields();
};

}  // namespace koppel

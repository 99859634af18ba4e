// The z axes are on one line: turning and sliding.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Cylindrical {
  static constexpr ElementInfo kInfo{"cylindrical", "the axes on one line", false};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  JointValue zero = {}, drive = {};  // {angle: …, position: …}
  Word jump{-1};
  bool closes = false;

  static const std::vector<Field<Cylindrical>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law();
};

}  // namespace koppel

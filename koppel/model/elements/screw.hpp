// The z axes are on one line, and a turn advances by the pitch:
//   z_a·d − pitch·angle/2π = 0.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Screw {
  static constexpr ElementInfo kInfo{
      "screw", "the axes on one line, with displacement `pitch` a turn", false};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Direction> axis = {};
  Directions axes = {};
  std::optional<Expr> pitch = {};
  JointValue zero = {}, drive = {};
  Word jump{-1};
  bool closes = false;

  static const std::vector<Field<Screw>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law(Expr pitch);
};

}  // namespace koppel

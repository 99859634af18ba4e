// A massless rod: d·d − L² = 0.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Distance {
  static constexpr ElementInfo kInfo{"distance", "the distance of the points"};

  Ends between = {};
  std::optional<WorldPoint> at = {};
  std::optional<Expr> length = {};  // as placed unless given
  JointValue drive = {};            // the length over time
  Word jump{-1};
  bool closes = false;

  static const std::vector<Field<Distance>>& fields();
  void add_to(ModelWriter& writer) const;
  static std::shared_ptr<const JointLaw> law(Expr length);
};

}  // namespace koppel

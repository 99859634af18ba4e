// A time law from 0 to 1 that moves uniformly between two ramps (model/time_law.hpp).
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct ThreePhase {
  static constexpr ElementInfo kInfo{
      "three-phase",
      "a time law from 0 to 1 that speeds up during `ramp`, moves uniformly and slows down again"};

  std::optional<Expr> duration = {}, ramp = {};
  std::optional<double> smoothness = {};
  std::optional<Expr> start = {};

  static const std::vector<Field<ThreePhase>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

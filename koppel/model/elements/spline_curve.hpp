// A smooth curve through way-points (model/smooth_curve.hpp).
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct SplineCurve {
  static constexpr ElementInfo kInfo{"spline",
                                     "the evenest curve through way-points, numbers or points, "
                                     "with 2n continuous derivatives inside"};

  PlainNumbers at = {};
  WayPoints through = {};
  std::optional<Expr> of = {};
  std::optional<double> smoothness = {};
  Word ends{-1};

  static const std::vector<Field<SplineCurve>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

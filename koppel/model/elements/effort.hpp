// A generalised force on any quantity, by its power: effort × rate.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Effort {
  static constexpr ElementInfo kInfo{"effort",
                                     "a force on any quantity, by its power effort × rate"};

  std::optional<Observed> on = {};
  std::optional<Expr> effort = {};
  bool stiff = false;

  static const std::vector<Field<Effort>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

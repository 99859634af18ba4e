// A time law from 0 to 1, at rest at both ends (model/time_law.hpp).
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct RestToRest {
  static constexpr ElementInfo kInfo{
      "rest-to-rest",
      "a time law from 0 to 1: the polynomial of degree 2n + 1 whose first n derivatives vanish at "
      "both ends"};

  std::optional<Expr> duration = {};
  std::optional<double> smoothness = {};
  std::optional<Expr> start = {};

  static const std::vector<Field<RestToRest>>& fields();
  void add_to(ModelWriter& writer) const;
};

// What time laws have in common: a time that is positive and given, and the time since the start.
bool has_time(ModelWriter& writer, std::string_view key, const std::optional<Expr>& time);
Expr since_start(const ModelWriter& writer, const std::optional<Expr>& start);

}  // namespace koppel

// Events: what happens when an expression passes through zero.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct EventElement {
  static constexpr ElementInfo kInfo{"event",
                                     "what happens when an expression passes through zero"};

  std::optional<Expr> when = {};
  Word direction{-1};  // both, falling, rising
  bool stop = false;
  std::optional<Expr> bounce = {};
  Assignments set = {};
  Efforts impulse = {};

  static const std::vector<Field<EventElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

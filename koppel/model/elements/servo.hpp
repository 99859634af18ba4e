// Servo constraints: an output that shall follow a reference, or the attitude of a body.
#pragma once

#include <koppel/model/elements/placing.hpp>

namespace koppel {

struct ServoElement {
  static constexpr ElementInfo kInfo{"servo constraint", "an output that shall follow a reference"};

  std::optional<Expr> output = {}, reference = {};

  static const std::vector<Field<ServoElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

// Three outputs (model/attitude.hpp).
struct AttitudeElement {
  static constexpr ElementInfo kInfo{
      "servo constraint", "the attitude of a body, which turns about one axis; three outputs"};

  std::optional<Place> attitude = {};
  Orientation from = {}, to = {};
  std::optional<Expr> law = {};

  static const std::vector<Field<AttitudeElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

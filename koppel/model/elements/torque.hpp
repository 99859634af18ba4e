// A torque on a body, with the opposite one on another if given.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct Torque {
  static constexpr ElementInfo kInfo{
      "torque", "a torque on a body, with the opposite one `against` another if given"};

  std::optional<Place> on = {}, against = {};
  Numbers torque = {};  // in the plane a number
  Word frame = {};      // 0: world, 1: body
  bool stiff = false;

  static const std::vector<Field<Torque>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

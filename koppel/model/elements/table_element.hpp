// A function of one variable, by points.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct TableElement {
  static constexpr ElementInfo kInfo{"table", "a function of one variable, by points"};

  Word type{0};
  PlainNumbers x = {}, y = {};
  Word outside{0};

  static const std::vector<Field<TableElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

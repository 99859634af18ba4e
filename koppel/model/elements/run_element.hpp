// Settings of a run: the defaults of the command line's options.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct RunElement {
  static constexpr ElementInfo kInfo{"run", "settings of a run"};

  std::optional<Expr> end = {}, step = {}, tolerance = {}, samples = {};
  std::optional<std::string> coordinates = {}, formulation = {}, integrator = {};

  static const std::vector<Field<RunElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel

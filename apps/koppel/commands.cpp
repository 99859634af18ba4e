#include "apps/koppel/commands.hpp"

#include <algorithm>

namespace koppel::app {

const std::vector<Command>& commands() {
  static const std::vector<Command> kCommands = {
      run_command(),       budget_command(),    check_command(), compare_command(),
      equations_command(), export_command(),    expr_command(),  inverse_command(),
      live_command(),      models_command(),    play_command(),  sensitivity_command(),
      optimize_command(),  fit_command(),       sweep_command(), new_command(),
      explain_command(),   completion_command()};
  return kCommands;
}

bool Command::takes_model() const {
  const OptionTable& all = options();
  return std::any_of(all.begin(), all.end(),
                     [](const Option& option) { return option.typed() == "MODEL"; });
}

}  // namespace koppel::app

// koppel budget: what a step of fixed cost costs and how long it may be, before anything runs.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include <koppel/simulate/budget.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/method_options.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {

void add_budget(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "budget", "Show the cost of a real-time step and which step sizes are stable");
  struct Options {
    std::shared_ptr<ModelOptions> model;
    std::shared_ptr<MethodOptions> method;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  options->model = add_model_options(*command);
  options->method = add_method_options(*command);
  command->add_flag("--json", options->json, "Print the budget as JSON");
  command->footer("Example:\n  koppel budget car_axle --step 1e-3");
  command->callback([options] {
    const Model model = load(*options->model);
    const Budget budget =
        make_budget(model, simulate_options(*options->method, *options->model, model));
    std::printf("%s%s", (options->json ? to_json(budget) : with_flags(to_text(budget))).c_str(),
                options->json ? "\n" : "");
  });
}

}  // namespace koppel::app

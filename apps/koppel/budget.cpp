// koppel budget: what a step of fixed cost costs and how long it may be, before anything runs.

#include <cstdio>

#include <koppel/simulate/budget.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/common_options.hpp"
#include "apps/koppel/model_options.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel::app {

namespace {

struct BudgetOptions {
  ModelOptions model;
  MethodRequest method;
  bool json = false;

  static const OptionTable& options();
};

const OptionTable& BudgetOptions::options() {
  using O = BudgetOptions;
  static const OptionTable kOptions =
      within(&O::model) + within(&O::method) + OptionTable{json_option(&O::json, "budget")};
  return kOptions;
}

void print_budget(const BudgetOptions& options) {
  const Model model = load(options.model);
  const Budget budget = make_budget(model, simulate_options(options.method, options.model, model));
  std::printf("%s%s", (options.json ? to_json(budget) : with_flags(to_text(budget))).c_str(),
              options.json ? "\n" : "");
}

}  // namespace

Command budget_command() {
  return CommandOf<print_budget>::make(
      "budget", "Show the cost of a real-time step and which step sizes are stable",
      "Example:\n  koppel budget car_axle --step 1e-3");
}

}  // namespace koppel::app

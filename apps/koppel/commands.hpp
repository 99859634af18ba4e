// The subcommands: one function and one file each. The function adds its subcommand to the
// program: options, help and callback together.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace koppel::app {

enum class ExitCode : int {
  kDone = 0,
  kWrongInput = 1,      // the model or the arguments are wrong
  kNumericsFailed = 2,  // with all results up to there kept
};

// Thrown by a subcommand that cannot go on; the message goes to standard error as it is.
// A koppel::Error, for mistakes in the input, does the same with kWrongInput.
struct Failure {
  ExitCode code;
  std::string message;
};

void add_budget(CLI::App& program);
void add_check(CLI::App& program);
void add_compare(CLI::App& program);
void add_completion(CLI::App& program);
void add_equations(CLI::App& program);
void add_explain(CLI::App& program);
void add_export(CLI::App& program);
void add_expr(CLI::App& program);
void add_fit(CLI::App& program);
void add_inverse(CLI::App& program);
void add_live(CLI::App& program);
void add_new(CLI::App& program);
void add_optimize(CLI::App& program);
void add_run(CLI::App& program);
void add_sensitivity(CLI::App& program);
void add_sweep(CLI::App& program);
void add_models(CLI::App& program);

}  // namespace koppel::app

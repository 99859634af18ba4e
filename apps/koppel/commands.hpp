// The commands: one file each, with a struct of options, its table, and what runs with them.
#pragma once

#include <string>
#include <vector>

#include "apps/koppel/command.hpp"

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

// All of them, as the help lists them.
const std::vector<Command>& commands();

Command budget_command();
Command check_command();
Command compare_command();
Command completion_command();
Command equations_command();
Command explain_command();
Command export_command();
Command expr_command();
Command fit_command();
Command inverse_command();
Command live_command();
Command models_command();
Command new_command();
Command optimize_command();
Command play_command();
Command run_command();
Command sensitivity_command();
Command sweep_command();

}  // namespace koppel::app

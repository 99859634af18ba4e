// From what a program does to its exit code, with the message on standard error.
#pragma once

#include <functional>

#include "apps/koppel/commands.hpp"

namespace koppel::app {

// Does the work. What it throws goes to standard error, with the flags of the command line
// (with_flags.hpp) and the places in the model that was loaded last.
ExitCode exit_code_of(const std::function<void()>& work);

// The code at the end: that of work, or of a failure where standard output could not take all.
ExitCode finish_output(ExitCode code);

}  // namespace koppel::app

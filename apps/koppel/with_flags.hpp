// The library names its options and operations in backquotes, as fields and functions: "Take a
// shorter `step`.", "Try `integrator = radau5`.", "`simulate` computes it." The program says the
// same as a user of the command line would type it: --step, --integrator radau5, `koppel run`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <koppel/results/report.hpp>

namespace koppel::app {

// What stands in other backquotes is left as it is.
std::string with_flags(std::string_view text);
std::vector<std::string> with_flags(std::vector<std::string> texts);
Report with_flags(Report report);  // its messages and alarms

}  // namespace koppel::app

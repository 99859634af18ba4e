// The part of docs/validation.md about mechanisms that follow a hand, with its figures.
#pragma once

#include <string>

namespace koppel::problems {

// Figures are written to a folder, if one is given.
void report_tracking(const std::string& figures);

}  // namespace koppel::problems

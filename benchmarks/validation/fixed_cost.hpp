// The part of docs/validation.md about steps of fixed cost, with its figures.
#pragma once

#include <string>

namespace koppel::problems {

// Figures are written to a folder, if one is given.
void report_fixed_cost(const std::string& figures);

}  // namespace koppel::problems

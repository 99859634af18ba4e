// The part of docs/validation.md about integrators that preserve structure, with its figures.
#pragma once

#include <string>

namespace koppel::problems {

// Figures are written to a folder, if one is given.
void report_structure(const std::string& figures);

}  // namespace koppel::problems

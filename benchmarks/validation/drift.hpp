// Formulations beside each other, table 1 and figure 3 of [Kurz, Burkhardt & Eberhard 2011]: a part
// of docs/validation.md.
#pragma once

#include <string>

namespace koppel::problems {

// Prints it, and writes its figure to the folder; an empty one: none.
void report_drift(const std::string& figures);

}  // namespace koppel::problems

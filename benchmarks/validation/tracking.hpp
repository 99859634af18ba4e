// Mechanisms that follow a hand, beside [Lipovac 2020]: tables and figures.
#pragma once

#include <string>

namespace koppel::problems {

// Figures are written to a folder, if one is given.
void report_tracking(const std::string& figures);

}  // namespace koppel::problems

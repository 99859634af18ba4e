// Fixed-cost steps beside [Burgermeister, Arnold & Esterl 2006]: tables and figures.
#pragma once

#include <string>

namespace koppel::problems {

// Figures are written to a folder, if one is given.
void report_fixed_cost(const std::string& figures);

}  // namespace koppel::problems

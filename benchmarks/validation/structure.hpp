// Integrators that preserve structure beside [Yang 2017]: tables and figures.
#pragma once

#include <string>

namespace koppel::problems {

// Figures are written to a folder, if one is given.
void report_structure(const std::string& figures);

}  // namespace koppel::problems

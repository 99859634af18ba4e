// Inverse dynamics beside the figures of [Yang 2017]: tables and figures.
#pragma once

#include <string>

namespace koppel::problems {

// Prints it, and writes its figures to the folder; an empty one: none.
void report_servo(const std::string& figures);

}  // namespace koppel::problems

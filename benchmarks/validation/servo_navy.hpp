// The US Navy cranes and the cable manipulator of [Yang 2017, chapter 6]: tables and figures.
#pragma once

#include <string>

namespace koppel::problems {

// Prints it, and writes its figures to the folder; an empty one: none.
void report_navy(const std::string& figures);

}  // namespace koppel::problems

// Figures 1 and 3 of [Burgermeister, Arnold & Esterl 2006]: stability regions of the partitioned
// linear-implicit Euler method, and drift on the circular track.
#pragma once

#include <string>

namespace koppel::problems {

void report_stability(const std::string& figures);
void report_track(const std::string& figures);

}  // namespace koppel::problems

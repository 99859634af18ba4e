// How the numbers of docs/validation.md are measured and written.
#pragma once

#include <string>
#include <vector>

#include <problems/validation.hpp>

namespace koppel::problems {

std::string power(double tolerance);  // 1e-6
std::string error_text(double error);
std::string milliseconds(double seconds);

// A comparison; quick ones again, for their time.
Comparison measure(const Model& model, const Setting& setting, const Trajectory& known,
                   const std::vector<std::string>& positions);

// The row of a comparison behind these cells.
void print_comparison(std::vector<std::string> cells, const Comparison& c, bool with_energy);

}  // namespace koppel::problems

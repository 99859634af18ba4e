// Why a result is not a finite number.
#pragma once

#include <optional>
#include <span>
#include <string>

#include <koppel/expr/code/program.hpp>

namespace koppel {

// Evaluates the program value by value and describes the first operation whose operands are finite
// but whose result is not, or is outside its domain.
std::optional<std::string> diagnose(const Program& program, std::span<const double> in);

}  // namespace koppel

// The operations a node of the expression graph can have. Everything else about an operation
// stands in one table: operations.hpp.
#pragma once

#include <cstdint>

namespace koppel {

// clang-format off
enum class Op : std::uint8_t {
  Constant, Symbol,
  // of one operand
  Neg, Sqrt, Exp, Log, Sin, Cos, Tan, Asin, Acos, Atan, Sinh, Cosh, Tanh, Abs, Sign, Table,
  // of two
  Add, Sub, Mul, Div, Pow, Atan2, Min, Max, Less, LessEqual, Equal,
  // of three
  Select,
};
// clang-format on

inline constexpr int kNumOps = static_cast<int>(Op::Select) + 1;

}  // namespace koppel

// The functions of koppel/runtime that programs call, in WebAssembly: operation by operation those
// of the C, so that results are the same to the last bit. Added to a module when first needed.
// Those of numbers alone are translated (c_to_wasm.hpp); tables, which are in memory, are written
// here.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <koppel/expr/code/c_to_wasm.hpp>
#include <koppel/expr/code/wasm_code.hpp>
#include <koppel/expr/graph/op.hpp>

namespace koppel::wasm {

class Kernels {
 public:
  explicit Kernels(Module& module) : module_(module), functions_(module) {}

  // koppel_turn of runtime/trig.h: x → sine, cosine.
  std::uint32_t turn() { return functions_["koppel_turn"]; }
  // Our own one of libm's: its operands → value.
  std::uint32_t function(Op op);
  // koppel_table of runtime/table.h for derivatives of this order: x, address of the data, number
  // of points → value.
  std::uint32_t table(int order);

  Module& module() { return module_; }

 private:
  Module& module_;
  CFunctions functions_;
  std::array<std::optional<std::uint32_t>, 4> tables_;
};

}  // namespace koppel::wasm

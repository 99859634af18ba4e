// The functions of koppel/runtime that programs call, in WebAssembly: operation by operation those
// of the C, so that results are the same to the last bit. Added to a module when first needed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <koppel/expr/code/wasm_code.hpp>

namespace koppel::wasm {

class Kernels {
 public:
  explicit Kernels(Module& module) : module_(module) {}

  // koppel_turn of runtime/trig.h: x → sine, cosine.
  std::uint32_t turn();
  // koppel_table of runtime/table.h for derivatives of this order: x, address of the data, number
  // of points → value.
  std::uint32_t table(int order);

  Module& module() { return module_; }

 private:
  std::uint32_t reduce_far();

  Module& module_;
  std::optional<std::uint32_t> turn_;
  std::array<std::optional<std::uint32_t>, 4> tables_;
};

}  // namespace koppel::wasm

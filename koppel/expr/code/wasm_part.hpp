// A part of a Program as the code of one WebAssembly function. See emit_wasm.hpp.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include <koppel/expr/code/program.hpp>
#include <koppel/expr/code/wasm_kernels.hpp>

namespace koppel {

inline constexpr std::uint32_t kNowhere = 0xFFFFFFFFu;

// Where values stand that come from outside of the part of a program, and where to put those that
// others read.
struct WasmPlaces {
  std::vector<std::uint32_t> load, store;                           // by value: addresses, or none
  std::unordered_map<ValueId, std::vector<std::uint32_t>> outputs;  // addresses
  std::vector<std::uint32_t> tables;                                // addresses
};

// By value, for one part after the other, which leave them as they were.
struct WasmWorkspace {
  explicit WasmWorkspace(const Program& program)
      : uses(program.num_values(), 0), last(program.num_values(), 0) {
    local.assign(program.num_values(), kNowhere);
  }
  std::vector<std::uint32_t> uses;   // how often it is read here
  std::vector<std::size_t> last;     // the instruction that reads it last
  std::vector<std::uint32_t> local;  // where it is now
};

// Appends instructions begin … end − 1 to the code. Returns the locals in which `kept`, values of
// the program, stand afterwards. Time O(end − begin).
std::vector<std::uint32_t> emit_wasm_part(const Program& program, std::size_t begin,
                                          std::size_t end, const WasmPlaces& places,
                                          WasmWorkspace& workspace, wasm::Kernels& kernels,
                                          wasm::Code& code, const std::vector<ValueId>& kept = {});

}  // namespace koppel

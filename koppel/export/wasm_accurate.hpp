// The accurate integrator in exported WebAssembly: runtime/accurate.h and runtime/dop853.h,
// operation by operation. The control of its steps is translated from runtime/step_control.h.
#pragma once

#include <cstdint>
#include <vector>

#include <koppel/expr/code/wasm_code.hpp>

namespace koppel {

// Functions () → () to be called one after the other, and where they read and write.
struct WasmRates {
  std::size_t num_y = 0, num_moved = 0;         // q, v, x; those of q, v that constraints move
  std::uint32_t t = 0, h = 0, y = 0;            // addresses: time, step to try next, state
  std::uint32_t rate = 0, moved = 0;            // addresses of results
  std::vector<std::uint32_t> rates, projected;  // functions; no second ones: no constraints
  double tolerance = 0, scale = 1;              // of errors, and of small values
};

// Adds koppel_accurate_advance: a function t_end → reason, which is 0 where t_end was reached.
// Time, step to try next and state are read and written at their addresses.
std::uint32_t add_accurate_advance(const WasmRates& rates, wasm::Module& module);

}  // namespace koppel

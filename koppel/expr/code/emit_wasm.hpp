// The WebAssembly emitter: Programs as straight-line functions over numbers at fixed places of a
// module's memory. The operations and their order are those of the tape, so that results are the
// same to the last bit (but for the payload of NaN, which the standard leaves open). There is no
// libm: programs are lowered with `fixed_cost`, and its functions are those of koppel/runtime.
//
// A value that is read once stands where it is read; others are locals, which are reused after the
// last use. Long programs are split into functions of some hundred operations, with values that
// live from one to another in memory.
#pragma once

#include <cstdint>
#include <vector>

#include <koppel/expr/code/program.hpp>
#include <koppel/expr/code/wasm_kernels.hpp>

namespace koppel {

// Whether a program is short enough to stand in one function.
bool is_one_wasm_function(const Program& program);

// Appends all of such a program to a function. `inputs` are addresses. Afterwards the outputs stand
// in the locals that are returned.
std::vector<std::uint32_t> emit_wasm(const Program& program,
                                     const std::vector<std::uint32_t>& inputs,
                                     wasm::Kernels& kernels, wasm::Code& code);

// Adds functions without parameters and results, to be called one after the other: they read and
// write numbers at these addresses, which must not overlap.
std::vector<std::uint32_t> emit_wasm_functions(const Program& program,
                                               const std::vector<std::uint32_t>& inputs,
                                               const std::vector<std::uint32_t>& outputs,
                                               wasm::Kernels& kernels);

}  // namespace koppel

#include <koppel/expr/code/emit_wasm.hpp>

#include <algorithm>
#include <cassert>

#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/code/wasm_part.hpp>

namespace koppel {
namespace {

// What stands in one function, and the length of functions where it does not: measured in V8, whose
// allocation of registers is better in short ones, and which calls them in no time.
constexpr std::size_t kWhole = 1200, kPart = 400;

std::size_t length_of_parts(const Program& program) {
  return is_one_wasm_function(program) ? kWhole : kPart;
}

// It has no libm.
[[maybe_unused]] bool has_own_functions_only(const Program& program) {
  return std::all_of(program.code.begin(), program.code.end(), [](const Instruction& i) {
    return !has_own_function(i.op) || is_own(i);
  });
}

WasmPlaces places_of(const Program& program, const std::vector<std::uint32_t>& inputs,
                     wasm::Kernels& kernels) {
  assert(has_own_functions_only(program));
  WasmPlaces out;
  out.load.assign(program.num_values(), kNowhere);
  out.store.assign(program.num_values(), kNowhere);
  std::copy(inputs.begin(), inputs.end(), out.load.begin());
  for (const Program::NamedTable& table : program.tables) {
    out.tables.push_back(kernels.module().add_data(wasm::bytes_of(table.data.data())));
  }
  return out;
}

// Values that outlive their part get a place in memory, free again after the last part that reads
// them.
void place_between_parts(const Program& program, WasmPlaces& places, wasm::Module& module) {
  const std::size_t leaves = program.num_leaves(), length = length_of_parts(program);
  std::vector<std::size_t> last(program.num_values(), 0);
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    for_each_operand(program.code[n], [&](ValueId v) { last[v] = n / length; });
  }
  std::vector<std::vector<std::uint32_t>> ends(program.code.size() / length + 1);
  std::vector<std::uint32_t> free;
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    const std::size_t part = n / length, v = leaves + n;
    if (n % length == 0 && part > 0) {
      free.insert(free.end(), ends[part - 1].begin(), ends[part - 1].end());
    }
    if (last[v] <= part) continue;
    if (free.empty()) free.push_back(module.reserve(1));
    places.load[v] = places.store[v] = free.back();
    free.pop_back();
    ends[last[v]].push_back(places.store[v]);
  }
}

}  // namespace

bool is_one_wasm_function(const Program& program) { return program.code.size() <= kWhole; }

std::vector<std::uint32_t> emit_wasm(const Program& program,
                                     const std::vector<std::uint32_t>& inputs,
                                     wasm::Kernels& kernels, wasm::Code& code) {
  const WasmPlaces places = places_of(program, inputs, kernels);
  WasmWorkspace workspace(program);
  return emit_wasm_part(program, 0, program.code.size(), places, workspace, kernels, code,
                        program.outputs);
}

std::vector<std::uint32_t> emit_wasm_functions(const Program& program,
                                               const std::vector<std::uint32_t>& inputs,
                                               const std::vector<std::uint32_t>& outputs,
                                               wasm::Kernels& kernels) {
  WasmPlaces places = places_of(program, inputs, kernels);
  place_between_parts(program, places, kernels.module());
  std::vector<std::uint32_t> functions;
  const std::size_t leaves = program.num_leaves();
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    if (program.outputs[j] >= leaves) places.outputs[program.outputs[j]].push_back(outputs[j]);
  }
  WasmWorkspace workspace(program);
  const std::size_t length = length_of_parts(program);
  for (std::size_t begin = 0; begin < program.code.size(); begin += length) {
    const std::size_t end = std::min(begin + length, program.code.size());
    wasm::Code code;
    emit_wasm_part(program, begin, end, places, workspace, kernels, code);
    functions.push_back(kernels.module().add(std::move(code)));
  }
  wasm::Code copies;
  bool are_copied = false;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    const ValueId v = program.outputs[j];
    if (v >= leaves) continue;
    are_copied = true;
    copies.store_at();
    if (program.is_constant(v)) {
      copies.real(program.constant(v));
    } else {
      copies.load(inputs[v]);
    }
    copies.store(outputs[j]);
  }
  if (are_copied) functions.push_back(kernels.module().add(std::move(copies)));
  return functions;
}

}  // namespace koppel

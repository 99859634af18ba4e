// A program, interpreted.
#pragma once

#include <algorithm>
#include <vector>

#include <koppel/expr/code/program.hpp>
#include <koppel/expr/code/tape.hpp>

namespace koppel::testing {

inline std::vector<double> run_program(const Program& program, const std::vector<double>& in) {
  const Tape tape(program);
  std::vector<double> slots(tape.num_slots()), out;
  std::copy(in.begin(), in.end(), slots.begin());
  std::copy(program.constants.begin(), program.constants.end(),
            slots.begin() + static_cast<std::ptrdiff_t>(in.size()));
  tape.run(slots.data(), program.tables.data());
  for (const std::uint32_t slot : tape.outputs()) out.push_back(slots[slot]);
  return out;
}

}  // namespace koppel::testing

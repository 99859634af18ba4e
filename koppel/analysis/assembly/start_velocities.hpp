// The velocities of an assembled start, (2) of assembly.hpp. For sources of this folder only.
#pragma once

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/assembly/distance.hpp>

namespace koppel {

// At the positions of the result; the guess has the velocities to begin with.
void find_velocities(const Evaluator& evaluator, const StartDistance& distance, const State& guess,
                     const AssemblyOptions& options, Assembly& result);

}  // namespace koppel

// The equations of steps, for every rule that goes with a formulation. For sources of this folder
// only.
#pragma once

#include <string>

#include <koppel/formulation/source.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

void add_steps(const SourcePtr& source, const FormulationInfo& info, Problem& problem);

}  // namespace koppel

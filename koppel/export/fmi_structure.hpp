// What depends on what in an FMU, by the structure of the expressions: for ModelStructure of
// modelDescription.xml, from which importers see algebraic loops.
#pragma once

#include <vector>

#include <koppel/export/start_code.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/formulation/fixed_cost/rate_terms.hpp>

namespace koppel {

// The inputs that each output of a program depends on, ascending.
using Dependencies = std::vector<std::vector<unsigned>>;
Dependencies find_dependencies(const Program& program);

// References are places in the layout of the step (StepModel::layout).
struct FmiStructure {
  Dependencies outputs, rates;  // on t, h, states, inputs and parameters
  Dependencies events;          // their functions, likewise
  Dependencies parameters;      // of each: the free ones that it follows from
  std::vector<unsigned> start;  // the free parameters that the start depends on
};

FmiStructure find_structure(const StepModel& model, const RateTerms& rates, const StartCode& start);

}  // namespace koppel

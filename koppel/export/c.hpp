// A model as C99: one header and one source that need nothing but libm, without allocation and
// without globals, and a small program that runs them. The step is the program that the library
// itself runs (euler_step.hpp): compiled with the same treatment of floating point (no contraction,
// no fast-math), results are the same to the last bit. With dop853 inside, a step takes as many
// accurate ones as it needs (runtime/accurate.h).
//
// What depends on parameters only is split off the step (split.hpp) and computed by NAME_prepare.
//
//   NAME_state state;  NAME_parameters parameters;  NAME_prepared prepared;
//   NAME_init(&state, &parameters, &prepared);
//   while (…) status = NAME_step(&state, &inputs, &prepared);
//   NAME_observe(&state, &inputs, &prepared, &outputs);
//
// For other parameters, with NAME_start.c:
//
//   parameters.mass = 3;
//   NAME_start(&state, &parameters, memory);  NAME_prepare(&parameters, &prepared);
#pragma once

#include <string>

#include <koppel/export/step_model.hpp>

namespace koppel {

struct CFiles {
  std::string header, source, example;  // NAME.h, NAME.c, c_example_file()
  std::string start;                    // NAME_start.c; empty where no parameter can be set
};

// The types and functions of a step for other files to contain: NAME_prepare, NAME_step and
// NAME_observe, marked KOPPEL_CARD (export/cuda/card.h).
struct CStep {
  std::string types, functions;
};

CStep write_c_step_for_card(const StepModel& model, bool is_float = false);

// In single precision, accurate steps still count time and error in double precision. Throws Error
// `export.has-events`.
CFiles write_c(const StepModel& model, bool is_float = false);

// The file for the example: not that of a model which is called so, on disks that do not tell
// capitals from small letters either.
std::string c_example_file(const std::string& name);

// Statements of the example that print the names of its columns.
std::string print_names_in_c(const std::vector<CVariable>& outputs);

// What NAME_step returns where an accurate step fails, for a comment.
std::string describe_accurate_failures();

}  // namespace koppel

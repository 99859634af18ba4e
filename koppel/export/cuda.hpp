// A model as CUDA C++: many variants of it side by side, one a thread of a card, with a host
// interface in C and a program that runs them. The step is that of the exported C (c.hpp), from the
// same emitter. Each thread keeps its state in registers over all steps of a run.
//
// The same file compiled by an ordinary C++ compiler runs on the host. Without contraction
// (`nvcc -fmad=false`, `-ffp-contract=off`) both have the bits of the exported C, as far as the
// step is made of sums, products, quotients, roots, tables, sines and cosines, and none of its values
// exceeds 2^1003 (1e302); other functions are those of the library at hand. Outputs take the sines of runtime/trig.h, so that they have the
// same bits on every machine.
//
//   NAME_batch* batch;
//   NAME_create(&batch, variants);
//   NAME_set_parameter(batch, NAME_PARAMETER_mass, masses, variants);
//   NAME_run(batch, steps, record_every, reduce_every);
//   NAME_get_output(batch, NAME_OUTPUT_x, NAME_MAXIMUM, values);
#pragma once

#include <string>

#include <koppel/export/step_model.hpp>

namespace koppel {

struct CudaFiles {
  std::string header, source, example;  // NAME.h, NAME.cu, example.c
};

// Steps are of fixed cost, or accurate (dop853): then each thread takes as many steps of its own
// inside a step as it needs. Throws Error `export.has-events`.
CudaFiles write_cuda(const StepModel& model, bool is_float = false);

}  // namespace koppel

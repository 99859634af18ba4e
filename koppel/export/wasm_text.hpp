// The JavaScript side of a model that is exported as WebAssembly.
#pragma once

#include <string>

#include <koppel/export/step_model.hpp>

namespace koppel {

extern const char* const kWasmWrapperText;  // wasm/model.js
extern const char* const kWasmTypesText;    // wasm/model.d.ts

// NAME.js and NAME.d.ts.
std::string wasm_wrapper(const StepModel& model);
std::string wasm_types(const StepModel& model);

}  // namespace koppel

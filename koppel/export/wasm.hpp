// A model as a WebAssembly module, written directly: no compiler is needed, and nothing is
// imported. The step is that of the C export, operation by operation: the same bits, functions of
// libm included, in whose place both have those of koppel/runtime. A wrapper in JavaScript, with
// types for TypeScript, gives names to what is in the module's memory.
//
//   import { create } from "./NAME.js";
//   const model = await create(await readFile("NAME.wasm"));   // in browsers: fetch("NAME.wasm")
//   model.inputs.u = 0.5;
//   model.steps(1000);                                         // a loop inside of the module
//   console.log(model.t, model.outputs.x);
//
// Exports of the module: `memory` of 8-byte numbers; the addresses `t`, `count` (64 bits), `state`,
// `inputs`, `parameters`, `outputs` of these, in the order of the wrapper's lists; and functions
//   step() → 0: done, else the reason as in C, and the state is left as it was
//   steps(n) → how many were done
//   observe(): outputs of the state       prepare(): parameters have been changed
//   derive(): parameters that follow from others       reset(): the start
#pragma once

#include <string>
#include <vector>

#include <koppel/export/step_model.hpp>
#include <koppel/export/unheld_step.hpp>

namespace koppel {

struct WasmFiles {
  std::string module;          // NAME.wasm, bytes
  std::string wrapper, types;  // NAME.js, NAME.d.ts
};

// Outputs are computed with the functions of the step, not with libm's: they can differ from those
// of C in the last place.
// Throws Error `export.has-events`.
WasmFiles write_wasm(const StepModel& model);

// What a module computes beside its steps: expressions of the model's layout.
struct WasmContents {
  std::vector<NamedExpr> outputs;      // by observe()
  std::vector<Expr> frame = {};        // where things are, for pictures: by locate(), at `frame`
  const UnheldStep* unheld = nullptr;  // for a model with hands, whose step has fixed cost
};

// The module alone. Throws as write_wasm does.
std::string write_wasm_module(const StepModel& model, const WasmContents& contents);

}  // namespace koppel

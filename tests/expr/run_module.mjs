// Runs the function of a module at points: run_module.mjs MODULE INPUTS NUM_INPUTS RESULTS NUM_OUTPUTS
// INPUTS holds numbers of 8 bytes, a row a point; RESULTS gets rows of outputs.

import { readFileSync, writeFileSync } from "node:fs";

const [module, inputs, num_inputs, results, num_outputs] = process.argv.slice(2);
const { exports } = (await WebAssembly.instantiate(readFileSync(module))).instance;
if (WebAssembly.Module.imports(new WebAssembly.Module(readFileSync(module))).length > 0) {
  throw new Error("the module imports something");
}
const file = readFileSync(inputs);
const rows = new Float64Array(file.buffer.slice(file.byteOffset, file.byteOffset + file.length));
const memory = new Float64Array(exports.memory.buffer);
const n = Number(num_inputs), m = Number(num_outputs);
const first_input = exports.inputs.value / 8, first_output = exports.outputs.value / 8;
const found = new Float64Array(rows.length / n * m);
for (let row = 0; row < rows.length / n; ++row) {
  memory.set(rows.subarray(row * n, (row + 1) * n), first_input);
  exports.run();
  found.set(memory.subarray(first_output, first_output + m), row * m);
}
writeFileSync(results, new Uint8Array(found.buffer));

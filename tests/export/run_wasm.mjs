// Runs an exported model and writes what it gives: run_wasm.mjs FOLDER NAME STEPS RESULTS
// RESULTS gets numbers of 8 bytes: t, state and outputs at the start and after every step. The
// second half of the steps is taken again in one call, which must lead to the same numbers.

import assert from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [folder, name, num_steps, results] = process.argv.slice(2);
const { create, variables } = await import(pathToFileURL(join(folder, `${name}.js`)));
const module = new WebAssembly.Module(readFileSync(join(folder, `${name}.wasm`)));
assert.deepStrictEqual(WebAssembly.Module.imports(module), []);

const row_of = (model) => [
  model.t,
  ...variables.state.map((variable) => model.state[variable.name]),
  ...variables.outputs.map((variable) => model.outputs[variable.name]),
];

const model = await create(module), half = Math.floor(num_steps / 2), rows = [row_of(model)];
let saved = null;
for (let k = 0; k < num_steps; ++k) {
  if (k === half) saved = model.save();
  if (!model.step()) throw new Error(`step ${k} failed`);
  rows.push(row_of(model));
}
assert.equal(model.count, Number(num_steps));
const other = await create(module);
other.restore(saved);
assert.deepStrictEqual(row_of(other), rows[half]);
assert.equal(other.steps(num_steps - half), num_steps - half);
assert.deepStrictEqual(row_of(other), rows.at(-1));
writeFileSync(results, new Uint8Array(new Float64Array(rows.flat()).buffer));

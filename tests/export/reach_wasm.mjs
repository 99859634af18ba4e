// tests/reference/slider_crank.csv at t = 1, and steps that fail: reach_wasm.mjs FOLDER

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { create, variables } = await import(pathToFileURL(join(folder, "model.js")));
const model = await create(readFileSync(join(folder, "model.wasm")));
const names = variables.outputs.map((variable) => variable.name);
assert.equal(model.steps(10), 10);
assert.equal(model.t, 1);
// The error of a step grows by about a hundred in passing the dead centres.
assert.ok(Math.abs(model.outputs[names[2]] - 1.103347978931893210) < 3e-8);
assert.ok(Math.abs(model.outputs[names[1]] - 3.615993342030306876e-01) < 3e-8);

const before = model.save();
model.parameters.m = NaN;
assert.equal(model.step(), false);
assert.equal(model.failure, 1);
assert.equal(model.steps(5), 0);
model.parameters.m = 1;
assert.deepStrictEqual(model.save(), before);
assert.equal(model.step(), true);
assert.equal(model.failure, 0);

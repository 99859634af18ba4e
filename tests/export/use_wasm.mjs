// What the wrapper of an exported model does: use_wasm.mjs FOLDER, with the model `axle` at k = 5e-4
// and `hard` at k = 8e-4, and `driven` with an input and parameters that follow from others.

import assert from "node:assert";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const bytes = (name) => readFileSync(join(folder, `${name}.wasm`));
const load = (name) => import(pathToFileURL(join(folder, `${name}.js`)));
const axle = await load("axle"), hard = await load("hard"), driven = await load("driven");

// From bytes, from a compiled module, from the answer to a fetch, and from promises of these.
const sources = [
  bytes("axle"), new Uint8Array(bytes("axle")).buffer, new WebAssembly.Module(bytes("axle")),
  new Response(bytes("axle"), { headers: { "Content-Type": "application/wasm" } }),
  Promise.resolve(bytes("axle")),
];
for (const source of sources) {
  const model = await axle.create(source);
  assert.equal(model.t, 0);
  assert.equal(model.step(), true);
  assert.equal(model.t, axle.step_size);
}

// A parameter that is changed counts exactly as if it had been the model's.
const a = await axle.create(bytes("axle")), b = await hard.create(bytes("hard"));
assert.deepStrictEqual([a.state.yl, a.state.d_xr], [b.state.yl, b.state.d_xr]);
a.steps(100);
b.steps(100);
assert.notEqual(a.state.yl, b.state.yl);
a.reset();
b.reset();
assert.equal(a.t, 0);
assert.equal(a.count, 0);
a.parameters.k = b.parameters.k;
assert.deepStrictEqual([a.steps(100), b.steps(100)], [100, 100]);
assert.deepStrictEqual({ ...a.state }, { ...b.state });
assert.deepStrictEqual({ ...a.outputs }, { ...b.outputs });
a.reset();
assert.equal(a.parameters.k, 5e-4);

// A step that fails says so and leaves the state.
const before = { ...a.state };
a.parameters.k = NaN;
assert.equal(a.step(), false);
assert.equal(a.steps(10), 0);
assert.deepStrictEqual({ ...a.state }, before);
assert.deepStrictEqual([a.t, a.count], [0, 0]);
a.parameters.k = 5e-4;
assert.equal(a.steps(3), 3);
assert.equal(a.t, 3 * axle.step_size);

// What was saved comes back, parameters too.
const saved = a.save(), xl = a.state.xl;
a.parameters.k = 1e-3;
a.steps(10);
a.restore(saved);
assert.deepStrictEqual([a.state.xl, a.parameters.k, a.count], [xl, 5e-4, 3]);
assert.throws(() => a.restore(new Float64Array(2)), /restore\(\): 2 numbers; \d+ are expected\./);
for (const n of [-1, 1.5, NaN, 2 ** 32]) {
  assert.throws(() => a.steps(n), /a whole number from 0 to 4294967295 is expected/);
}

// 2³² steps of a millisecond are 49.7 days: counting goes on.
const late = a.save();
new BigUint64Array(late.buffer)[2] = 2n ** 32n + 5n;
a.restore(late);
assert.equal(a.steps(2), 2);
assert.equal(a.count, 2 ** 32 + 7);
assert.equal(a.t, (2 ** 32 + 7) * axle.step_size);
a.reset();

// Outputs follow the state and the inputs, without a call.
const d = await driven.create(bytes("driven"));
assert.equal(d.outputs.twice, 2 * d.state.x);
d.state.x = 3;
assert.equal(d.outputs.twice, 6);
d.inputs.u = 7;
assert.equal(d.outputs.pull, 7);

// Parameters that follow from others are computed from them, and cannot be set.
assert.equal(d.parameters.stiffness, 8);
d.parameters.half = 5;
assert.equal(d.parameters.stiffness, 10);
assert.equal(d.outputs.spring, 30);
assert.throws(() => { d.parameters.stiffness = 1; }, TypeError);
assert.throws(() => { d.outputs.twice = 1; }, TypeError);
assert.throws(() => { d.state.nothing = 1; }, TypeError);
const kinds = driven.variables.parameters.map((p) => [p.name, p.kind, p.start]);
assert.deepStrictEqual(kinds, [["half", "free", 4], ["stiffness", "derived", 8]]);
assert.deepStrictEqual(driven.variables.outputs.map((o) => o.label), ["twice", "pull", "spring"]);

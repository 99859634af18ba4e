// The module of a page, taken hold of, thrown and left alone: held_page.mjs FOLDER
// FOLDER has module.wasm and data.json of a linkage with a soft spring; `out` gets the state after
// each step, of 8 bytes a number: 40 left alone, 40 held, 40 after letting go.

import assert from "node:assert";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const data = JSON.parse(readFileSync(join(folder, "data.json")));
const module = new WebAssembly.Module(readFileSync(join(folder, "module.wasm")));

class Machine {
  constructor() {
    this.exports = new WebAssembly.Instance(module).exports;
    this.numbers = new Float64Array(this.exports.memory.buffer);
  }
  at(part, name) {
    const index = data[part].findIndex((item) => item.name === name);
    assert.ok(index >= 0, name);
    return this.exports[part].value / 8 + index;
  }
  set(part, name, value) {
    this.numbers[this.at(part, name)] = value;
    this.exports.prepare();
  }
  // Body −1: let go.
  hold(body, x, y) {
    this.set("parameters", "grip.body", body);
    this.set("inputs", "grip.target_x", x);
    this.set("inputs", "grip.target_y", y);
  }
  steps(count) {
    assert.equal(this.exports.steps(count), count);
  }
  output(name) {
    this.exports.observe();
    return this.numbers[this.at("outputs", name)];
  }
  state() {
    const first = this.exports.state.value / 8;
    return Array.from(this.numbers.subarray(first, first + data.state.length));
  }
}

const traced = new Machine(), rows = [];
for (let k = 0; k < 120; ++k) {
  if (k === 40) traced.hold(0, 0.3, 0.2);
  if (k === 80) traced.hold(-1, 0, 0);
  traced.steps(1);
  rows.push(traced.state());
}
writeFileSync(join(folder, "out"), new Uint8Array(new Float64Array(rows.flat()).buffer));

// Left alone for a minute it keeps its energy: the other step alone would lose all of it.
const alone = new Machine(), energy = alone.output("energy");
let most = 0;
for (let k = 0; k < 600; ++k) {
  alone.steps(100);
  most = Math.max(most, alone.output("kinetic_energy"));
  assert.ok(Math.abs(alone.output("energy") - energy) < 1e-3 * most, `${alone.output("energy") - energy}`);
}

// A spring 1e6 times as stiff, set by a slider, is too fast for the step: nothing grows.
const stiff = new Machine();
stiff.set("parameters", "c", 1e7);
const stiff_energy = stiff.output("energy");
for (let k = 0; k < 50; ++k) {
  stiff.steps(100);
  assert.ok(stiff.output("energy") < stiff_energy + 0.02 * Math.abs(stiff_energy), `${stiff.output("energy")}, ${stiff_energy}`);
}

// Thrown about, and let go at every speed: it stays whole.
const thrown = new Machine();
let seed = 1;
const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647; // Park and Miller 1988
for (let k = 0; k < 3000; ++k) {
  const body = random() < 0.5 ? -1 : Math.floor(random() * 3);
  thrown.hold(body, 4 * random() - 2, 4 * random() - 2);
  for (let i = 0; i < 10; ++i) {
    thrown.steps(2);
    assert.ok(thrown.output("position_violation") <= 1e-10, `${thrown.output("position_violation")}`);
    assert.ok(thrown.state().every(Number.isFinite));
  }
}


// One model: its numbers by name, and its steps. Make it by create().
export class Model {
  #wasm;
  #numbers;
  #size; // of what save() saves
  #is_derived = true;
  #is_prepared = true;
  #is_observed = false;
  #failure = 0;

  constructor(instance) {
    this.#wasm = instance.exports;
    this.#numbers = new Float64Array(this.#wasm.memory.buffer);
    this.#size = this.#place("parameters") + variables.parameters.length;
    const changed = () => { this.#is_observed = false; };
    const changed_parameter = () => {
      this.#is_derived = this.#is_prepared = this.#is_observed = false;
    };
    this.state = this.#fields("state", { changed });
    this.inputs = this.#fields("inputs", { changed });
    this.parameters = this.#fields("parameters", {
      before: () => this.#derive(), changed: changed_parameter,
    });
    this.outputs = this.#fields("outputs", { before: () => this.observe() });
  }

  // Time, in seconds, and the number of steps up to it.
  get t() { return this.#numbers[this.#place("t")]; }
  get count() {
    return Number(new BigUint64Array(this.#wasm.memory.buffer)[this.#place("count")]);
  }

  // One step; false: it failed, and the state is left as it was.
  step() { return this.steps(1) === 1; }

  // Up to n steps in one call; returns how many were taken.
  steps(n) {
    if (!(Number.isInteger(n) && n >= 0 && n < 2 ** 32)) {
      throw new RangeError(`steps(${n}): a whole number from 0 to 4294967295 is expected.`);
    }
    this.#prepare();
    this.#is_observed = false;
    const done = this.#wasm.steps(n) >>> 0;
    this.#failure = done === n ? 0 : "failure" in this.#wasm ? this.#numbers[this.#place("failure")] : 1;
    return done;
  }

  // Why the last call of step() or steps() ended before its end, as in C: 1: a value would not be
  // finite; of dop853 also 2: constraints cannot be met, 3: not accurate at any step, 4: too many
  // inner steps. 0: it did not.
  get failure() { return this.#failure; }

  // The outputs of the state as it is; reading one of them does the same.
  observe() {
    if (!this.#is_observed) {
      this.#prepare();
      this.#wasm.observe();
      this.#is_observed = true;
    }
    return this.outputs;
  }

  // State, inputs and parameters as they were at first.
  reset() {
    this.#wasm.reset();
    this.#is_derived = this.#is_prepared = true;
    this.#is_observed = false;
  }

  // Time, state, inputs and parameters, to come back to.
  save() {
    this.#derive();
    return this.#numbers.slice(0, this.#size);
  }
  restore(saved) {
    if (saved.length !== this.#size) {
      throw new RangeError(`restore(): ${saved.length} numbers; ${this.#size} are expected.`);
    }
    this.#numbers.set(saved);
    this.#is_derived = true;
    this.#is_prepared = this.#is_observed = false;
  }

  // Parameters count from the next step on. Those that follow from others are computed from them.
  #derive() {
    if (this.#is_derived) return;
    this.#wasm.derive();
    this.#is_derived = true;
  }
  #prepare() {
    this.#derive();
    if (this.#is_prepared) return;
    this.#wasm.prepare();
    this.#is_prepared = true;
  }

  #place(name) { return this.#wasm[name].value / 8; }

  #fields(kind, { before = () => {}, changed = null }) {
    const numbers = this.#numbers, first = this.#place(kind), fields = {};
    variables[kind].forEach((variable, i) => {
      const is_settable = changed !== null && (variable.kind ?? "free") === "free";
      Object.defineProperty(fields, variable.name, {
        enumerable: true,
        get() {
          before();
          return numbers[first + i];
        },
        set: is_settable ? (value) => {
          numbers[first + i] = value;
          changed();
        } : undefined,
      });
    });
    return Object.freeze(fields);
  }
}

// The model in a module that is given as bytes, as a compiled WebAssembly.Module, or as the answer
// to a fetch(). Models of one module share nothing.
export async function create(source) {
  const given = await source;
  if (given instanceof WebAssembly.Module) {
    return new Model(await WebAssembly.instantiate(given));
  }
  const is_answer = typeof Response !== "undefined" && given instanceof Response;
  const bytes = is_answer ? await given.arrayBuffer() : given;
  return new Model((await WebAssembly.instantiate(bytes)).instance);
}

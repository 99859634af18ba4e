// The module of a mechanism: WebAssembly that the program wrote. Its numbers stand in its memory at
// addresses that it exports.

interface Exports {
  memory: WebAssembly.Memory;
  t: WebAssembly.Global;
  inputs: WebAssembly.Global;
  parameters: WebAssembly.Global;
  outputs: WebAssembly.Global;
  state: WebAssembly.Global;
  frame: WebAssembly.Global;
  steps(n: number): number; // returns how many were taken
  observe(): void;
  locate(): void;
  prepare(): void;
  derive(): void;
  reset(): void;
}

// How many there are of each.
export interface Sizes {
  outputs: number;
  state: number;
  frame: number;
}

export interface Setting {
  of: "inputs" | "parameters";
  index: number;
  value: number;
}

// What is shown of a state.
export interface Snapshot {
  t: number;
  outputs: Float64Array;
  state: Float64Array; // coordinates, velocities, further states, multipliers
  frame: Float64Array;
}

const kStepsAtOnce = 32; // between looks at the clock

export class Engine {
  private readonly wasm: Exports;
  private readonly numbers: Float64Array;

  constructor(module: WebAssembly.Module, private readonly sizes: Sizes) {
    this.wasm = new WebAssembly.Instance(module).exports as unknown as Exports;
    this.numbers = new Float64Array(this.wasm.memory.buffer);
  }

  // Parameters count from the next step on; those that follow from others follow.
  set(settings: Setting[]) {
    for (const { of, index, value } of settings) this.numbers[this.place(of) + index] = value;
    if (!settings.some(({ of }) => of === "parameters")) return;
    this.wasm.derive();
    this.wasm.prepare();
  }

  reset() {
    this.wasm.reset();
  }

  // The first values of the state: positions and velocities, all or none.
  place_at(state: number[]) {
    this.numbers.set(state, this.place("state"));
  }

  // Up to n steps, as long as there is time (in milliseconds). `failed`: the next step would give a
  // value that is not finite.
  advance(n: number, budget: number): { taken: number; failed: boolean; time: number } {
    const start = performance.now();
    let taken = 0;
    let time = 0;
    while (taken < n && time < budget) {
      const asked = Math.min(kStepsAtOnce, n - taken);
      const done = this.wasm.steps(asked) >>> 0;
      taken += done;
      time = performance.now() - start;
      if (done < asked) return { taken, failed: true, time };
    }
    return { taken, failed: false, time };
  }

  snapshot(): Snapshot {
    this.wasm.observe();
    this.wasm.locate();
    const copy = (of: keyof Sizes) =>
      this.numbers.slice(this.place(of), this.place(of) + this.sizes[of]);
    return {
      t: this.numbers[this.place("t")]!,
      outputs: copy("outputs"), state: copy("state"), frame: copy("frame"),
    };
  }

  private place(of: "t" | "inputs" | "parameters" | keyof Sizes): number {
    return (this.wasm[of].value as number) / 8;
  }
}

export interface Variable {
  readonly name: string;
  /** As in the model. */
  readonly label: string;
  readonly unit: string;
  readonly start: number;
}
export interface Parameter extends Variable {
  /** Of a derived one: follows from others. Of a constant: is built into the module. */
  readonly kind: "free" | "derived" | "constant";
}

export declare const title: string;
export declare const method: string;
/** In seconds. */
export declare const step_size: number;
/** In the order in which they stand in the module's memory. */
export declare const variables: {
  readonly state: readonly Variable[];
  readonly inputs: readonly Variable[];
  readonly parameters: readonly Parameter[];
  readonly outputs: readonly Variable[];
};

/** One model: its numbers by name, and its steps. */
export declare class Model {
  private constructor();
  readonly state: State;
  readonly inputs: Inputs;
  readonly parameters: Parameters;
  readonly outputs: Outputs;
  /** Time, in seconds. */
  readonly t: number;
  /** Of steps since the start. */
  readonly count: number;
  /** One step; false: it failed, and the state is left as it was. */
  step(): boolean;
  /** Up to n steps in one call; returns how many were taken. */
  steps(n: number): number;
  /** Why the last call of step() or steps() ended before its end, as in C: 1: a value would not be finite; of dop853 also
      2: constraints cannot be met, 3: not accurate at any step, 4: too many inner steps. 0: it did not. */
  readonly failure: number;
  /** The outputs of the state as it is; reading one of them does the same. */
  observe(): Outputs;
  /** State, inputs and parameters as they were at first. */
  reset(): void;
  /** Time, state, inputs and parameters, to come back to. */
  save(): Float64Array;
  restore(saved: Float64Array): void;
}

type Source = BufferSource | WebAssembly.Module | Response;

/** The model in a module that is given as bytes, as a compiled module, or as the answer to a fetch. */
export declare function create(source: Source | PromiseLike<Source>): Promise<Model>;

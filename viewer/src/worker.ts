// Steps the mechanism beside the page, so that a slow one does not hold up the page.

import { Engine, type Setting, type Sizes, type Snapshot } from "./engine";

export type Request =
  | { kind: "load"; module: WebAssembly.Module; sizes: Sizes; step: number; settings: Setting[];
      present: number[] | null } // where to begin, if not at the start
  | { kind: "advance"; steps: number; settings: Setting[] }
  | { kind: "reset"; settings: Setting[] };

export interface Answer extends Snapshot {
  taken: number;
  failed: boolean;
  time: number; // milliseconds for the steps taken
  ahead: Float64Array[]; // after loading: frames of the first seconds
}

const kBudget = 25; // milliseconds for the steps of one request
const kLookAhead = { duration: 4, frames: 80, budget: 250 }; // seconds, number, milliseconds

let engine: Engine | null = null;

// Frames to come, as far as nothing is touched: they decide what is in view.
function look_ahead(machine: Engine, step: number): Float64Array[] {
  const { duration, frames, budget } = kLookAhead;
  const found = [machine.snapshot().frame];
  const n = Math.max(1, Math.round(duration / frames / step));
  const end = performance.now() + budget;
  while (found.length < frames && performance.now() < end) {
    const { taken } = machine.advance(n, end - performance.now());
    if (taken < n) break;
    found.push(machine.snapshot().frame);
  }
  return found;
}

function answer(done: { taken: number; failed: boolean; time: number }, ahead: Float64Array[]) {
  const reply: Answer = { ...engine!.snapshot(), ...done, ahead };
  postMessage(reply);
}

const kNothing = { taken: 0, failed: false, time: 0 };

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  if (data.kind === "load") {
    engine = new Engine(data.module, data.sizes);
    engine.set(data.settings);
    const ahead = look_ahead(engine, data.step);
    engine.reset();
    engine.set(data.settings);
    if (data.present) engine.place_at(data.present);
    answer(kNothing, ahead);
    return;
  }
  if (!engine) return;
  if (data.kind === "reset") engine.reset();
  engine.set(data.settings);
  answer(data.kind === "advance" ? engine.advance(data.steps, kBudget) : kNothing, []);
});

// Steps the mechanism beside the page, so that a slow one does not hold up the page.

import { Engine, type Setting, type Sizes, type Snapshot } from "./engine";

export type Request =
  | { kind: "load"; module: WebAssembly.Module; sizes: Sizes; step: number; end: number; settings: Setting[];
      present: number[] | null } // where to begin, if not at the start
  | { kind: "advance"; steps: number; settings: Setting[] }
  | { kind: "reset"; settings: Setting[] };

export interface Answer extends Snapshot {
  taken: number;
  failed: boolean;
  time: number; // milliseconds for the steps taken
  ahead: Float64Array[]; // after loading: frames of the first seconds
  between: Snapshot[]; // on the way, where it was a long one
}

const kBudget = 25; // milliseconds for the steps of one request
const kLookAhead = { duration: 4, frames: 80, budget: 250 }; // seconds at most, number, milliseconds

const kSample = 0.02; // seconds between samples, where the display is slower

let engine: Engine | null = null;
let step = 1e-3; // of the mechanism, seconds

// Frames to come, as far as nothing is touched: they decide what is in view. What falls after the
// end of the run that is meant does not.
function look_ahead(machine: Engine, end_of_run: number): Float64Array[] {
  const { frames, budget } = kLookAhead;
  const duration = Math.min(kLookAhead.duration, end_of_run);
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

type Done = Pick<Answer, "taken" | "failed" | "time" | "between">;

function answer(done: Done, ahead: Float64Array[]) {
  const reply: Answer = { ...engine!.snapshot(), ...done, ahead };
  postMessage(reply);
}

const kNothing: Done = { taken: 0, failed: false, time: 0, between: [] };

// With samples on the way, so that curves stay smooth on a slow display.
function advance(machine: Engine, steps: number): Done {
  const done: Done = { ...kNothing, between: [] };
  const at_once = Math.max(1, Math.round(kSample / step));
  while (true) {
    const asked = Math.min(at_once, steps - done.taken);
    const { taken, failed, time } = machine.advance(asked, kBudget - done.time);
    done.taken += taken;
    done.time += time;
    done.failed = failed;
    if (failed || taken < asked || done.taken >= steps || done.time >= kBudget) return done;
    done.between.push(machine.snapshot());
  }
}

addEventListener("message", ({ data }: MessageEvent<Request>) => {
  if (data.kind === "load") {
    engine = new Engine(data.module, data.sizes);
    step = data.step;
    engine.set(data.settings);
    const ahead = look_ahead(engine, data.end);
    engine.reset();
    engine.set(data.settings);
    if (data.present) engine.place_at(data.present);
    answer(kNothing, ahead);
    return;
  }
  if (!engine) return;
  if (data.kind === "reset") engine.reset();
  engine.set(data.settings);
  answer(data.kind === "advance" ? advance(engine, data.steps) : kNothing, []);
});

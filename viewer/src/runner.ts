// A mechanism in motion: asks the worker for the steps that are due at every frame of the display,
// and passes on what comes back. What is set between two frames goes with the next request, so that
// a pull shows in the frame after next at the latest.

import type { Setting, Sizes } from "./engine";
import { Latency } from "./latency";
import type { Answer, Request } from "./worker";

declare const WORKER_TEXT: string; // worker.ts; see build.mjs

// Seconds of motion that a slow machine may be behind before it gives up: at four frames a second the
// pace is kept.
const kMostOwed = 0.25;

export class Runner {
  running = false;
  speed = 1;
  failed = false;
  has_own_beat = false; // somebody else calls beat(): a headset
  readonly latency = new Latency();
  on_frame: (answer: Answer) => void = () => {};
  on_pause: () => void = () => {}; // no frame may follow
  private readonly worker: Worker;
  private readonly settings = new Map<string, Setting>(); // not yet sent
  private readonly kept = new Map<string, Setting>(); // all that were made
  private owed = 0; // seconds of motion
  private last = 0;
  private unanswered = 0; // requests
  private is_closed = false;

  // `settings` are those at the start; `present` is where to begin, if not there.
  constructor(
    module: WebAssembly.Module, sizes: Sizes, private readonly step: number, end: number,
    settings: Setting[], present: number[] | null
  ) {
    for (const setting of settings) this.kept.set(`${setting.of} ${setting.index}`, setting);
    const url = URL.createObjectURL(new Blob([WORKER_TEXT], { type: "text/javascript" }));
    this.worker = new Worker(url);
    this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      --this.unanswered;
      this.latency.answer();
      // A reset is under way: this answer is of the motion before. What is loaded counts all the same.
      if (this.is_waiting && data.ahead.length === 0) return;
      this.failed = data.failed;
      if (data.failed) this.running = false;
      this.on_frame(data);
    });
    this.send({ kind: "load", module, sizes, step, end, settings, present });
    this.beat_by_page();
  }

  toggle() {
    this.running = !this.running && !this.failed;
    if (!this.running) this.on_pause();
  }

  // One step, standing.
  advance_once() {
    this.running = false;
    if (!this.is_waiting && !this.failed) this.request(1);
  }

  // The start; what was set stays set.
  reset() {
    this.owed = 0;
    this.failed = false;
    this.settings.clear();
    this.send({ kind: "reset", settings: [...this.kept.values()] });
  }

  set(of: Setting["of"], index: number, value: number) {
    const setting = { of, index, value };
    this.settings.set(`${of} ${index}`, setting);
    this.kept.set(`${of} ${index}`, setting);
  }

  close() {
    this.is_closed = true;
    this.worker.terminate();
  }

  // A frame of whatever shows the motion. Frames of the page do not count while others come.
  beat(now: number) {
    if (this.is_closed) return;
    const elapsed = Math.max(0, (now - this.last) / 1000);
    this.last = now;
    if (this.running) this.owed = Math.min(this.owed + elapsed * this.speed, kMostOwed);
    const due = this.running ? Math.floor(this.owed / this.step) : 0;
    if (!this.is_waiting && !this.failed && (due > 0 || this.settings.size > 0)) {
      this.owed -= due * this.step;
      this.request(due);
    }
  }

  private beat_by_page() {
    requestAnimationFrame((now) => {
      if (this.is_closed) return;
      this.latency.begin_frame(now);
      if (!this.has_own_beat) this.beat(now);
      this.beat_by_page();
    });
  }

  private request(steps: number) {
    const settings = [...this.settings.values()];
    this.settings.clear();
    this.latency.send();
    this.send({ kind: "advance", steps, settings });
  }

  private get is_waiting(): boolean {
    return this.unanswered > 0;
  }

  private send(request: Request) {
    ++this.unanswered;
    this.worker.postMessage(request);
  }
}

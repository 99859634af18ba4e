// The bar of a mechanism that runs: run, pause, step, reset, speed; time, and what a step takes.

import { element, icon } from "./dom";
import type { Runner } from "./runner";
import type { Answer } from "./worker";

const kSpeeds = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5];
const kPlay = "M4 2.5v11l9-5.5z";
const kPause = "M4 3h3v10H4zM9 3h3v10H9z";
const kStep = "M3 3v10l6-5zM10.5 3h2.5v10h-2.5z";
const kReset = "M3 3h2.5v10H3zM13 3v10L6.5 8z";
const kFade = 0.95; // of older measurements, at every frame

export class RunBar {
  private readonly play = element("button",
    { type: "button", class: "play", title: "Run or pause (space)" });
  private readonly readout = element("output", { class: "readout" });
  private readonly cost = element("output",
    { class: "cost", title: "Time for a step; motion against real time where it is behind; from the pointer to the picture" });
  private readonly speed = element("select",
    { class: "speed", title: "Speed (+, −)", "aria-label": "Speed" },
    ...kSpeeds.map((value) => element("option", { value }, `${value}×`)));
  private shown_running: boolean | undefined;
  private steps = 0; // with those of long ago counting less
  private time = 0; // milliseconds for them
  private moved = 0; // seconds of motion
  private passed = 0; // seconds of the clock
  private last = { t: NaN, now: 0 };

  constructor(private readonly runner: Runner, private readonly reset: () => void) {}

  // `extra` stands at the end of the bar.
  make(...extra: HTMLElement[]): HTMLElement {
    const step = button("step", kStep, "One step (.)", () => this.advance_once());
    const reset = button("restart", kReset, "Back to the start (R)", () => this.reset());
    this.play.addEventListener("click", () => this.toggle());
    this.speed.value = String(this.runner.speed);
    this.speed.addEventListener("change", () => {
      this.runner.speed = Number(this.speed.value);
      this.speed.blur(); // so that keys act again
    });
    return element("div", { class: "transport running" }, reset, this.play, step, this.readout,
      this.speed, this.cost, ...extra);
  }

  toggle() {
    this.runner.toggle();
    this.show_running();
  }

  advance_once() {
    this.runner.advance_once();
    this.show_running();
  }

  change_speed(by: number) {
    const index = kSpeeds.indexOf(this.runner.speed) + by;
    this.set_speed(kSpeeds[Math.min(kSpeeds.length - 1, Math.max(0, index))]!);
  }

  set_speed(speed: number) {
    this.runner.speed = speed;
    this.speed.value = String(speed);
  }

  show({ t, taken, time }: Answer, step: number) {
    this.show_running();
    const decimals = Math.max(2, Math.ceil(-Math.log10(step)));
    this.readout.value = `${t.toFixed(decimals)} s`;
    const now = performance.now() / 1000;
    if (taken > 0 && this.runner.running && t > this.last.t) {
      this.moved = kFade * this.moved + t - this.last.t;
      this.passed = kFade * this.passed + now - this.last.now;
    }
    this.last = { t, now };
    this.steps = kFade * this.steps + taken;
    this.time = kFade * this.time + time;
    if (this.steps < 1) return;
    const each = (1000 * this.time) / this.steps;
    const pace = this.moved / this.passed;
    const is_behind = this.runner.running && pace < 0.9 * this.runner.speed;
    const touch = this.runner.latency.median;
    const parts = [`step ${format_micros(each)}`];
    if (is_behind) parts.push(`${pace.toPrecision(2)}×`);
    if (touch) parts.push(`pointer ${touch.frames} frames, ${touch.time.toFixed(0)} ms`);
    this.cost.value = parts.join(" · ");
  }

  private show_running() {
    const { running } = this.runner;
    if (running === this.shown_running) return;
    this.shown_running = running;
    this.play.replaceChildren(icon(running ? kPause : kPlay));
    this.play.setAttribute("aria-label", running ? "Pause" : "Run");
  }
}

function format_micros(micros: number): string {
  return micros < 99.5 ? `${micros.toPrecision(2)} µs` : `${(micros / 1000).toPrecision(2)} ms`;
}

function button(name: string, path: string, title: string, act: () => void): HTMLElement {
  const root = element("button", { type: "button", class: `tool ${name}`, title,
    "aria-label": title }, icon(path));
  root.addEventListener("click", act);
  return root;
}

// The time shown: a clock that runs, stops and jumps, and the bar that controls it.

import { element, icon } from "./dom";

const kSpeeds = [0.1, 0.2, 0.5, 1, 2, 5, 10];
const kPlay = "M4 2.5v11l9-5.5z";
const kPause = "M4 3h3v10H4zM9 3h3v10H9z";

// A time between start and end. It runs in real time times `speed` and starts over at the end.
export class Clock {
  time: number;
  speed = 1;
  playing = false;
  private listeners: (() => void)[] = [];
  private last = 0;

  constructor(readonly start: number, readonly end: number) {
    this.time = start;
  }

  on_change(listener: () => void) {
    this.listeners.push(listener);
  }

  seek(time: number) {
    this.time = Math.min(this.end, Math.max(this.start, time));
    this.changed();
  }

  set_speed(speed: number) {
    this.speed = speed;
    this.changed();
  }

  toggle() {
    if (this.end <= this.start) return;
    this.playing = !this.playing;
    if (this.playing) {
      if (this.time >= this.end) this.time = this.start;
      this.last = performance.now();
      requestAnimationFrame((now) => this.tick(now));
    }
    this.changed();
  }

  private tick(now: number) {
    if (!this.playing) return;
    // After a pause of the page, go on as if there had been none.
    const elapsed = Math.min(0.1, Math.max(0, (now - this.last) / 1000));
    this.last = now;
    const next = this.time + elapsed * this.speed;
    this.time = next > this.end ? this.start : next;
    this.changed();
    requestAnimationFrame((then) => this.tick(then));
  }

  private changed() {
    for (const listener of this.listeners) listener();
  }
}

// Play button, time slider, time, speed. `extra` stands at the end of the bar.
export function make_transport(clock: Clock, ...extra: HTMLElement[]): HTMLElement {
  const play = element("button", { type: "button", class: "play", title: "Play or pause (space)" });
  const slider = element("input", {
    type: "range", class: "slider", min: clock.start, max: clock.end, step: "any",
    "aria-label": "Time",
  });
  const readout = element("output", { class: "readout" });
  const speed = element("select", { class: "speed", title: "Speed", "aria-label": "Speed" },
    ...kSpeeds.map((value) => element("option", { value }, `${value}×`)));
  const still = clock.end <= clock.start;
  for (const control of [play, slider, speed]) control.disabled = still;

  play.addEventListener("click", () => clock.toggle());
  slider.addEventListener("input", () => clock.seek(slider.valueAsNumber));
  speed.addEventListener("change", () => {
    clock.set_speed(Number(speed.value));
    speed.blur(); // so that the space bar plays again
  });

  const magnitude = Math.floor(Math.log10(clock.end - clock.start || 1));
  const decimals = Math.min(9, Math.max(0, 3 - magnitude));
  let shown_playing: boolean | undefined;
  const show = () => {
    if (clock.playing !== shown_playing) {
      shown_playing = clock.playing;
      play.replaceChildren(icon(clock.playing ? kPause : kPlay));
      play.setAttribute("aria-label", clock.playing ? "Pause" : "Play");
    }
    slider.valueAsNumber = clock.time;
    const share = still ? 0 : (clock.time - clock.start) / (clock.end - clock.start);
    slider.style.setProperty("--share", `${100 * share}%`);
    readout.value = `${clock.time.toFixed(decimals).replace("-", "\u2212")} s`;
    speed.value = String(clock.speed);
  };
  clock.on_change(show);
  show();
  return element("div", { class: "transport" }, play, slider, readout, speed, ...extra);
}

// Space plays and pauses; the arrows go from one stored time to the next.
export function bind_keys(clock: Clock, times: number[]) {
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.closest("input:not([type=range]), select, button, summary, textarea");
    if (typing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " ") clock.toggle();
    else if (event.key === "Home") clock.seek(clock.start);
    else if (event.key === "End") clock.seek(clock.end);
    else if (event.key === "ArrowRight")
      clock.seek(times.find((t) => t > clock.time) ?? clock.end);
    else if (event.key === "ArrowLeft")
      clock.seek(times.findLast((t) => t < clock.time) ?? clock.start);
    else return;
    event.preventDefault();
  });
}

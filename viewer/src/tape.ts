// A recording: what was shown of a mechanism that runs, from one moment on, kept as a report.

import type { Column, Frame, Report } from "./data";
import type { Snapshot } from "./engine";
import type { Mechanism } from "./mechanism";

const kMost = 20000; // frames: more than five minutes

export class Tape {
  private readonly times: number[] = [];
  private readonly rows: number[][] = [];
  private readonly frames: Frame[] = [];

  // Whether it goes on: the time went on, and there is room.
  add({ t, outputs, state }: Snapshot, frame: Frame): boolean {
    const last = this.times.at(-1);
    if (last !== undefined && t < last) return false;
    if (t === last) return true;
    this.times.push(t);
    this.rows.push([t, ...outputs, ...state]);
    this.frames.push(Array.from(frame));
    return this.times.length < kMost;
  }

  get length(): number {
    return this.times.length;
  }

  report(mechanism: Mechanism): Report {
    const { title, description, method, step, scene, outputs, state } = mechanism;
    const time: Column = { name: "t", unit: "s", group: "time" };
    const columns = [time, ...outputs, ...state];
    return {
      title, description, messages: [], alarms: [],
      summary: [
        { label: "recorded", value: "in the page, as it was shown" },
        { label: "method", value: `${method}; step ${step} s` },
      ],
      columns,
      data: columns.map((_, i) => this.rows.map((row) => row[i]!)),
      scene: { ...scene, times: this.times, frames: this.frames },
    };
  }
}

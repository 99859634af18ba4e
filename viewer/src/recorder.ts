// The last samples of a mechanism that runs, as columns for plots.

import type { Column, Table } from "./data";
import type { Snapshot } from "./engine";

const kMost = 900; // samples: 15 s at 60 frames a second

export class Recorder implements Table {
  readonly columns: Column[];
  readonly data: number[][];

  constructor(outputs: Column[]) {
    this.columns = [{ name: "t", unit: "s", group: "time" }, ...outputs];
    this.data = this.columns.map(() => []);
  }

  // Samples of the same time count once.
  add({ t, outputs }: Snapshot) {
    const [times] = this.data as [number[]];
    if (times.at(-1) === t) this.remove(times.length - 1);
    else if (times.length >= kMost) this.remove(0);
    times.push(t);
    outputs.forEach((value, i) => this.data[i + 1]!.push(value));
  }

  clear() {
    for (const column of this.data) column.length = 0;
  }

  private remove(index: number) {
    for (const column of this.data) column.splice(index, 1);
  }
}

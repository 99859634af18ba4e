// The last samples of a mechanism that runs, as columns for plots; beside them, at the same times,
// those of another motion to compare with.

import type { Column, Table } from "./data";
import type { Snapshot } from "./engine";
import { index_at } from "./frames";
import { times_of } from "./player";

const kMost = 900; // samples: 15 s at 60 frames a second

export class Recorder implements Table {
  readonly columns: Column[];
  readonly data: number[][];
  readonly over: ((number | null)[] | null)[];
  private other: Table | null = null;
  private other_times: number[] = [];
  private other_column: number[] = []; // for each column that of the other; -1: none

  constructor(outputs: Column[]) {
    this.columns = [{ name: "t", unit: "s", group: "time" }, ...outputs];
    this.data = this.columns.map(() => []);
    this.over = this.columns.map(() => null);
  }

  // Samples of the same time count once.
  add({ t, outputs, state }: Snapshot) {
    const [times] = this.data as [number[]];
    if (times.at(-1) === t) this.remove(times.length - 1);
    else if (times.length >= kMost) this.remove(0);
    times.push(t);
    outputs.forEach((value, i) => this.data[i + 1]!.push(value));
    state.forEach((value, i) => this.data[i + 1 + outputs.length]!.push(value));
    this.over.forEach((values, i) => values?.push(this.other_at(i, t)));
  }

  clear() {
    for (const column of this.data) column.length = 0;
    for (const column of this.over) if (column) column.length = 0;
  }

  // null: with nothing.
  compare_with(other: Table | null) {
    this.other = other;
    this.other_times = other ? times_of(other) : [];
    this.other_column = this.columns.map(({ name, group }) =>
      other && group !== "time" ? other.columns.findIndex((column) => column.name === name) : -1);
    const [times] = this.data as [number[]];
    this.other_column.forEach((column, i) => {
      this.over[i] = column < 0 ? null : times.map((t) => this.other_at(i, t));
    });
  }

  // Between samples on a straight line; beyond them nothing.
  private other_at(i: number, t: number): number | null {
    const times = this.other_times;
    if (!this.other || times.length === 0 || t < times[0]! || t > times.at(-1)!) return null;
    const k = index_at(times, t);
    const values = this.other.data[this.other_column[i]!]!;
    const [a, b] = [values[k] ?? NaN, values[k + 1] ?? values[k] ?? NaN];
    const span = (times[k + 1] ?? times[k]!) - times[k]!;
    const value = span > 0 ? a + ((b - a) * (t - times[k]!)) / span : a;
    return Number.isFinite(value) ? value : null;
  }

  private remove(index: number) {
    for (const column of this.data) column.splice(index, 1);
    for (const column of this.over) column?.splice(index, 1);
  }
}

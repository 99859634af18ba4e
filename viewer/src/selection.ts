// Which rows of a table are looked at: all whose values lie within the ranges that were chosen.

export type Values = (number | null)[];

export class Selection {
  private readonly ranges = new Map<number, [number, number]>(); // by column
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly data: Values[]) {}

  // From one value to another of a column; nothing: all of them.
  set(column: number, range: [number, number] | null) {
    if (range) this.ranges.set(column, [Math.min(...range), Math.max(...range)]);
    else this.ranges.delete(column);
    for (const listener of this.listeners) listener();
  }

  range(column: number): [number, number] | undefined {
    return this.ranges.get(column);
  }

  has(row: number): boolean {
    for (const [column, [low, high]] of this.ranges) {
      const value = this.data[column]![row] ?? null;
      if (value === null || value < low || value > high) return false;
    }
    return true;
  }

  count(): number {
    const rows = this.data[0]?.length ?? 0;
    let count = 0;
    for (let row = 0; row < rows; ++row) if (this.has(row)) ++count;
    return count;
  }

  on_change(listener: () => void) {
    this.listeners.push(listener);
  }
}

// The smallest and largest value of a column, a little apart where they are the same.
export function extent(values: Values): [number, number] {
  const known = values.filter((value): value is number => value !== null);
  if (known.length === 0) return [0, 1];
  const low = known.reduce((a, b) => Math.min(a, b)), high = known.reduce((a, b) => Math.max(a, b));
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

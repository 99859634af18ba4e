// A scatter matrix: every column against every other, below the diagonal, with the names on it.

import type { Table } from "./data";
import { element } from "./dom";
import { extent, type Selection, type Values } from "./selection";
import { make_sheet } from "./sheet";

export const kMostColumns = 8;

function make_cell(x: Values, y: Values, selection: Selection, name: string): HTMLElement {
  const canvas = element("canvas", { class: "scatter", role: "img", "aria-label": name,
    title: name });
  const [left, right] = extent(x), [low, high] = extent(y);
  const again = make_sheet(canvas, ({ draw, width, height, theme }) => {
    draw.clearRect(0, 0, width, height);
    const kEdge = 5, size = x.length > 500 ? 1.5 : 2.5;
    for (const chosen of [false, true]) {
      draw.fillStyle = chosen ? theme.series[0]! : theme.grid;
      for (let row = 0; row < x.length; ++row) {
        const a = x[row] ?? null, b = y[row] ?? null;
        if (a === null || b === null || selection.has(row) !== chosen) continue;
        const px = kEdge + (width - 2 * kEdge) * (a - left) / (right - left);
        const py = height - kEdge - (height - 2 * kEdge) * (b - low) / (high - low);
        draw.fillRect(px - size / 2, py - size / 2, size, size);
      }
    }
  });
  selection.on_change(again);
  return canvas;
}

export function make_scatter({ columns, data }: Table, selection: Selection): HTMLElement {
  const count = Math.min(columns.length, kMostColumns);
  const grid = element("div", { class: "scatters" });
  grid.style.gridTemplateColumns = `repeat(${count}, minmax(0, 1fr))`;
  for (let row = 0; row < count; ++row) {
    for (let column = 0; column < count; ++column) {
      if (column < row) {
        grid.append(make_cell(data[column]!, data[row]!, selection,
          `${columns[row]!.name} over ${columns[column]!.name}`));
      } else if (column === row) {
        grid.append(element("div", { class: "diagonal" }, columns[row]!.name));
      } else {
        grid.append(element("div"));
      }
    }
  }
  return grid;
}

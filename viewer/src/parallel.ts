// Parallel coordinates: an axis for every column, a line for every row. Dragging along an axis
// chooses a range of it; a click on the axis takes it back.

import type { Table } from "./data";
import { element } from "./dom";
import { format_value } from "./format";
import { extent, type Selection } from "./selection";
import { make_sheet, type Pen } from "./sheet";

const kTop = 34, kBottom = 24, kSide = 60;

export function make_parallel({ columns, data }: Table, selection: Selection): HTMLElement {
  const extents = data.map(extent);
  const canvas = element("canvas", { class: "parallel", role: "img",
    "aria-label": "Parallel coordinates of all variants; drag along an axis to choose a range" });
  const x_of = (column: number, width: number) => columns.length < 2 ? width / 2 :
    kSide + (width - 2 * kSide) * column / (columns.length - 1);
  const y_of = (column: number, value: number, height: number) => {
    const [low, high] = extents[column]!;
    return height - kBottom - (height - kTop - kBottom) * (value - low) / (high - low);
  };
  const value_at = (column: number, y: number, height: number) => {
    const [low, high] = extents[column]!;
    const share = (height - kBottom - y) / (height - kTop - kBottom);
    return low + (high - low) * Math.min(1, Math.max(0, share));
  };

  function lines({ draw, width, height, theme }: Pen, chosen: boolean) {
    draw.strokeStyle = chosen ? theme.series[0]! : theme.grid;
    draw.globalAlpha = Math.min(1, Math.max(0.12, 60 / (data[0]?.length ?? 1)));
    for (let row = 0; row < (data[0]?.length ?? 0); ++row) {
      if (selection.has(row) !== chosen) continue;
      draw.beginPath();
      let is_open = false;
      columns.forEach((_, column) => {
        const value = data[column]![row] ?? null;
        if (value === null) { is_open = false; return; }
        const x = x_of(column, width), y = y_of(column, value, height);
        if (is_open) draw.lineTo(x, y); else draw.moveTo(x, y);
        is_open = true;
      });
      draw.stroke();
    }
    draw.globalAlpha = 1;
  }

  function axes({ draw, width, height, theme }: Pen) {
    draw.font = "12px system-ui, sans-serif";
    draw.textAlign = "center";
    columns.forEach(({ name, group }, column) => {
      const x = x_of(column, width);
      draw.strokeStyle = theme.muted;
      draw.beginPath();
      draw.moveTo(x, kTop);
      draw.lineTo(x, height - kBottom);
      draw.stroke();
      const range = selection.range(column);
      if (range) {
        draw.fillStyle = theme.cursor;
        draw.globalAlpha = 0.35;
        const y = y_of(column, range[1], height);
        draw.fillRect(x - 6, y, 12, Math.max(2, y_of(column, range[0], height) - y));
        draw.globalAlpha = 1;
      }
      draw.fillStyle = group === "criteria" ? theme.series[1]! : theme.ink;
      draw.fillText(name, x, 14);
      draw.fillStyle = theme.muted;
      draw.fillText(format_value(extents[column]![1]), x, kTop - 6);
      draw.fillText(format_value(extents[column]![0]), x, height - 8);
    });
  }

  const again = make_sheet(canvas, (pen) => {
    pen.draw.clearRect(0, 0, pen.width, pen.height);
    lines(pen, false);
    lines(pen, true);
    axes(pen);
  });
  selection.on_change(again);

  let dragged: { column: number; from: number; moved: boolean } | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    const { width, height } = canvas.getBoundingClientRect();
    const distances = columns.map((_, column) => Math.abs(x_of(column, width) - event.offsetX));
    const column = distances.indexOf(Math.min(...distances));
    if (distances[column]! > 30) return;
    dragged = { column, from: value_at(column, event.offsetY, height), moved: false };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!dragged) return;
    dragged.moved = true;
    const to = value_at(dragged.column, event.offsetY, canvas.getBoundingClientRect().height);
    selection.set(dragged.column, [dragged.from, to]);
  });
  canvas.addEventListener("pointerup", () => {
    if (dragged && !dragged.moved) selection.set(dragged.column, null);
    dragged = null;
  });
  return canvas;
}

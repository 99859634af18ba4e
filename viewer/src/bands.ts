// Bands over time: the median of all variants, and where half and nine tenths of them are.

import { element } from "./dom";
import { format_value } from "./format";
import { extent, type Values } from "./selection";
import { make_sheet, type Pen } from "./sheet";

export interface Band {
  name: string;
  times: number[];
  quantiles: Values[]; // by time: of 5, 25, 50, 75, 95 %
}

const kLeft = 70, kRight = 12, kTop = 22, kBottom = 22;

function paint({ name, times, quantiles }: Band, { draw, width, height, theme }: Pen) {
  const [low, high] = extent(quantiles.flat());
  const [begin, end] = extent(times);
  const x = (t: number) => kLeft + (width - kLeft - kRight) * (t - begin) / (end - begin);
  const y = (value: number) => height - kBottom - (height - kTop - kBottom) * (value - low) / (high - low);
  const known = times.map((_, i) => i).filter((i) => quantiles[i]!.every((value) => value !== null));
  const path = (part: number, order: number[]) => {
    for (const i of order) draw.lineTo(x(times[i]!), y(quantiles[i]![part]!));
  };
  draw.clearRect(0, 0, width, height);
  draw.fillStyle = theme.series[0]!;
  for (const [lower, upper, alpha] of [[0, 4, 0.18], [1, 3, 0.3]] as const) {
    draw.globalAlpha = alpha;
    draw.beginPath();
    path(lower, known);
    path(upper, [...known].reverse());
    draw.fill();
  }
  draw.globalAlpha = 1;
  draw.strokeStyle = theme.series[0]!;
  draw.lineWidth = 1.5;
  draw.beginPath();
  path(2, known);
  draw.stroke();
  draw.fillStyle = theme.ink;
  draw.font = "12px system-ui, sans-serif";
  draw.fillText(name, kLeft, 14);
  draw.fillStyle = theme.muted;
  draw.fillText(`${format_value(begin)} s`, kLeft, height - 6);
  draw.textAlign = "right";
  draw.fillText(`${format_value(end)} s`, width - kRight, height - 6);
  draw.fillText(format_value(high), kLeft - 8, kTop + 8);
  draw.fillText(format_value(low), kLeft - 8, height - kBottom);
}

export function make_bands(bands: Band[]): HTMLElement {
  const section = element("section", { "aria-label": "Bands over time" });
  for (const band of bands) {
    const canvas = element("canvas", { class: "band", role: "img",
      "aria-label": `${band.name} over time: median, half and nine tenths of the variants` });
    make_sheet(canvas, (pen) => paint(band, pen));
    section.append(canvas);
  }
  return section;
}

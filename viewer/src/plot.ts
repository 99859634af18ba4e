// One plot of curves over time with its legend.

import uPlot from "uplot";
import type { Column } from "./data";
import { element } from "./dom";
import { format_power, format_ticks, format_value } from "./format";
import { index_at } from "./frames";
import type { Theme } from "./theme";

const kHeight = 190;
const kLogHeight = 160;
const kAxisWidth = 70; // of the values' axis; style.css indents the legends by the same
// Curves have eight colours in turn; the second eight are dashed, and so on.
const kDashes = [[], [10, 4], [2, 3], [10, 3, 2, 3]];
const kClick = 4; // pixels that the pointer may move in a click

export type Range = [number, number];

export interface PlotOptions {
  title: string;
  columns: Column[];
  data: (number | null)[][];
  over: ((number | null)[] | null)[]; // of another motion, dashed
  times: number[];
  unit: string; // of the times
  log: boolean;
}

// What a plot tells of what is done to it.
export interface Owner {
  on_seek(time: number): void;
  on_read(time: number): void; // the time whose values the legend shows
  zoom(range: Range): void;
}

// The legend shows the values under the pointer, else those at the
// time set.
export class Plot {
  readonly root = element("figure", { class: "plot" });
  private readonly chart: uPlot;
  private readonly line = element("div", { class: "time-cursor" });
  private readonly values: HTMLElement[] = [];
  private time = NaN;

  constructor(private readonly options: PlotOptions, private theme: Theme, owner: Owner) {
    const { columns, log } = options;
    const area = element("div", { class: "chart" });
    this.root.append(this.make_legend(), area);
    const curve = (i: number, more: uPlot.Series): uPlot.Series => ({
      label: columns[i]!.name,
      stroke: () => this.theme.series[i % this.theme.series.length]!,
      width: 1.5,
      dash: kDashes[dash_of(i)]!,
      spanGaps: log,
      pxAlign: 0,
      points: { size: 6 },
      ...more,
    });
    const series = columns.map((_, i) => curve(i, {}));
    options.over.forEach((values, i) => {
      if (values) series.push(curve(i, { dash: [6, 5], width: 2.5, points: { show: false } }));
    });
    this.chart = new uPlot({
      width: 600,
      height: log ? kLogHeight : kHeight,
      padding: [8, 18, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { size: 7 },
        drag: { x: true, y: false, dist: kClick },
        sync: {
          key: "koppel",
          scales: ["x", null],
          filters: { pub: (type) => type === "mousemove" || type === "mouseleave" },
        },
      },
      scales: {
        x: { time: false, range: (_, min, max) => time_range(min, max) },
        y: log ? { distr: 3, log: 10, range: (_, min, max) => decades(min, max) }
               : { range: (_, min, max) => value_range(min, max) },
      },
      axes: [
        this.axis({ size: 30, values: (_, ticks) => with_unit(format_ticks(ticks), options.unit) }),
        this.axis({ size: kAxisWidth, space: 24, ...(log && kLogAxis) }),
      ],
      series: [{}, ...series],
      hooks: {
        setCursor: [() => {
          this.show_values();
          owner.on_read(this.read_time());
        }],
        setScale: [(_, key) => key === "x" && owner.zoom(this.range)],
        setSize: [() => this.place_line()],
        drawClear: [() => this.place_line()],
      },
    }, this.shown(), area);
    this.chart.over.append(this.line);
    this.listen(owner);
  }

  get range(): Range {
    const { min, max } = this.chart.scales.x!;
    return [min ?? 0, max ?? 1];
  }

  set_range([min, max]: Range) {
    this.chart.setScale("x", { min, max });
  }

  set_time(time: number) {
    this.time = time;
    this.place_line();
    this.show_values();
  }

  set_theme(theme: Theme) {
    this.theme = theme;
    this.chart.redraw(false);
  }

  // The arrays of times and values have changed.
  refresh() {
    this.chart.setData(this.shown(), false);
  }

  set_width(width: number) {
    this.chart.setSize({ width, height: this.chart.height });
  }

  destroy() {
    this.chart.destroy();
    this.root.remove();
  }

  // The logarithm knows sizes only: signs are dropped, and zeros are left out.
  private shown(): uPlot.AlignedData {
    const { data, over, times, log } = this.options;
    const sizes = (values: (number | null)[]) => values.map((x) => Math.abs(x ?? 0) || null);
    const all = [...data, ...over.filter((values) => values !== null)];
    return [times, ...(log ? all.map(sizes) : all)] as uPlot.AlignedData;
  }

  private make_legend(): HTMLElement {
    const { title, columns } = this.options;
    const units = [...new Set(columns.map((column) => column.unit))];
    const entries = columns.map((column, i) => {
      const value = element("span", { class: "value" });
      this.values.push(value);
      const entry = element("button",
        { type: "button", class: "entry", "aria-pressed": "true", title: "Show or hide" },
        element("span", { class: "name" }, column.name), value);
      if (units.length > 1) entry.append(element("span", { class: "unit" }, column.unit));
      entry.style.setProperty("--colour", `var(--series-${(i % 8) + 1})`);
      entry.dataset.dash = String(dash_of(i));
      entry.addEventListener("click", () => {
        const show = !this.chart.series[i + 1]!.show;
        this.chart.setSeries(i + 1, { show });
        entry.setAttribute("aria-pressed", String(show));
      });
      return entry;
    });
    const head = title ? [element("h3", {}, title)] : [];
    return element("figcaption", {}, ...head,
      element("div", { class: "legend" },
        element("span", { class: "axis-unit" }, units.length === 1 ? units[0]! : ""),
        ...entries));
  }

  private axis(more: uPlot.Axis): uPlot.Axis {
    return {
      stroke: () => this.theme.muted,
      font: `11px ${getComputedStyle(document.body).fontFamily}`,
      grid: { stroke: () => this.theme.grid, width: 1 },
      ticks: { stroke: () => this.theme.grid, width: 1, size: 4 },
      gap: 5,
      values: (_, ticks) => format_ticks(ticks),
      ...more,
    };
  }

  // A click sets the time; a drag is uPlot's zoom.
  private listen(owner: Owner) {
    let pressed = 0;
    this.chart.over.addEventListener("mousedown", (event) => { pressed = event.clientX; });
    this.chart.over.addEventListener("click", (event) => {
      if (Math.abs(event.clientX - pressed) > kClick) return;
      const left = event.clientX - this.chart.over.getBoundingClientRect().left;
      owner.on_seek(this.chart.posToVal(left, "x"));
    });
  }

  private place_line() {
    const [min, max] = this.range;
    const visible = this.time >= min && this.time <= max;
    this.line.hidden = !visible;
    if (!visible) return;
    this.line.style.transform = `translateX(${this.chart.valToPos(this.time, "x")}px)`;
  }

  // The time that the legend is about.
  private read_time(): number {
    const { idx } = this.chart.cursor;
    return idx == null ? this.time : this.options.times[idx]!;
  }

  private show_values() {
    const { times, data } = this.options;
    const index = this.chart.cursor.idx ?? index_at(times, this.time);
    this.values.forEach((value, i) => { value.textContent = format_value(data[i]![index]); });
  }
}

function dash_of(i: number): number {
  return Math.floor(i / 8) % kDashes.length;
}

// A run of one sample still has an axis.
export function time_range(min: number | null | undefined, max: number | null | undefined): Range {
  if (min == null || max == null) return [0, 1];
  return min < max ? [min, max] : [min - 0.5, min + 0.5];
}

// The last label carries the unit of all.
function with_unit(labels: string[], unit: string): string[] {
  return labels.map((label, i) => (i === labels.length - 1 ? `${label} ${unit}` : label));
}

// Some air above and below. What varies by less than 10⁻⁵ of its size is shown as constant,
// because the labels of a finer axis would be too long to read.
function value_range(min: number | null, max: number | null): Range {
  if (min == null || max == null) return [0, 1];
  const size = Math.max(Math.abs(min), Math.abs(max));
  const air = max - min > 1e-5 * size ? 0.08 * (max - min) : 0.1 * size || 1;
  return [min - air, max + air];
}

function decades(min: number | null, max: number | null): Range {
  if (min == null || max == null || min <= 0) return [1e-16, 1];
  const low = Math.floor(Math.log10(min));
  const high = Math.ceil(Math.log10(max));
  return [10 ** low, 10 ** Math.max(high, low + 1)];
}

// Powers of ten, few enough to be read.
const kLogAxis: uPlot.Axis = {
  splits: (_, __, min, max) => {
    const low = Math.round(Math.log10(min));
    const high = Math.round(Math.log10(max));
    const stride = Math.ceil((high - low) / 6);
    const ticks = [];
    for (let exponent = low; exponent <= high; exponent += stride) ticks.push(10 ** exponent);
    return ticks;
  },
  values: (_, ticks) => ticks.map((tick) => format_power(Math.round(Math.log10(tick)))),
  filter: (_, ticks) => ticks,
};

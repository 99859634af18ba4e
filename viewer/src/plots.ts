// Curves over time, one plot below the other, with a common time axis, zoom and cursor.

import { columns_of_group, group_by_unit, has_choice, time_column } from "./columns";
import type { Table } from "./data";
import { element } from "./dom";
import { Plot, time_range, type Owner, type Range } from "./plot";
import type { Theme } from "./theme";

// All plots of a table: those of the chosen columns, one for each unit, then energy and
// constraint violation where the table has them.
export class Plots implements Owner {
  readonly root = element("div", { class: "plots" });
  on_seek: (time: number) => void = () => {};
  on_read: (time: number) => void = () => {}; // the time whose values the legends show
  on_zoom: (zoomed: boolean) => void = () => {};
  private readonly times: number[];
  private readonly chosen_area = element("div");
  private readonly fixed_area = element("div");
  private chosen: Plot[] = [];
  private fixed: Plot[] = [];
  private shown_columns: number[] = [];
  private shown: Range;
  private time = NaN;

  constructor(private readonly table: Table, private theme: Theme) {
    const { columns, data } = table;
    this.times = (data[time_column(columns)] ?? []) as number[];
    this.shown = this.full_range();
    this.root.append(this.chosen_area, this.fixed_area);
    this.make_fixed();
    new ResizeObserver(() => this.fit_width()).observe(this.root);
  }

  // Anew, because there is another motion to compare with, or none.
  rebuild() {
    for (const plot of this.fixed) plot.destroy();
    this.fixed = [];
    this.make_fixed();
    this.show(this.shown_columns);
  }

  private make_fixed() {
    const { columns } = this.table;
    const add = (group: string, title: string, log: boolean) => {
      const members = columns_of_group(columns, group);
      if (members.length === 0) return;
      const plot = this.make_plot(members, title, log);
      this.fixed.push(plot);
      this.fixed_area.append(plot.root);
    };
    add("energy", "Energy", false);
    add("constraints", "Constraint violation", true);
    add("work", "Time needed", true);
  }

  // Plots these columns.
  show(chosen: number[]) {
    this.shown_columns = chosen;
    for (const plot of this.chosen) plot.destroy();
    this.chosen = group_by_unit(this.table.columns, chosen)
      .map((columns) => this.make_plot(columns, "", false));
    const { columns } = this.table;
    const note = columns.length > 1 ? "No column is chosen." : "There is nothing but the time.";
    if (this.chosen.length > 0) this.chosen_area.replaceChildren(...this.chosen.map((p) => p.root));
    else if (this.fixed.length > 0 && !has_choice(columns)) this.chosen_area.replaceChildren();
    else this.chosen_area.replaceChildren(element("p", { class: "note" }, note));
    this.fit_width();
  }

  set_time(time: number) {
    this.time = time;
    for (const plot of this.all()) plot.set_time(time);
    this.on_read(time);
  }

  set_theme(theme: Theme) {
    this.theme = theme;
    for (const plot of this.all()) plot.set_theme(theme);
  }

  // Shows this range of times in all plots. Each plot reports its new range in turn, which is
  // then no news.
  zoom(range: Range) {
    if (range[0] === this.shown[0] && range[1] === this.shown[1]) return;
    this.shown = range;
    for (const plot of this.all()) plot.set_range(range);
    const full = this.full_range();
    this.on_zoom(range[0] > full[0] || range[1] < full[1]);
  }

  reset_zoom() {
    this.zoom(this.full_range());
  }

  // The arrays of the table have changed. Shows all of them, and the values at the last time.
  refresh() {
    for (const plot of this.all()) plot.refresh();
    this.zoom(this.full_range());
    this.set_time(this.times.at(-1) ?? NaN);
  }

  private full_range(): Range {
    return time_range(this.times[0], this.times.at(-1));
  }

  private make_plot(members: number[], title: string, log: boolean): Plot {
    const columns = members.map((i) => this.table.columns[i]!);
    const data = members.map((i) => this.table.data[i]!);
    const unit = this.table.columns[time_column(this.table.columns)]?.unit ?? "";
    const over = members.map((i) => this.table.over?.[i] ?? null);
    const options = { title, columns, data, over, times: this.times, unit, log };
    const plot = new Plot(options, this.theme, this);
    plot.set_range(this.shown);
    plot.set_time(this.time);
    return plot;
  }

  private fit_width() {
    const width = this.root.clientWidth;
    if (width > 0) for (const plot of this.all()) plot.set_width(width);
  }

  private all(): Plot[] {
    return [...this.chosen, ...this.fixed];
  }
}

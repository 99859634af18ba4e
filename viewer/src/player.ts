// A motion that is known: its clock, and its plots, which follow each other. The page of a run has
// one; in pages of mechanisms that run, recordings and results of the program are played by it.

import { Clock } from "./animation";
import { default_columns, has_choice, make_chooser, time_column } from "./columns";
import type { Report, Table } from "./data";
import { element } from "./dom";
import { format_value } from "./format";
import { interpolate } from "./frames";
import { Plots } from "./plots";
import type { SceneView } from "./scene";
import { on_theme_change, read_theme } from "./theme";

export function times_of(table: Table): number[] {
  const times = table.data[time_column(table.columns)] ?? [];
  return times.filter((t) => t !== null);
}

export class Player {
  readonly clock: Clock;
  readonly curves: HTMLElement;
  private readonly forget_theme: () => void;

  constructor(private readonly report: Report) {
    this.clock = make_clock(report);
    const plots = new Plots(report, read_theme());
    this.forget_theme = on_theme_change((theme) => plots.set_theme(theme));
    this.curves = make_curves(report, plots, this.clock);
  }

  get times(): number[] {
    return this.report.scene?.times ?? times_of(this.report);
  }

  // Moves the bodies in a view of them; of another scene, beside this one.
  show_in(view: SceneView, scene = this.report.scene) {
    if (!scene || scene.frames.length === 0) return;
    const frame = new Float64Array(scene.frames[0]!.length);
    const show = () => {
      interpolate(scene.times, scene.frames, scene.bodies.length, this.clock.time, frame);
      view.set_frame(frame);
    };
    this.clock.on_change(show);
    show();
  }

  close() {
    if (this.clock.playing) this.clock.toggle();
    this.forget_theme();
  }
}

// From the first to the last time of samples and frames.
function make_clock(report: Report): Clock {
  const samples = times_of(report);
  const frames = report.scene?.times ?? [], beside = report.beside?.scene.times ?? [];
  const ends = [samples[0], samples.at(-1), frames[0], frames.at(-1), beside.at(-1)]
    .filter((t) => t !== undefined);
  return ends.length > 0 ? new Clock(Math.min(...ends), Math.max(...ends)) : new Clock(0, 0);
}

function make_curves(report: Report, plots: Plots, clock: Clock): HTMLElement {
  const chosen = default_columns(report.columns);
  const reset = element("button", { type: "button", class: "reset", hidden: true }, "Reset zoom");
  reset.addEventListener("click", () => plots.reset_zoom());
  plots.on_zoom = (zoomed) => { reset.hidden = !zoomed; };
  plots.on_seek = (time) => clock.seek(time);
  clock.on_change(() => plots.set_time(clock.time));
  const read = element("output", { class: "read", title: "The values are of this time" });
  const time = report.columns[time_column(report.columns)];
  plots.on_read = (value) => {
    read.value = `${time?.name ?? "t"} = ${format_value(value)} ${time?.unit ?? "s"}`;
  };
  plots.show(chosen);
  plots.set_time(clock.time);
  const tools = element("div", { class: "tools" });
  if (has_choice(report.columns))
    tools.append(make_chooser(report.columns, chosen, (now) => plots.show(now)));
  tools.append(reset, read);
  return element("section", { class: "curves", "aria-label": "Plots" }, tools, plots.root);
}

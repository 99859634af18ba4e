// The report: reads the data in the page and puts the parts together.

import { bind_keys, Clock, make_transport } from "./animation";
import { default_columns, make_chooser, time_column } from "./columns";
import { parse_report, type Labelled, type Report, type Scene } from "./data";
import { element } from "./dom";
import { format_value } from "./format";
import { interpolate } from "./frames";
import { make_header } from "./header";
import { Plots } from "./plots";
import { make_stage, type Stage } from "./stage";
import { on_theme_change, read_theme } from "./theme";

function main() {
  const text = document.getElementById("koppel-data")?.textContent ?? "";
  let report: Report;
  try {
    report = parse_report(text);
  } catch (error) {
    document.body.append(element("p", { class: "failure" },
      `This page has no data that it can show. ${(error as Error).message}`));
    return;
  }
  document.title = report.title ? `${report.title} – Koppel` : "Koppel";
  const clock = make_clock(report);
  const plots = make_plots(report, clock);
  const main = element("main", {});
  if (report.scene) main.append(make_animation(report, report.scene, clock));
  else main.classList.add("no-scene");
  main.classList.toggle("pair", Boolean(report.scene && report.beside));
  main.append(plots);
  const header = make_header(report);
  document.body.append(header, main, make_footer(report.scene !== null));
  // The animation takes the height that the header leaves it; see style.css.
  new ResizeObserver(() =>
    main.style.setProperty("--header", `${header.offsetHeight}px`)).observe(header);
  bind_keys(clock, report.scene?.times ?? times_of(report));
}

function times_of(report: Report): number[] {
  const times = report.data[time_column(report.columns)] ?? [];
  return times.filter((t) => t !== null);
}

// From the first to the last time of samples and frames.
function make_clock(report: Report): Clock {
  const samples = times_of(report);
  const frames = report.scene?.times ?? [], beside = report.beside?.scene.times ?? [];
  const ends = [samples[0], samples.at(-1), frames[0], frames.at(-1), beside.at(-1)]
    .filter((t) => t !== undefined);
  return ends.length > 0 ? new Clock(Math.min(...ends), Math.max(...ends)) : new Clock(0, 0);
}

function make_footer(has_scene: boolean): HTMLElement {
  const keys = has_scene ? ["Space plays", "arrows step", "a click on a body traces a point"] : [];
  const hints =
    [...keys, "drag in a plot to zoom", "double-click for all", "click to set the time"];
  return element("footer", {}, element("span", {}, hints.join("  ·  ")),
    element("span", {}, "Koppel"));
}

// One scene, or two of them side by side that move together.
function make_animation(report: Report, scene: Scene, clock: Clock): HTMLElement {
  const parts: Labelled[] = [{ label: report.label ?? "", scene }];
  if (report.beside) parts.unshift(report.beside);
  const stages = parts.map((part) => make_moving_stage(part.scene, clock));
  const roots = stages.map(({ root }, i) => parts.length === 1 ? root :
    element("figure", {}, element("figcaption", {}, parts[i]!.label), root));
  const stage = parts.length === 1 ? roots[0]! : element("div", { class: "stages" }, ...roots);
  const buttons = stages.length === 1 ? stages[0]!.buttons : [];
  return element("section", { class: "animation", "aria-label": "Animation" },
    stage, make_transport(clock, ...buttons));
}

function make_moving_stage(scene: Scene, clock: Clock): Stage {
  const stage = make_stage(scene, scene.frames);
  const { view } = stage;
  if (!view) return stage;
  const frame = new Float64Array(scene.frames[0]!.length);
  const show = () => {
    interpolate(scene.times, scene.frames, scene.bodies.length, clock.time, frame);
    view.set_frame(frame);
  };
  clock.on_change(show);
  show();
  return stage;
}

function make_plots(report: Report, clock: Clock): HTMLElement {
  const plots = new Plots(report, read_theme());
  const chosen = default_columns(report.columns);
  const reset = element("button", { type: "button", class: "reset", hidden: true }, "Reset zoom");
  reset.addEventListener("click", () => plots.reset_zoom());
  plots.on_zoom = (zoomed) => { reset.hidden = !zoomed; };
  plots.on_seek = (time) => clock.seek(time);
  clock.on_change(() => plots.set_time(clock.time));
  on_theme_change((theme) => plots.set_theme(theme));
  const read = element("output", { class: "read", title: "The values are of this time" });
  const time = report.columns[time_column(report.columns)];
  plots.on_read = (value) => {
    read.value = `${time?.name ?? "t"} = ${format_value(value)} ${time?.unit ?? "s"}`;
  };
  plots.show(chosen);
  plots.set_time(clock.time);
  const tools = element("div", { class: "tools" });
  if (report.columns.length > 1)
    tools.append(make_chooser(report.columns, chosen, (now) => plots.show(now)));
  tools.append(reset, read);
  return element("section", { class: "curves", "aria-label": "Plots" }, tools, plots.root);
}

main();

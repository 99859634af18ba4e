// The report: reads the data in the page and puts the parts together.

import { bind_keys, make_transport } from "./animation";
import { parse_report, type Labelled, type Report, type Scene } from "./data";
import { element } from "./dom";
import { make_header } from "./header";
import { Player } from "./player";
import { make_stage } from "./stage";

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
  const player = new Player(report);
  const main = element("main", {});
  if (report.scene) main.append(make_animation(report, report.scene, player));
  else main.classList.add("no-scene");
  main.classList.toggle("pair", Boolean(report.scene && report.beside));
  main.append(player.curves);
  const header = make_header(report);
  document.body.append(header, main, make_footer(report.scene !== null));
  // The animation takes the height that the header leaves it; see style.css.
  new ResizeObserver(() =>
    main.style.setProperty("--header", `${header.offsetHeight}px`)).observe(header);
  bind_keys(player.clock, player.times);
}

function make_footer(has_scene: boolean): HTMLElement {
  const keys = has_scene ? ["Space plays", "arrows step", "a click on a body traces a point"] : [];
  const hints =
    [...keys, "drag in a plot to zoom", "double-click for all", "click to set the time"];
  return element("footer", {}, element("span", {}, hints.join("  ·  ")),
    element("span", {}, "Koppel"));
}

// One scene, or two of them side by side that move together.
function make_animation(report: Report, scene: Scene, player: Player): HTMLElement {
  const parts: Labelled[] = [{ label: report.label ?? "", scene }];
  if (report.beside) parts.unshift(report.beside);
  const stages = parts.map((part) => {
    const stage = make_stage(part.scene, part.scene.frames);
    if (stage.view) player.show_in(stage.view, part.scene);
    return stage;
  });
  const roots = stages.map(({ root }, i) => parts.length === 1 ? root :
    element("figure", {}, element("figcaption", {}, parts[i]!.label), root));
  const stage = parts.length === 1 ? roots[0]! : element("div", { class: "stages" }, ...roots);
  const buttons = stages.length === 1 ? stages[0]!.buttons : [];
  return element("section", { class: "animation", "aria-label": "Animation" },
    stage, make_transport(player.clock, ...buttons));
}

main();

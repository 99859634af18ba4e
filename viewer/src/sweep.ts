// The report of a sweep: all variants at once, linked.

import { make_bands, type Band } from "./bands";
import { expect, list, numbers, record, string } from "./check";
import type { Table } from "./data";
import { element } from "./dom";
import { make_header, type Heading } from "./header";
import { make_parallel } from "./parallel";
import { kMostColumns, make_scatter } from "./scatter";
import { Selection } from "./selection";
import { make_theme_button } from "./theme";

interface Sweep extends Heading, Table {
  bands: Band[];
}

function parse(text: string): Sweep {
  const sweep = record(JSON.parse(text), "data");
  for (const name of ["title", "description"]) string(sweep[name], name);
  for (const name of ["messages", "alarms"]) list(sweep[name], name).forEach((item) => string(item, name));
  list(sweep.summary, "summary");
  const columns = list(sweep.columns, "columns");
  columns.forEach((column) => string(record(column, "columns").name, "columns"));
  const data = list(sweep.data, "data", columns.length);
  expect(columns.length > 0, "columns", "more than none");
  const rows = list(data[0], "data").length;
  data.forEach((values) => numbers(values, "data", rows));
  for (const item of list(sweep.bands, "bands")) {
    const band = record(item, "bands");
    string(band.name, "bands");
    const times = list(band.times, "bands").length;
    numbers(band.times, "bands", times);
    list(band.quantiles, "bands", times).forEach((values) => numbers(values, "bands", 5));
  }
  return sweep as unknown as Sweep;
}

function main() {
  const text = document.getElementById("koppel-data")?.textContent ?? "";
  let sweep: Sweep;
  try {
    sweep = parse(text);
  } catch (error) {
    document.body.append(element("p", { class: "failure" },
      `This page has no data that it can show. ${(error as Error).message}`));
    return;
  }
  document.title = `${sweep.title} – Koppel`;
  const selection = new Selection(sweep.data);
  const rows = sweep.data[0]!.length;
  const count = element("output", { class: "read" });
  const reset = element("button", { type: "button", class: "reset", hidden: true }, "Choose all");
  reset.addEventListener("click", () => sweep.columns.forEach((_, i) => selection.set(i, null)));
  const tell = () => {
    const chosen = selection.count();
    count.value = chosen === rows ? `all ${rows} variants` : `${chosen} of ${rows} variants`;
    reset.hidden = sweep.columns.every((_, i) => selection.range(i) === undefined);
  };
  selection.on_change(tell);
  tell();
  const hints = ["drag along an axis to choose a range", "click on it for all"];
  if (sweep.columns.length > kMostColumns) hints.push(`the matrix has the first ${kMostColumns} columns`);
  document.body.append(make_header(sweep),
    element("main", { class: "no-scene" },
      ...(sweep.bands.length > 0 ? [make_bands(sweep.bands)] : []),
      element("section", { "aria-label": "Parallel coordinates" },
        element("div", { class: "tools" }, reset, count, make_theme_button()),
        make_parallel(sweep, selection)),
      element("section", { "aria-label": "Scatter matrix" }, make_scatter(sweep, selection))),
    element("footer", {}, element("span", {}, hints.join("  ·  ")), element("span", {}, "Koppel")));
}

main();

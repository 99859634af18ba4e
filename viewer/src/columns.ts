// Which columns are plotted: the choice at the start, and the list to change it.

import type { Column } from "./data";
import { element } from "./dom";

const kMostAtStart = 6;

// The column of times, by group; else the first.
export function time_column(columns: Column[]): number {
  return Math.max(0, columns.findIndex((column) => column.group === "time"));
}

export function columns_of_group(columns: Column[], group: string): number[] {
  return columns.flatMap((column, i) => (column.group === group ? [i] : []));
}

const kShownAnyway = ["time", "energy", "constraints", "work"];

// Whether there is anything beside the plots that are always shown.
export function has_choice(columns: Column[]): boolean {
  return columns.some(({ group }) => !kShownAnyway.includes(group));
}

// Inputs and outputs where there are some, else coordinates, else whatever there is.
export function default_columns(columns: Column[]): number[] {
  const others = columns.flatMap((column, i) => (kShownAnyway.includes(column.group) ? [] : [i]));
  const time = time_column(columns);
  const first_of = (group: number[]) => group.filter((i) => i !== time).slice(0, kMostAtStart);
  const of_group = (group: string) => first_of(columns_of_group(columns, group));
  const choices = [[...of_group("inputs"), ...of_group("outputs")], of_group("coordinates")];
  return choices.find((choice) => choice.length > 0) ?? first_of(others);
}

// Columns of one unit share a plot, those without one by group; plots stand in the order of their
// first column.
export function group_by_unit(columns: Column[], chosen: number[]): number[][] {
  const plots = new Map<string, number[]>();
  for (const i of chosen) {
    const key = columns[i]!.unit || `of ${columns[i]!.group}`;
    plots.set(key, [...(plots.get(key) ?? []), i]);
  }
  return [...plots.values()];
}

// A button that opens a searchable list of all columns by group. `changed` gets the chosen
// columns in the order of the file.
export function make_chooser(
  columns: Column[], chosen: number[], changed: (chosen: number[]) => void
): HTMLElement {
  const time = time_column(columns);
  const boxes = columns.map((_, i) =>
    element("input", { type: "checkbox", checked: chosen.includes(i), "data-column": i }));
  const rows = columns.map((column, i) =>
    element("label", {}, boxes[i]!, element("span", {}, column.name),
      element("span", { class: "unit" }, column.unit)));
  const names = [...new Set(columns.map((column) => column.group))];
  const groups = names.map((name) => {
    const members = columns_of_group(columns, name).filter((i) => i !== time);
    const section = element("fieldset", {}, element("legend", {}, name),
      ...members.map((i) => rows[i]!));
    return { members, section };
  }).filter(({ members }) => members.length > 0);

  const count = element("span", { class: "count" });
  const search = element("input",
    { type: "search", placeholder: "Search", "aria-label": "Search columns" });
  const nothing = element("p", { class: "note", hidden: true }, "No column of that name.");
  const reset = element("button", { type: "button" }, "Default");
  const clear = element("button", { type: "button" }, "None");
  const list = element("div", { class: "list" }, ...groups.map(({ section }) => section), nothing);
  const panel = element("div", { class: "panel" },
    element("div", { class: "search" }, search, reset, clear), list);
  const menu = element("details", { class: "chooser" },
    element("summary", {}, "Columns", count), panel);

  const selection = () => boxes.flatMap((box, i) => (box.checked ? [i] : []));
  const show_count = () => {
    count.textContent = `${selection().length} of ${columns.length - 1}`;
  };
  const choose = (which: number[]) => {
    boxes.forEach((box, i) => { box.checked = which.includes(i); });
    show_count();
    changed(which);
  };
  const filter = () => {
    const words = search.value.toLowerCase().split(/\s+/);
    let found = false;
    for (const { members, section } of groups) {
      for (const i of members) {
        const text = `${columns[i]!.name} ${columns[i]!.unit} ${columns[i]!.group}`.toLowerCase();
        rows[i]!.hidden = !words.every((word) => text.includes(word));
      }
      section.hidden = members.every((i) => rows[i]!.hidden);
      found ||= !section.hidden;
    }
    nothing.hidden = found;
  };

  list.addEventListener("change", () => {
    show_count();
    changed(selection());
  });
  reset.addEventListener("click", () => choose(chosen));
  clear.addEventListener("click", () => choose([]));
  search.addEventListener("input", filter);
  menu.addEventListener("toggle", () => { if (menu.open) search.focus(); });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    menu.open = false;
    menu.querySelector("summary")!.focus();
  });
  document.addEventListener("pointerdown", (event) => {
    if (!menu.contains(event.target as Node)) menu.open = false;
  });
  show_count();
  return menu;
}

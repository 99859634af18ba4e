// Numbers to be changed while the mechanism runs: a slider and a field for each.

import { element } from "./dom";

export interface Adjustable {
  index: number; // among its likes
  name: string;
  unit: string;
  start: number;
  value?: number; // now, if not that of the start
  min: number | null;
  max: number | null;
}

// A slider goes over the limits, else from zero to twice the value at the start.
function range_of({ start, min, max }: Adjustable): [number, number] {
  const size = Math.abs(start) || 1;
  const low = start > 0 ? 0 : start < 0 ? -2 * size : -size;
  return [min ?? low, max ?? (start < 0 ? 0 : start > 0 ? 2 * size : size)];
}

// A section that can be folded. `changed` gets the index and the new value; `at_end`: when a slider
// has come to rest only.
export function make_sliders(
  title: string, open: boolean, all: Adjustable[], changed: (index: number, value: number) => void,
  at_end: boolean
): HTMLDetailsElement {
  const rows = all.map((variable) =>
    make_row(variable, (x) => changed(variable.index, x), at_end));
  const restore = element("button",
    { type: "button", title: "The values at the start" }, "Restore");
  restore.addEventListener("click", (event) => {
    event.preventDefault(); // nor fold the section
    for (const { set, variable } of rows) set(variable.start);
  });
  return element("details", { class: "sliders", open },
    element("summary", {}, title, element("span", { class: "count" }, String(all.length)), restore),
    ...rows.map(({ root }) => root));
}

function make_row(variable: Adjustable, changed: (value: number) => void, at_end: boolean) {
  const { name, unit, start } = variable;
  const slider = element("input",
    { type: "range", class: "slider", step: "any", "aria-label": name });
  const field = element("input",
    { type: "number", class: "field", step: "any", "aria-label": `${name}, value` });
  const widen = (value: number) => {
    const [low, high] = range_of(variable);
    slider.min = String(Math.min(low, 2 * value));
    slider.max = String(Math.max(high, 2 * value));
  };
  const show = (value: number, in_field: boolean) => {
    if (in_field) field.value = String(Number(value.toPrecision(5)));
    const share = (value - Number(slider.min)) / (Number(slider.max) - Number(slider.min));
    slider.style.setProperty("--share", `${100 * share}%`);
  };
  const set = (value: number) => {
    const clamped = Math.min(variable.max ?? Infinity, Math.max(variable.min ?? -Infinity, value));
    if (clamped < Number(slider.min) || clamped > Number(slider.max)) widen(clamped);
    slider.valueAsNumber = clamped;
    show(clamped, true);
    changed(clamped);
  };
  const value = variable.value ?? start;
  widen(0);
  if (value < Number(slider.min) || value > Number(slider.max)) widen(value);
  slider.valueAsNumber = value;
  show(value, true);
  slider.addEventListener("input", () => {
    show(slider.valueAsNumber, true);
    if (!at_end) changed(slider.valueAsNumber);
  });
  if (at_end) slider.addEventListener("change", () => changed(slider.valueAsNumber));
  field.addEventListener("change", () => set(field.valueAsNumber || 0));
  const label = element("span", { class: "name", title: name }, name);
  const root = element("label", { class: "row" }, label, slider, field,
    element("span", { class: "unit" }, unit));
  return { root, set, variable };
}

// The picture in the page: canvas, names of bodies under the pointer, scale; and what a click does.

import type { Frame, Mechanism } from "./data";
import { element } from "./dom";
import { SceneView } from "./scene";
import { on_theme_change, read_theme } from "./theme";

export interface Stage {
  root: HTMLElement;
  canvas: HTMLCanvasElement;
  view: SceneView | null; // null: there is nothing to show, or no way to
  buttons: HTMLElement[];
  close(): void;
}

// `frames`: see SceneView.
// `redundant`: names of joints that repeat others.
export function make_stage(
  mechanism: Mechanism, frames: Frame[], redundant: string[] = []
): Stage {
  const canvas = element("canvas", { tabindex: -1 });
  const label = element("div", { class: "label", hidden: true });
  const scale = element("div", { class: "scale" });
  const root = element("div", { class: "stage" }, canvas, label, scale);
  const fit = element("button", { type: "button", class: "fit", title: "Show all (F)" }, "Fit");
  const clear = element("button",
    { type: "button", class: "clear", title: "Remove the traces", hidden: true }, "Clear");
  const stage: Stage = { root, canvas, view: null, buttons: [clear, fit], close: () => {} };

  let view: SceneView;
  try {
    if (frames.length === 0) throw new Error("The run has no poses to show.");
    if (mechanism.bodies.length < 2 && mechanism.drawing.length === 0)
      throw new Error("The model has neither bodies nor a drawing.");
    view = new SceneView(canvas, mechanism, frames, read_theme(), redundant);
  } catch (error) {
    root.replaceChildren(element("p", { class: "note" }, (error as Error).message));
    fit.hidden = true;
    return stage;
  }
  stage.view = view;
  scale.textContent = `grid ${Number(view.grid_step.toPrecision(3))} m`;
  fit.addEventListener("click", () => view.fit());
  const show_clear = () => { clear.hidden = view.traces.count === 0; };
  clear.addEventListener("click", () => {
    view.clear_traces();
    show_clear();
  });
  const forget_theme = on_theme_change((theme) => view.set_theme(theme));
  stage.close = () => {
    forget_theme();
    view.dispose();
  };
  bind_pointer(canvas, label, view, show_clear);
  return stage;
}

// The name of the body under the pointer; a click (not a drag) traces a point of it.
function bind_pointer(
  canvas: HTMLElement, label: HTMLElement, view: SceneView, traced: () => void
) {
  let pressed: PointerEvent | null = null;
  canvas.addEventListener("pointerdown", (event) => {
    pressed = event;
    label.hidden = true;
  });
  canvas.addEventListener("pointermove", (event) => {
    const picked = event.buttons === 0 ? view.pick(event.offsetX, event.offsetY) : null;
    label.hidden = picked === null;
    canvas.classList.toggle("over", picked !== null);
    if (!picked) return;
    label.textContent = picked.name;
    label.style.transform = `translate(${event.offsetX + 12}px, ${event.offsetY + 12}px)`;
  });
  canvas.addEventListener("pointerleave", () => { label.hidden = true; });
  canvas.addEventListener("pointerup", (event) => {
    if (!pressed || event.button !== 0) return;
    if (Math.hypot(event.clientX - pressed.clientX, event.clientY - pressed.clientY) > 3) return;
    const picked = view.pick(event.offsetX, event.offsetY);
    if (picked) view.toggle_trace(picked);
    traced();
  });
}

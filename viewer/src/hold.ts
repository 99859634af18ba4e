// Taking hold of a body: a press on it pulls the point there to the pointer, in the plane of the
// screen, until it is let go. The step does the pulling: its inputs and parameters `grip.…` say which
// body, which point of it, where to, and with what force at most.

import { Vector3 } from "three";
import type { End, Vector } from "./data";
import type { Setting } from "./engine";
import type { Mechanism } from "./mechanism";
import type { Runner } from "./runner";
import type { SceneView } from "./scene";

const kParts = ["body", "x", "y", "z", "target_x", "target_y", "target_z"];
const kNobody = -1;

type Place = Pick<Setting, "of" | "index">;

export function is_grip(name: string): boolean {
  return name.startsWith("grip.");
}

// Where the parts are among the inputs and parameters; those of z are not there in the plane.
function find_parts({ inputs, parameters }: Mechanism): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const part of kParts) {
    const find = (of: Setting["of"], all: { name: string }[]) => {
      const index = all.findIndex(({ name }) => name === `grip.${part}`);
      if (index >= 0) places.set(part, { of, index });
    };
    find("inputs", inputs);
    find("parameters", parameters);
  }
  return places;
}

export class Hold {
  private end: End | null = null;
  private target: Vector | null = null;
  private through = new Vector3(); // where it was taken
  private pointer = { x: 0, y: 0 };

  // null: the step has no grip.
  static bind(
    canvas: HTMLElement, view: SceneView, mechanism: Mechanism, runner: Runner
  ): Hold | null {
    const places = find_parts(mechanism);
    return places.has("body") ? new Hold(canvas, view, places, runner) : null;
  }

  private constructor(
    canvas: HTMLElement, private readonly view: SceneView,
    private readonly places: Map<string, Place>, private readonly runner: Runner
  ) {
    // Before the camera hears of it.
    canvas.parentElement!.addEventListener("pointerdown", (event) => this.take(event, canvas), true);
    canvas.addEventListener("pointermove", (event) => this.pull(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      canvas.addEventListener(name, () => this.let_go());
  }

  // The body has moved, or the camera has.
  follow() {
    if (!this.end) return;
    this.target = this.view.point_under(
      this.pointer.x, this.pointer.y, this.through) ?? this.target;
    this.send_target();
  }

  private take(event: PointerEvent, canvas: HTMLElement) {
    if (event.target !== canvas || event.button !== 0 || this.end) return;
    const picked = this.view.pick(event.offsetX, event.offsetY);
    if (!picked) return;
    this.view.set_controls(false);
    canvas.setPointerCapture(event.pointerId);
    this.end = picked;
    this.through = this.view.point_of(picked);
    const [x, y, z] = picked.point;
    this.set({ body: picked.body - 1, x, y, z }); // the ground is not counted
    this.pull(event);
  }

  private pull(event: PointerEvent) {
    if (!this.end) return;
    this.pointer = { x: event.offsetX, y: event.offsetY };
    this.follow();
  }

  private let_go() {
    if (!this.end) return;
    this.end = this.target = null;
    this.set({ body: kNobody });
    this.view.set_controls(true);
    this.view.show_hold(null, null);
  }

  private send_target() {
    if (!this.target) return;
    const [target_x, target_y, target_z] = this.target;
    this.set({ target_x, target_y, target_z });
    this.view.show_hold(this.end, this.target);
  }

  private set(values: Record<string, number>) {
    for (const [part, value] of Object.entries(values)) {
      const place = this.places.get(part);
      if (place) this.runner.set(place.of, place.index, value);
    }
  }
}

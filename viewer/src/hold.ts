// Taking hold of bodies by mouse, pen or fingers: a press on one pulls the point there to the
// pointer, in the plane of the screen or along an axis, until it is let go.

import { Vector3 } from "three";
import type { End, Vector } from "./data";
import type { Hands } from "./hands";
import type { SceneView } from "./scene";

interface Pull {
  hand: number;
  end: End;
  through: Vector3; // where it was taken
  x: number; // of the pointer
  y: number;
}

export class Hold {
  axis: number | null = null; // 0, 1, 2: pull along x, y, z only
  private readonly pulls = new Map<number, Pull>(); // by pointer

  constructor(
    private readonly canvas: HTMLElement, private readonly view: SceneView,
    private readonly hands: Hands
  ) {
    // Before the camera hears of it.
    canvas.parentElement!.addEventListener("pointerdown", (event) => this.take(event), true);
    canvas.addEventListener("pointermove", (event) => this.pull(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      canvas.addEventListener(name, (event) => this.let_go(event.pointerId));
  }

  // The bodies have moved, or the camera has.
  follow() {
    for (const pull of this.pulls.values()) this.send(pull);
  }

  private take(event: PointerEvent) {
    if (event.target !== this.canvas || event.button !== 0) return;
    if (this.pulls.has(event.pointerId)) return;
    const picked = this.view.pick(event.offsetX, event.offsetY);
    const hand = picked && this.hands.take(picked);
    if (picked === null || hand === null) return;
    this.view.set_controls(false);
    this.canvas.setPointerCapture(event.pointerId);
    const through = this.view.point_of(picked);
    const pull = { hand, end: picked, through, x: event.offsetX, y: event.offsetY };
    this.pulls.set(event.pointerId, pull);
    this.send(pull);
  }

  private pull(event: PointerEvent) {
    const pull = this.pulls.get(event.pointerId);
    if (!pull) return;
    pull.x = event.offsetX;
    pull.y = event.offsetY;
    this.send(pull, event.timeStamp);
  }

  private send({ hand, through, x, y }: Pull, time?: number) {
    const target: Vector | null = this.axis === null ? this.view.point_under(x, y, through)
      : this.view.point_along(x, y, through, this.axis);
    if (target) this.hands.pull(hand, target, time);
  }

  private let_go(pointer: number) {
    const pull = this.pulls.get(pointer);
    if (!pull) return;
    this.pulls.delete(pointer);
    this.hands.let_go(pull.hand);
    if (this.pulls.size === 0) this.view.set_controls(true);
  }
}

// The mechanism in a headset, where the browser has one (WebXR): it stands before you, about a metre
// large; either hand takes hold of what its ray meets, and carries it.

import {
  BufferGeometry, Color, Line, LineBasicMaterial, PerspectiveCamera, Quaternion, Raycaster, Vector3,
  type Group,
} from "three";
import { element } from "./dom";
import type { Hands } from "./hands";
import type { Runner } from "./runner";
import type { SceneView } from "./scene";
import { read_theme } from "./theme";

const kSize = 1.0; // metres, of the mechanism as it is shown
const kPlace = new Vector3(0, 1.2, -1.1); // of its middle: before one who stands
const kForwards = new Vector3(0, 0, -1);
const kUp = new Vector3(0, 1, 0);

interface Grasp {
  hand: number;
  distance: number; // along the ray
}

class Headset {
  private readonly camera = new PerspectiveCamera();
  private readonly controllers: Group[];
  private readonly grasps = new Map<number, Grasp>(); // by controller

  constructor(
    private readonly view: SceneView, private readonly hands: Hands,
    private readonly runner: Runner, private readonly planar: boolean
  ) {
    const { xr } = view.renderer;
    this.controllers = [0, 1].map((i) => {
      const controller = xr.getController(i);
      const ray = new BufferGeometry().setFromPoints([new Vector3(), kForwards]);
      controller.add(new Line(ray, new LineBasicMaterial({ color: "#8899aa" })));
      controller.addEventListener("selectstart", () => this.take(i));
      controller.addEventListener("selectend", () => this.let_go(i));
      return controller;
    });
  }

  begin(session: XRSession) {
    const { renderer, world, room, bounds } = this.view;
    this.view.elsewhere = true;
    this.runner.has_own_beat = true;
    world.background = new Color(read_theme().paper);
    const scale = kSize / bounds.getSize(new Vector3()).length();
    if (!this.planar) room.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), kUp));
    room.scale.setScalar(scale);
    const middle = bounds.getCenter(new Vector3()).applyQuaternion(room.quaternion);
    room.position.copy(kPlace).addScaledVector(middle, -scale);
    room.updateMatrixWorld(true);
    world.add(...this.controllers);
    renderer.xr.enabled = true;
    const end = () => {
      renderer.xr.removeEventListener("sessionend", end);
      this.end();
    };
    renderer.xr.addEventListener("sessionend", end);
    void renderer.xr.setSession(session);
    renderer.setAnimationLoop((now) => this.draw(now));
  }

  private end() {
    const { renderer, world, room } = this.view;
    for (const i of [...this.grasps.keys()]) this.let_go(i);
    renderer.setAnimationLoop(null);
    renderer.xr.enabled = false;
    world.remove(...this.controllers);
    world.background = null;
    room.position.set(0, 0, 0);
    room.quaternion.identity();
    room.scale.setScalar(1);
    room.updateMatrixWorld(true);
    this.runner.has_own_beat = false;
    this.view.elsewhere = false;
  }

  private draw(now: number) {
    for (const [i, { hand, distance }] of this.grasps) {
      const { origin, direction } = this.ray(i).ray;
      const target = this.view.root.worldToLocal(origin.addScaledVector(direction, distance));
      if (this.planar) target.z = 0;
      this.hands.pull(hand, target.toArray());
    }
    this.runner.beat(now);
    this.view.renderer.render(this.view.world, this.camera);
  }

  private ray(i: number): Raycaster {
    const controller = this.controllers[i]!;
    controller.updateMatrixWorld(true);
    const origin = new Vector3().setFromMatrixPosition(controller.matrixWorld);
    const direction = kForwards.clone().transformDirection(controller.matrixWorld);
    return new Raycaster(origin, direction);
  }

  private take(i: number) {
    const picked = this.view.pick_along(this.ray(i));
    const hand = picked && this.hands.take(picked);
    if (picked && hand !== null) this.grasps.set(i, { hand, distance: picked.distance });
  }

  private let_go(i: number) {
    const grasp = this.grasps.get(i);
    this.grasps.delete(i);
    if (grasp) this.hands.let_go(grasp.hand);
  }
}

// Adds a button where the browser offers a headset.
export async function offer_headset(
  view: SceneView, hands: Hands, runner: Runner, planar: boolean,
  add: (button: HTMLElement) => void
) {
  const { xr } = navigator;
  if (!xr || !(await xr.isSessionSupported("immersive-vr").catch(() => false))) return;
  const headset = new Headset(view, hands, runner, planar);
  const button = element("button", { type: "button", class: "headset", title: "Show it in the headset" }, "VR");
  button.addEventListener("click", () => {
    xr.requestSession("immersive-vr", { optionalFeatures: ["local-floor"] })
      .then((session) => headset.begin(session), () => { button.disabled = true; });
  });
  add(button);
}

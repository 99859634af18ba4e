// The mechanism in 3D. It is drawn on demand: set_frame(), the mouse and a new size ask for it.
//
// The mechanism stands in a group that turns its `up` to that of the view (y in the plane, z in
// space). Points of the mechanism are in its own axes, those of the view in world axes.

import {
  DirectionalLight, Group, HemisphereLight, Plane, Raycaster, Scene as World, Vector2,
  Vector3, WebGLRenderer, type Box3, type Intersection, type Object3D,
} from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import { Arrows, type Force } from "./arrows";
import { CameraRig, type Look } from "./camera";
import type { End, Frame, Mechanism, Vector } from "./data";
import { element } from "./dom";
import { Drawing } from "./drawing";
import { read_pose } from "./frames";
import { grid_step, make_axes, make_grid } from "./grid";
import { Materials } from "./materials";
import { measure, middle_of, middle_of_motion, places_of, rough_size, size_of } from "./measure";
import { make_body, make_joint, make_rod, make_spring, stick_radius, stretch } from "./shapes";
import type { Theme } from "./theme";
import { Traces } from "./traces";

const kNear = 6; // pixels beside a body from which it is still hit
const kSnap = 14; // pixels around a point in which a click means it
const kFar = 4; // times its size: how far a mechanism moves before the camera goes with it
// Of the view: how far it may leave what is known of its motion while it is held, and else. A camera
// that went with the hand would carry off what the hand points at.
const kSlack = 0.35;
const kLeastSlack = 0.03;
const kCloser = 0.5; // of the way that is left, at every frame

// A spring or rod between two bodies.
interface Link {
  a: End;
  b: End;
  line: Line2;
}

export interface Picked extends End {
  name: string;
}

export class SceneView {
  readonly grid_step: number;
  readonly traces: Traces;
  readonly renderer: WebGLRenderer;
  readonly world = new World();
  readonly room = new Group(); // all but cameras; a headset moves it
  readonly root = new Group(); // the mechanism
  private readonly rig: CameraRig;
  private readonly materials: Materials;
  private readonly bodies: Group[];
  private readonly links: Link[];
  private readonly drawing: Drawing;
  private readonly holds: Line2[];
  private readonly arrows: Arrows;
  private ghost: Ghost | null = null;
  private readonly grid: Group;
  private readonly radius: number;
  readonly bounds: Box3; // of what is in view at first
  private readonly home: Box3; // where the middle of what moves is known to be
  private readonly goes_far: boolean;
  private readonly anchor = new Vector3(); // what the camera is placed by
  private spread = 0; // how far apart what moves is now, from its centre
  private shown: number; // how far apart the camera sees it
  private drawn = false;
  private is_elsewhere = false; // shown in a headset

  // Throws where the browser has no WebGL. `frames` are all poses to come, as far as they are
  // known; they decide what the view must hold.
  constructor(
    private readonly canvas: HTMLCanvasElement, private readonly mechanism: Mechanism,
    private readonly frames: Frame[], private theme: Theme, redundant: string[] = []
  ) {
    const context = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!context) throw new Error("This browser has no WebGL, which the animation needs.");
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(devicePixelRatio);
    this.materials = new Materials(theme);

    const { planar } = mechanism;
    const first = frames[0] ?? [];
    this.radius = stick_radius(rough_size(mechanism, first));
    this.bodies = mechanism.bodies.map((body, i) => {
      const group = make_body(body, this.materials.body(i), this.radius, planar, i === 0);
      group.userData.body = i;
      return group;
    });
    this.drawing = new Drawing(mechanism, this.materials, this.radius, canvas.parentElement!);
    this.traces = new Traces(this.materials, this.radius, planar ? 4 * this.radius : 0);
    this.root.quaternion.setFromUnitVectors(
      new Vector3(...mechanism.up), planar ? new Vector3(0, 1, 0) : new Vector3(0, 0, 1));
    this.root.updateMatrixWorld();
    const all = measure(mechanism, this.bodies, frames, this.root.matrixWorld);
    const start = measure(mechanism, this.bodies, [first], this.root.matrixWorld, true);
    this.goes_far = size_of(all) > kFar * size_of(start);
    this.bounds = this.goes_far ? start : all;
    this.home = middle_of_motion(mechanism, this.goes_far ? [first] : frames, this.root.matrixWorld);
    this.shown = 0.5 * size_of(this.bounds);

    for (const joint of mechanism.joints)
      this.bodies[joint.body]!.add(
        make_joint(joint, this.materials, this.radius, redundant.includes(joint.name)));
    this.links = this.make_links();
    this.holds = [0, 1].map(() => make_rod(this.materials.hold));
    for (const hold of this.holds) hold.visible = false;
    this.arrows = new Arrows(this.materials, this.radius, 0.25 * size_of(start));
    this.root.add(...this.bodies, ...this.links.map(({ line }) => line), this.drawing.root,
      this.traces.root, ...this.holds, this.arrows.root);

    this.grid_step = grid_step(size_of(this.bounds));
    this.grid = make_grid(this.bounds, this.grid_step, planar, this.materials);
    this.root.add(make_axes(this.grid_step, planar, this.materials));
    this.room.add(this.root, this.grid);
    this.world.add(this.room, new HemisphereLight("#ffffff", "#c4c8ce", 2.4));
    this.rig = new CameraRig(canvas, planar, () => this.request());
    const lamp = new DirectionalLight("#ffffff", 1.2);
    lamp.position.set(-0.4, 0.7, 1);
    this.rig.camera.add(lamp);
    this.world.add(this.rig.camera);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.bounds.getCenter(this.anchor);
    this.resize();
    this.fit();
  }

  // Shows this frame. A body whose pose is unknown is not drawn.
  set_frame(frame: Frame) {
    this.bodies.forEach((body, i) => {
      body.visible = read_pose(frame, i, body.position, body.quaternion);
      // Bodies in one plane are laid on each other like paper, that their faces may not flicker.
      if (this.mechanism.planar) body.position.z += 0.02 * this.radius * i;
      body.updateMatrixWorld();
    });
    for (const { a, b, line } of this.links)
      stretch(line, this.point_of(a), this.point_of(b), 2 * this.radius);
    this.drawing.set_frame(frame);
    this.traces.set_frame(frame);
    this.follow(frame);
    this.request();
  }

  // All of the mechanism where it is now.
  fit() {
    const moved = this.anchor.clone().sub(this.bounds.getCenter(new Vector3()));
    this.rig.fit(this.bounds.clone().translate(moved));
    const first = 0.5 * size_of(this.bounds);
    this.shown = Math.max(first, this.spread);
    if (this.shown > first) this.rig.recede(this.shown / first);
    this.request();
  }

  set_theme(theme: Theme) {
    this.theme = theme;
    this.materials.set_theme(theme);
    this.request();
  }

  // The body under the pointer, and its point there: a joint where one is near, else that of the
  // surface. Pixels from the upper left corner of the canvas.
  pick(x: number, y: number): Picked | null {
    const hit = this.hit(this.ray(x, y)) ?? this.hit_near(x, y);
    if (!hit) return null;
    const index = body_of(hit.object);
    const body = this.mechanism.bodies[index]!;
    const near = [body.com, ...body.points]
      .map((point) => ({ point, off: this.distance_on_screen({ body: index, point }, x, y) }))
      .sort((p, q) => p.off - q.off)[0]!;
    if (near.off < kSnap) return { name: body.name, body: index, point: near.point };
    return this.picked(hit);
  }

  // What a ray meets first, and where; null: nothing.
  pick_along(ray: Raycaster): (Picked & { distance: number }) | null {
    const hit = this.hit(ray);
    return hit && { ...this.picked(hit), distance: hit.distance };
  }

  // A point of a body, in the axes of the mechanism.
  point_of({ body, point }: End): Vector3 {
    const group = this.bodies[body]!;
    if (!group.visible) return new Vector3(NaN);
    group.updateMatrix();
    return new Vector3(...point).applyMatrix4(group.matrix);
  }

  // What the pointer is at in the plane of the screen through a point (of the mechanism).
  point_under(x: number, y: number, through: Vector3): Vector | null {
    const at = this.root.localToWorld(through.clone());
    const { ray } = this.ray(x, y);
    const normal = this.rig.camera.getWorldDirection(new Vector3());
    const hit = ray.intersectPlane(new Plane().setFromNormalAndCoplanarPoint(normal, at), at);
    if (!hit) return null;
    const found = this.root.worldToLocal(hit);
    if (this.mechanism.planar) found.z = 0;
    return found.toArray();
  }

  // The point next to the pointer on a line along an axis of the world (0, 1, 2) through a point.
  point_along(x: number, y: number, through: Vector3, axis: number): Vector | null {
    const at = this.root.localToWorld(through.clone());
    const along = this.root.localToWorld(through.clone().setComponent(axis, through.getComponent(axis) + 1))
      .sub(at).normalize();
    // Of the points a + s e of the axis and b + r d of the ray the nearest two:
    //   s − (e·d) r = e·(b − a),   (e·d) s − r = d·(b − a)
    const { origin, direction } = this.ray(x, y).ray;
    const off = origin.clone().sub(at);
    const slant = along.dot(direction);
    if (1 - slant * slant < 1e-6) return null; // seen end on
    const s = (along.dot(off) - slant * direction.dot(off)) / (1 - slant * slant);
    return this.root.worldToLocal(at.addScaledVector(along, s)).toArray();
  }

  // A line from a point held by a hand to where it is pulled; null: nothing is held.
  show_hold(hand: number, end: End | null, target: Vector | null) {
    const hold = this.holds[hand]!;
    hold.visible = false;
    if (end && target) stretch(hold, this.point_of(end), new Vector3(...target), this.radius);
    this.request();
  }

  // Arrows for these forces, in the axes of the mechanism.
  show_forces(forces: Force[]) {
    this.arrows.show(forces);
  }

  // Another pose of the mechanism, as a shadow; null: none.
  show_ghost(frame: Frame | null) {
    if (frame) this.ghost ??= new Ghost(this.mechanism, this.theme, this.radius, this.root);
    this.ghost?.set_frame(frame);
  }

  // From where it is looked at, if not from the usual side.
  get look(): Look | null {
    return this.rig.look;
  }
  set look(look: Look | null) {
    if (look) this.rig.look = look;
    this.request();
  }

  // A headset draws by itself, with a camera of its own.
  set elsewhere(is_elsewhere: boolean) {
    this.is_elsewhere = is_elsewhere;
    if (!is_elsewhere) this.resize();
  }

  set_controls(enabled: boolean) {
    this.rig.controls.enabled = enabled;
  }

  // Draws the path of a point through the known frames; a second time, removes it.
  toggle_trace(end: End) {
    this.traces.toggle(end, this.frames);
    this.request();
  }

  clear_traces() {
    this.traces.clear();
    this.request();
  }

  // A picture of this frame, after which the view is over.
  still(frame: Frame): HTMLImageElement {
    this.set_frame(frame);
    this.draw();
    const image = element("img", { src: this.canvas.toDataURL(), alt: "" });
    this.dispose();
    return image;
  }

  // Gives back what the browser has few of.
  dispose() {
    this.rig.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  private make_links(): Link[] {
    const { springs, joints, planar } = this.mechanism;
    return [
      ...springs.map(({ a, b, cable }) => ({
        a, b, line: cable ? make_rod(this.materials.rod) : make_spring(this.materials.spring, planar),
      })),
      ...joints.filter(({ kind }) => kind === "distance").map((joint) =>
        ({ a: joint, b: joint.other, line: make_rod(this.materials.rod) })),
    ];
  }

  // The camera goes with what leaves the view, and away from what comes apart; the grid under it by
  // whole squares.
  private follow(frame: Frame) {
    const points = places_of(this.mechanism, frame, this.root.matrixWorld);
    if (this.is_elsewhere || points.length === 0) return;
    const centre = middle_of(points);
    this.spread = Math.max(...points.map((p) => p.distanceTo(centre)));
    if (this.spread > this.shown) {
      this.rig.recede(this.spread / this.shown);
      this.shown = this.spread;
    }
    const moved = this.anchor.clone().sub(this.bounds.getCenter(new Vector3()));
    const home = this.home.clone().translate(moved);
    const beyond = (slack: number) => centre.clone().sub(
      home.clone().expandByScalar(slack * size_of(this.bounds)).clampPoint(centre, new Vector3()));
    const is_held = this.holds.some(({ visible }) => visible);
    const by = this.goes_far ? beyond(kLeastSlack) : beyond(kSlack);
    if (!this.goes_far && !is_held) by.lerp(beyond(kLeastSlack), kCloser);
    if (by.length() === 0) return;
    this.anchor.add(by);
    this.rig.move(by);
    const shift = this.anchor.clone().sub(this.bounds.getCenter(new Vector3()));
    const whole = (x: number) => this.grid_step * Math.round(x / this.grid_step);
    this.grid.position.set(whole(shift.x), whole(shift.y), 0);
  }

  private hit(ray: Raycaster): Intersection | null {
    return ray.intersectObjects(this.bodies.slice(1).filter((body) => body.visible))[0] ?? null;
  }

  // Thin bodies are hit from a few pixels beside them.
  private hit_near(x: number, y: number): Intersection | null {
    for (let i = 0; i < 8; ++i) {
      const angle = (Math.PI * i) / 4;
      const hit = this.hit(this.ray(x + kNear * Math.cos(angle), y + kNear * Math.sin(angle)));
      if (hit) return hit;
    }
    return null;
  }

  private picked(hit: Intersection): Picked {
    const index = body_of(hit.object);
    const local = this.bodies[index]!.worldToLocal(hit.point.clone());
    if (this.mechanism.planar) local.z = 0;
    return { name: this.mechanism.bodies[index]!.name, body: index, point: local.toArray() };
  }

  private ray(x: number, y: number): Raycaster {
    const { clientWidth, clientHeight } = this.canvas;
    const raycaster = new Raycaster();
    raycaster.setFromCamera(
      new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), this.rig.camera);
    return raycaster;
  }

  private distance_on_screen(end: End, x: number, y: number): number {
    const p = this.root.localToWorld(this.point_of(end)).project(this.rig.camera);
    const { clientWidth, clientHeight } = this.canvas;
    return Math.hypot(((p.x + 1) / 2) * clientWidth - x, ((1 - p.y) / 2) * clientHeight - y);
  }

  private resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0 || this.is_elsewhere) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.rig.resize(clientWidth, clientHeight);
    this.draw(); // at once, because a new size has cleared the canvas
  }

  private request() {
    if (!this.drawn || this.is_elsewhere) return;
    this.drawn = false;
    requestAnimationFrame(() => this.draw());
  }

  private draw() {
    this.drawn = true;
    if (this.is_elsewhere) return;
    this.renderer.render(this.world, this.rig.camera);
    const { clientWidth, clientHeight } = this.canvas;
    this.drawing.place_labels(this.rig.camera, clientWidth, clientHeight);
  }
}

// The mechanism once more, in another pose.
class Ghost {
  private readonly bodies: Group[];
  private readonly drawing: Drawing;

  constructor(mechanism: Mechanism, theme: Theme, radius: number, root: Group) {
    const materials = new Materials(theme, 0.3);
    const { bodies, planar } = mechanism;
    this.bodies = bodies.slice(1).map((body, i) =>
      make_body(body, materials.body(i + 1), radius, planar, false));
    this.drawing = new Drawing(mechanism, materials, radius, element("div"));
    root.add(...this.bodies, this.drawing.root);
  }

  set_frame(frame: Frame | null) {
    this.drawing.root.visible = frame !== null;
    this.bodies.forEach((body, i) => {
      body.visible = frame !== null && read_pose(frame, i + 1, body.position, body.quaternion);
    });
    if (frame) this.drawing.set_frame(frame);
  }
}

function body_of(object: Object3D): number {
  for (let node: Object3D | null = object; node; node = node.parent)
    if (node.userData.body !== undefined) return node.userData.body as number;
  return 0;
}

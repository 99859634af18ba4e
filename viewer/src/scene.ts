// The mechanism in 3D. It is drawn on demand: set_frame(), the mouse and a new size ask for it.

import {
  Box3, DirectionalLight, Group, HemisphereLight, Matrix4, Mesh, Object3D, Quaternion, Raycaster,
  Scene as World, SphereGeometry, Vector2, Vector3, WebGLRenderer, type BufferGeometry,
} from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import { CameraRig } from "./camera";
import { kPoseSize, type End, type Frame, type Mechanism } from "./data";
import { grid_step, make_axes, make_grid } from "./grid";
import { Materials } from "./materials";
import {
  make_body, make_joint, make_line, make_rod, make_spring, stick_radius, stretch,
} from "./shapes";
import type { Theme } from "./theme";

const kMostFramesMeasured = 300;
const kMostVerticesMeasured = 200; // of a body
const kSnap = 14; // pixels around a point in which a click means it

// A spring or rod between two bodies.
interface Link {
  a: End;
  b: End;
  line: Line2;
}

interface Trace {
  end: End;
  line: Line2;
  dot: Mesh;
}

export interface Picked extends End {
  name: string;
}

export class SceneView {
  readonly grid_step: number;
  private readonly renderer: WebGLRenderer;
  private readonly world = new World();
  private readonly rig: CameraRig;
  private readonly materials: Materials;
  private readonly bodies: Group[];
  private readonly links: Link[];
  private readonly radius: number;
  private readonly bounds: Box3;
  private traces: Trace[] = [];
  private drawn = false;

  // Throws where the browser has no WebGL. `frames` are all poses to come, as far as they are
  // known; they decide what the view must hold.
  constructor(
    private readonly canvas: HTMLCanvasElement, private readonly mechanism: Mechanism,
    private readonly frames: Frame[], theme: Theme
  ) {
    const context = canvas.getContext("webgl2", { antialias: true, alpha: true });
    if (!context) throw new Error("This browser has no WebGL, which the animation needs.");
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.setPixelRatio(devicePixelRatio);
    this.materials = new Materials(theme);

    const { planar } = mechanism;
    this.radius = stick_radius(this.size_at_start());
    this.bodies = mechanism.bodies.map((body, i) => {
      const group = make_body(body, this.materials.body(i), this.radius, planar, i === 0);
      group.userData.body = i;
      return group;
    });
    this.bounds = this.measure();
    for (const joint of mechanism.joints)
      this.bodies[joint.body]!.add(make_joint(joint, this.materials, this.radius));
    this.links = [
      ...mechanism.springs.map(({ a, b }) =>
        ({ a, b, line: make_spring(this.materials.spring, planar) })),
      ...mechanism.joints.filter(({ kind }) => kind === "distance").map((joint) =>
        ({ a: joint, b: joint.other, line: make_rod(this.materials.rod) })),
    ];

    const size = this.bounds.getSize(new Vector3()).length();
    this.grid_step = grid_step(size);
    this.world.add(...this.bodies, ...this.links.map(({ line }) => line),
      new HemisphereLight("#ffffff", "#c4c8ce", 2.4),
      make_grid(this.bounds, this.grid_step, planar, this.materials),
      make_axes(this.grid_step, planar, this.materials));

    this.rig = new CameraRig(canvas, planar, () => this.request());
    const lamp = new DirectionalLight("#ffffff", 1.2);
    lamp.position.set(-0.4, 0.7, 1);
    this.rig.camera.add(lamp);
    this.world.add(this.rig.camera);
    new ResizeObserver(() => this.resize()).observe(canvas);
    this.resize();
    this.rig.fit(this.bounds);
  }

  // Shows these poses. A body whose pose is unknown is not drawn.
  set_frame(frame: Frame) {
    this.bodies.forEach((body, i) => {
      body.visible = pose(frame, i, body.position, body.quaternion);
      // Bodies in one plane are laid on each other like paper, that their faces may not flicker.
      if (this.mechanism.planar) body.position.z += 0.02 * this.radius * i;
      body.updateMatrixWorld();
    });
    for (const { a, b, line } of this.links)
      stretch(line, this.world_point(a), this.world_point(b), 2 * this.radius);
    for (const trace of this.traces) this.place_dot(trace);
    this.request();
  }

  fit() {
    this.rig.fit(this.bounds);
    this.request();
  }

  set_theme(theme: Theme) {
    this.materials.set_theme(theme);
    this.request();
  }

  // The body under the pointer, and its point there: a joint where one is near, else that of the
  // surface. Pixels from the upper left corner of the canvas.
  pick(x: number, y: number): Picked | null {
    const { clientWidth, clientHeight } = this.canvas;
    const raycaster = new Raycaster();
    raycaster.setFromCamera(
      new Vector2((2 * x) / clientWidth - 1, 1 - (2 * y) / clientHeight), this.rig.camera);
    const hit = raycaster.intersectObjects(this.bodies.slice(1).filter((body) => body.visible))[0];
    if (!hit) return null;
    const index = body_of(hit.object);
    const body = this.mechanism.bodies[index]!;
    const near = [body.com, ...body.points]
      .map((point) => ({ point, off: this.distance_on_screen({ body: index, point }, x, y) }))
      .sort((p, q) => p.off - q.off)[0]!;
    if (near.off < kSnap) return { name: body.name, body: index, point: near.point };
    const local = this.bodies[index]!.worldToLocal(hit.point.clone());
    if (this.mechanism.planar) local.z = 0;
    return { name: body.name, body: index, point: local.toArray() };
  }

  // Draws the path of a point; a second time, removes it.
  toggle_trace(end: End) {
    const same = this.traces.find((trace) => trace.end.body === end.body &&
      new Vector3(...trace.end.point).distanceTo(new Vector3(...end.point)) < this.radius);
    if (same) {
      this.remove_trace(same);
      return;
    }
    const path = this.frames.flatMap((frame) => {
      const matrix = pose_matrix(frame, end.body);
      return matrix ? [new Vector3(...end.point).applyMatrix4(matrix)] : [];
    });
    const { line, dot } = this.materials.trace(this.traces.length);
    const trace = {
      end,
      line: make_line(path.length > 1 ? path : [new Vector3(), new Vector3()], line),
      dot: new Mesh(new SphereGeometry(0.9 * this.radius, 16, 12), dot),
    };
    // In front of the mechanism it belongs to.
    if (this.mechanism.planar) trace.line.position.z = trace.dot.position.z = 4 * this.radius;
    this.traces.push(trace);
    this.world.add(trace.line, trace.dot);
    this.place_dot(trace);
    this.request();
  }

  clear_traces() {
    for (const trace of this.traces) this.remove_trace(trace);
  }

  get num_traces(): number {
    return this.traces.length;
  }

  private remove_trace(trace: Trace) {
    this.world.remove(trace.line, trace.dot);
    trace.line.geometry.dispose();
    trace.dot.geometry.dispose();
    this.traces = this.traces.filter((other) => other !== trace);
    this.request();
  }

  private place_dot({ end, dot }: Trace) {
    dot.position.copy(this.world_point(end));
    if (this.mechanism.planar) dot.position.z = 4 * this.radius;
    dot.visible = this.bodies[end.body]!.visible;
  }

  private world_point({ body, point }: End): Vector3 {
    const group = this.bodies[body]!;
    return group.visible ? group.localToWorld(new Vector3(...point)) : new Vector3(NaN);
  }

  private distance_on_screen(end: End, x: number, y: number): number {
    const p = this.world_point(end).project(this.rig.camera);
    const { clientWidth, clientHeight } = this.canvas;
    return Math.hypot(((p.x + 1) / 2) * clientWidth - x, ((1 - p.y) / 2) * clientHeight - y);
  }

  // The diagonal of the mechanism's box in its first pose: of points and plain extents, because
  // sticks are not made yet.
  private size_at_start(): number {
    const box = new Box3();
    this.mechanism.bodies.forEach((body, i) => {
      const matrix = pose_matrix(this.frames[0] ?? [], i) ?? new Matrix4();
      const add = (x: number, y: number, z: number) =>
        box.expandByPoint(new Vector3(x, y, z).applyMatrix4(matrix));
      if (i > 0) add(...body.com);
      for (const p of body.points) add(...p);
      for (const shape of body.shapes) {
        if (shape.kind === "line") for (const p of shape.points) add(...p);
        else for (const sign of [-1, 1]) {
          const reach = sign * Math.max(...shape.size) / 2;
          const [x, y, z] = shape.position;
          add(x + reach, y + reach, this.mechanism.planar ? z : z + reach);
        }
      }
    });
    const size = box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
    return size > 0 ? size : 1;
  }

  // The box of all bodies and springs in all frames. Vertices are measured, some of many, because
  // boxes around turning bodies would be too large.
  private measure(): Box3 {
    const outlines = this.bodies.map((body) => vertices(body, kMostVerticesMeasured));
    for (const end of this.mechanism.springs.flatMap(({ a, b }) => [a, b]))
      outlines[end.body]!.push(new Vector3(...end.point));
    const box = new Box3();
    const point = new Vector3();
    const stride = Math.ceil(this.frames.length / kMostFramesMeasured);
    for (let k = 0; k < this.frames.length; k += stride) {
      outlines.forEach((outline, i) => {
        const matrix = pose_matrix(this.frames[k]!, i);
        if (matrix) for (const p of outline) box.expandByPoint(point.copy(p).applyMatrix4(matrix));
      });
    }
    if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
    return box;
  }

  private resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.rig.resize(clientWidth, clientHeight);
    this.draw(); // at once, because a new size has cleared the canvas
  }

  private request() {
    if (!this.drawn) return;
    this.drawn = false;
    requestAnimationFrame(() => this.draw());
  }

  private draw() {
    this.drawn = true;
    this.renderer.render(this.world, this.rig.camera);
  }
}

// Reads the pose of body i; false where it is unknown.
function pose(frame: Frame, i: number, position: Vector3, quaternion: Quaternion): boolean {
  const at = kPoseSize * i;
  for (let k = at; k < at + kPoseSize; ++k) if (!Number.isFinite(frame[k] ?? NaN)) return false;
  const value = (k: number) => frame[at + k] as number;
  position.set(value(0), value(1), value(2));
  quaternion.set(value(4), value(5), value(6), value(3)).normalize();
  return true;
}

function pose_matrix(frame: Frame, i: number): Matrix4 | null {
  const position = new Vector3();
  const quaternion = new Quaternion();
  if (!pose(frame, i, position, quaternion)) return null;
  return new Matrix4().compose(position, quaternion, new Vector3(1, 1, 1));
}

// At most about `most` vertices of an object in its own frame.
function vertices(object: Object3D, most: number): Vector3[] {
  const found: Vector3[] = [];
  object.updateMatrixWorld();
  object.traverse((node) => {
    if (!(node instanceof Mesh)) return;
    const { attributes } = node.geometry as BufferGeometry;
    // Wide lines keep their points as instances of a segment.
    for (const name of attributes.instanceStart ? ["instanceStart", "instanceEnd"] : ["position"]) {
      const values = attributes[name]!;
      for (let i = 0; i < values.count; ++i)
        found.push(new Vector3().fromBufferAttribute(values, i).applyMatrix4(node.matrixWorld));
    }
  });
  const stride = Math.ceil(found.length / most);
  return found.filter((_, i) => i % stride === 0);
}

function body_of(object: Object3D): number {
  for (let node: Object3D | null = object; node; node = node.parent)
    if (node.userData.body !== undefined) return node.userData.body as number;
  return 0;
}

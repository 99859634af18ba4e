// How large a mechanism is: at the start, and in all of its motion.

import { Box3, Matrix4, Mesh, Vector3, type BufferGeometry, type Object3D } from "three";
import type { Frame, Mechanism } from "./data";
import { outline_of } from "./drawing";
import { pose_matrix } from "./frames";

const kMostFramesMeasured = 300;
const kMostVerticesMeasured = 200; // of a body

// The diagonal of the mechanism's box in a pose: of points and plain extents, because sticks are
// not made yet.
export function rough_size(mechanism: Mechanism, frame: Frame): number {
  const box = new Box3();
  mechanism.bodies.forEach((body, i) => {
    const matrix = pose_matrix(frame, i) ?? new Matrix4();
    const add = (x: number, y: number, z: number) =>
      box.expandByPoint(new Vector3(x, y, z).applyMatrix4(matrix));
    if (i > 0) add(...body.com);
    for (const p of body.points) add(...p);
    for (const shape of body.shapes) {
      if (shape.kind === "line") for (const p of shape.points) add(...p);
      else for (const sign of [-1, 1]) {
        const reach = sign * Math.max(...shape.size) / 2;
        const [x, y, z] = shape.position;
        add(x + reach, y + reach, mechanism.planar ? z : z + reach);
      }
    }
  });
  for (const p of outline_of(mechanism, frame)) box.expandByPoint(p);
  return size_of(box) || 1;
}

export function size_of(box: Box3): number {
  return box.isEmpty() ? 0 : box.getSize(new Vector3()).length();
}

// The box of all bodies and springs in these frames, seen through `view`; or of what moves, with the
// places of the ground that it hangs on: a bob and its pivot, but not the road of a car.
// Vertices are measured, some of many, because boxes around turning bodies would be too large.
export function measure(
  mechanism: Mechanism, bodies: Object3D[], frames: Frame[], view: Matrix4, moving = false
): Box3 {
  const outlines = bodies.map((body, i) =>
    (moving && i === 0 ? [] : vertices(body, kMostVerticesMeasured)));
  const hung = mechanism.joints.filter(({ kind }) => kind !== "rolling");
  for (const end of [...mechanism.springs.flatMap(({ a, b }) => [a, b]),
                     ...hung.flatMap((joint) => [joint, joint.other])])
    outlines[end.body]!.push(new Vector3(...end.point));
  const box = new Box3();
  const point = new Vector3();
  const stride = Math.ceil(frames.length / kMostFramesMeasured);
  for (let k = 0; k < frames.length; k += stride) {
    outlines.forEach((outline, i) => {
      const matrix = pose_matrix(frames[k]!, i)?.premultiply(view);
      if (matrix) for (const p of outline) box.expandByPoint(point.copy(p).applyMatrix4(matrix));
    });
    for (const p of outline_of(mechanism, frames[k]!, moving))
      box.expandByPoint(p.applyMatrix4(view));
  }
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  return box;
}

// Centres of mass of the bodies that move, and what is drawn of them, seen through `view`.
export function places_of(mechanism: Mechanism, frame: Frame, view: Matrix4): Vector3[] {
  const points = mechanism.bodies.slice(1).flatMap((body, i) => {
    const matrix = pose_matrix(frame, i + 1);
    return matrix ? [new Vector3(...body.com).applyMatrix4(matrix)] : [];
  });
  points.push(...outline_of(mechanism, frame, true));
  return points.filter((p) => Number.isFinite(p.x + p.y + p.z)).map((p) => p.applyMatrix4(view));
}

export function middle_of(points: Vector3[]): Vector3 {
  return points.reduce((total, p) => total.add(p), new Vector3()).divideScalar(points.length);
}

// The box of the middles of what moves in these frames.
export function middle_of_motion(mechanism: Mechanism, frames: Frame[], view: Matrix4): Box3 {
  const box = new Box3();
  const stride = Math.ceil(frames.length / kMostFramesMeasured);
  for (let k = 0; k < frames.length; k += stride) {
    const points = places_of(mechanism, frames[k]!, view);
    if (points.length > 0) box.expandByPoint(middle_of(points));
  }
  if (box.isEmpty()) box.set(new Vector3(), new Vector3());
  return box;
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

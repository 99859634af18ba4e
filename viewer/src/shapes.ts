// Bodies, joints and springs as objects of three.js, each in its own frame.

import {
  Box3, BoxGeometry, BufferGeometry, CapsuleGeometry, CylinderGeometry, EdgesGeometry, Group, LineSegments, Mesh,
  Shape as Outline, ShapeGeometry, SphereGeometry, Vector2, Vector3,
  type Material, type Object3D,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import type { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Body, Joint, Shape, Vector } from "./data";
import type { BodyMaterials, Materials } from "./materials";

const kX = new Vector3(1, 0, 0);
const kY = new Vector3(0, 1, 0);
const kEdgeAngle = 30; // degrees between faces from which on their edge is drawn
const kCoils = 7;

// The radius of sticks for a mechanism of this size; other markers are multiples of it.
export function stick_radius(size: number): number {
  return 0.011 * size;
}

// The body's shapes, or else sticks between the points that joints hold on to.
// A planar mechanism is flattened to the thickness of its sticks, so that joints stay in view.
export function make_body(
  body: Body, materials: BodyMaterials, radius: number, planar: boolean, is_ground: boolean
): Group {
  const group = new Group();
  for (const shape of body.shapes) group.add(make_shape(shape, materials, radius));
  if (planar) {
    const depth = new Box3().setFromObject(group).getSize(new Vector3()).z;
    if (depth > 2 * radius) group.scale.z = (2 * radius) / depth;
  }
  const frame = new Group().add(group);
  let extra: Object3D[] = [];
  if (is_ground) extra = body.points.map((p) => make_support(p, materials, radius));
  else if (body.shapes.length === 0) extra = make_sticks(body, materials, radius, planar);
  for (const object of extra) frame.add(object);
  return frame;
}

function make_shape(shape: Shape, materials: BodyMaterials, radius: number): Object3D {
  if (shape.kind === "line") {
    const points = shape.points.map((p) => new Vector3(...p));
    return points.length === 2 ? make_stick(points[0]!, points[1]!, materials, radius)
                               : make_line(points, materials.line);
  }
  const object = make_solid(shape.kind, shape.size, materials, radius);
  const [qw, qx, qy, qz] = shape.quaternion;
  object.position.set(...shape.position);
  object.quaternion.set(qx, qy, qz, qw).normalize();
  return object;
}

function make_solid(
  kind: "box" | "cylinder" | "sphere", size: Vector, materials: BodyMaterials, radius: number
): Mesh {
  const thinnest = 0.1 * radius; // what has no thickness gets a little
  const [x, y, z] = size.map((length) => Math.max(length, thinnest)) as Vector;
  switch (kind) {
    case "box": return with_edges(new BoxGeometry(x, y, z), materials);
    case "sphere": return new Mesh(new SphereGeometry(x, 32, 20), materials.fill);
    case "cylinder": {
      const mesh = with_edges(new CylinderGeometry(x, x, y, 48).rotateX(Math.PI / 2), materials);
      return x > y ? mesh.add(make_spokes(x, y, materials.edge)) : mesh;
    }
  }
}

// On both faces of a disc, that its turning may be seen.
function make_spokes(radius: number, thickness: number, edge: Material): LineSegments {
  const ends: Vector3[] = [];
  for (const z of [-0.501 * thickness, 0.501 * thickness]) {
    for (let i = 0; i < 5; ++i) {
      const angle = (2 * Math.PI * i) / 5;
      const [x, y] = [Math.cos(angle), Math.sin(angle)];
      ends.push(new Vector3(0.15 * radius * x, 0.15 * radius * y, z),
        new Vector3(0.8 * radius * x, 0.8 * radius * y, z));
    }
  }
  const spokes = new LineSegments(new BufferGeometry().setFromPoints(ends), edge);
  spokes.raycast = () => {};
  return spokes;
}

export function with_edges(
  geometry: BufferGeometry, { fill, edge }: { fill: Material; edge: Material }
): Mesh {
  const mesh = new Mesh(geometry, fill);
  const edges = new LineSegments(new EdgesGeometry(geometry, kEdgeAngle), edge);
  edges.raycast = () => {};
  return mesh.add(edges);
}

function make_stick(a: Vector3, b: Vector3, { fill }: BodyMaterials, radius: number): Mesh {
  const along = b.clone().sub(a);
  const mesh = new Mesh(new CapsuleGeometry(radius, along.length(), 6, 16), fill);
  mesh.position.copy(a).addScaledVector(along, 0.5);
  mesh.quaternion.setFromUnitVectors(kY, along.normalize());
  return mesh;
}

export function make_line(points: Vector3[], material: LineMaterial): Line2 {
  const geometry = new LineGeometry().setPositions(points.flatMap((p) => p.toArray()));
  return new Line2(geometry, material);
}

// A fixed point of the ground.
function make_support(point: Vector, materials: BodyMaterials, radius: number): Object3D {
  const mesh = with_edges(new BoxGeometry(3.4 * radius, 3.4 * radius, 1.5 * radius), materials);
  mesh.position.set(...point);
  return mesh;
}

// The centre of mass and the points, joined: on a line by one stick, in a plane by a plate with
// its rim, else by a stick from the centre to each.
function make_sticks(
  body: Body, materials: BodyMaterials, radius: number, planar: boolean
): Object3D[] {
  const centre = new Vector3(...body.com);
  const ball = new Mesh(new SphereGeometry(1.8 * radius, 24, 16), materials.fill);
  ball.position.copy(centre);
  const points = distinct(body.points.map((p) => new Vector3(...p)), 0.5 * radius);
  if (points.length === 0) return [ball];

  const ends = ends_on_line([centre, ...points], radius);
  if (ends) return [ball, make_stick(...ends, materials, radius)];
  if (planar && points.length > 2) {
    const rim = convex_hull(points);
    const plate = new Mesh(
      new ShapeGeometry(new Outline(rim.map((p) => new Vector2(p.x, p.y)))), materials.plate);
    const sides = rim.map((p, i) =>
      make_stick(p, rim[(i + 1) % rim.length]!, materials, radius));
    return [ball, plate, ...sides];
  }
  return [ball, ...points.filter((p) => p.distanceTo(centre) > radius)
    .map((p) => make_stick(centre, p, materials, radius))];
}

function distinct(points: Vector3[], tolerance: number): Vector3[] {
  return points.filter((p, i) => points.findIndex((q) => q.distanceTo(p) < tolerance) === i);
}

// The outermost two points where all lie on one line, up to the tolerance.
function ends_on_line(points: Vector3[], tolerance: number): [Vector3, Vector3] | null {
  const far = (from: Vector3) =>
    points.reduce((best, p) => (p.distanceTo(from) > best.distanceTo(from) ? p : best));
  const a = far(points[0]!);
  const b = far(a);
  const along = b.clone().sub(a);
  if (along.length() < tolerance) return null;
  along.normalize();
  const off = (p: Vector3) => p.clone().sub(a).cross(along).length();
  return points.every((p) => off(p) < tolerance) ? [a, b] : null;
}

// Counterclockwise, of points in the x-y plane [Andrew 1979, monotone chain].
function convex_hull(points: Vector3[]): Vector3[] {
  const sorted = [...points].sort((p, q) => p.x - q.x || p.y - q.y);
  const half = (order: Vector3[]) => {
    const chain: Vector3[] = [];
    for (const p of order) {
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2) as [Vector3, Vector3];
        if ((b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

// Pins, guides and balls, in the frame of the joint's body.
// Those that repeat what others say stand out.
export function make_joint(
  joint: Joint, materials: Materials, radius: number, is_redundant: boolean
): Object3D {
  const mesh = make_joint_mesh(joint.kind, materials, is_redundant ? 1.3 * radius : radius);
  if (is_redundant) mesh.material = materials.alarm;
  const axis = new Vector3(...joint.axis);
  if (axis.length() > 0) mesh.quaternion.setFromUnitVectors(kY, axis.normalize());
  mesh.position.set(...joint.point);
  return mesh;
}

// With its axis along y.
function make_joint_mesh(kind: string, materials: Materials, radius: number): Mesh {
  const looks = { fill: materials.joint, edge: materials.joint_edge };
  const box = (length: number) => new BoxGeometry(2.4 * radius, length * radius, 2.4 * radius);
  switch (kind) {
    case "revolute":
    case "cylindrical":
    case "screw":
      return with_edges(
        new CylinderGeometry(1.25 * radius, 1.25 * radius, 4.5 * radius, 32), looks);
    case "prismatic":
      return with_edges(box(5.5), looks);
    case "fixed":
      return with_edges(box(2.4), looks);
    default:
      return new Mesh(new SphereGeometry(1.5 * radius, 24, 16), materials.ball);
  }
}

// A spring of unit length along x and unit radius; stretch() puts it in place.
export function make_spring(material: LineMaterial, planar: boolean): Line2 {
  const points = [new Vector3(0, 0, 0)];
  const steps = planar ? 2 * kCoils : 16 * kCoils;
  for (let i = 0; i <= steps; ++i) {
    const angle = 2 * Math.PI * kCoils * (i / steps);
    const x = 0.12 + 0.76 * (i / steps);
    if (!planar) points.push(new Vector3(x, Math.cos(angle), Math.sin(angle)));
    else points.push(new Vector3(x, i === 0 || i === steps ? 0 : i % 2 ? 1 : -1, 0));
  }
  points.push(kX);
  return make_line(points, material);
}

// A massless rod of unit length along x.
export function make_rod(material: LineMaterial): Line2 {
  return make_line([new Vector3(), kX], material);
}

// Puts an object of unit length along x between two points.
export function stretch(object: Object3D, a: Vector3, b: Vector3, radius: number) {
  const along = b.clone().sub(a);
  const length = along.length();
  object.visible = Number.isFinite(length) && length > 0;
  if (!object.visible) return;
  object.position.copy(a);
  object.scale.set(length, radius, radius);
  object.quaternion.setFromUnitVectors(kX, along.divideScalar(length));
}

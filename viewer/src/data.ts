// What a report shows: the contract with the program that writes it, and a check of it.
//
// Lengths in metres, times in seconds, angles in radians; quaternions are (w, x, y, z) and turn
// body coordinates into world coordinates. The world is right-handed; a planar mechanism moves in
// the x-y plane.

import { expect, list, numbers, record, string, unpacked } from "./check";
import type { Heading } from "./header";

export type Vector = [number, number, number];
export type Quaternion = [number, number, number, number];

export interface Column {
  name: string;
  unit: string;
  group: string; // time, outputs, coordinates, velocities, multipliers, energy, constraints, ...
}

interface Placed {
  position: Vector;
  quaternion: Quaternion;
}

export type Shape =
  | ({ kind: "box"; size: Vector } & Placed)
  | ({ kind: "cylinder"; size: Vector } & Placed) // radius, length along the local z axis
  | ({ kind: "sphere"; size: Vector } & Placed) // radius
  | { kind: "line"; points: Vector[] };

export interface Body {
  name: string;
  com: Vector; // its centre of mass; this and all that follows in its frame
  shapes: Shape[];
  points: Vector[]; // where joints and forces hold on to it
}

// A point of a body, in its frame.
export interface End {
  body: number;
  point: Vector;
}

export interface Joint extends End {
  name: string;
  kind: string; // revolute, prismatic, distance, ...
  axis: Vector; // of the body
  other: End; // on the body at the other side
}

export interface Spring {
  name: string;
  a: End;
  b: End;
  cable?: boolean; // its pull does not depend on its length
}

// A part of the model's own drawing, at places that each frame has.
export interface Drawn {
  name: string;
  kind: "point" | "line" | "cable" | "circle" | "box" | "label";
  points: number; // how many
  size: Vector; // circle: radius; box: edges
  text: string; // of a label
  moves: boolean;
}
export const kDrawnKinds = ["point", "line", "cable", "circle", "box", "label"];

// How many numbers a frame has of it: x y z of each point, and of a box its turn about z.
export function numbers_of({ kind, points }: Drawn): number {
  return 3 * points + (kind === "box" ? 1 : 0);
}

// The poses of all bodies at one time, seven numbers each: x y z, qw qx qy qz; then the numbers of
// all that is drawn. What is not known is null.
export type Frame = ArrayLike<number | null>;
export const kPoseSize = 7;

export interface Mechanism {
  planar: boolean;
  bodies: Body[]; // the ground first
  joints: Joint[];
  springs: Spring[];
  drawing: Drawn[];
  up: Vector;
}

export interface Scene extends Mechanism {
  times: number[];
  frames: Frame[];
}

export interface Table {
  columns: Column[];
  data: (number | null)[][]; // one array a column
  over?: ((number | null)[] | null)[]; // the same of another motion, to compare with
}

// A scene with what it is.
export interface Labelled {
  label: string;
  scene: Scene;
}

export interface Report extends Heading, Table {
  scene: Scene | null;
  // Another one to compare it with, on its left, and then what this one is.
  label?: string;
  beside?: Labelled | null;
}

export function parse_report(text: string): Report {
  return checked_report(JSON.parse(text));
}

export function checked_report(report: unknown): Report {
  check_report(report);
  return report;
}

// Unpacks numbers; throws an error that names the first entry that breaks the contract.
function check_report(report: unknown): asserts report is Report {
  const top = record(report, "the report");
  string(top.title, "title");
  string(top.description, "description");
  list(top.summary, "summary").forEach((entry, i) => {
    const { label, value } = record(entry, `summary[${i}]`);
    string(label, `summary[${i}].label`);
    string(value, `summary[${i}].value`);
  });
  list(top.messages, "messages").forEach((entry, i) => string(entry, `messages[${i}]`));
  list(top.alarms, "alarms").forEach((entry, i) => string(entry, `alarms[${i}]`));
  const columns = list(top.columns, "columns");
  columns.forEach((entry, i) => {
    const column = record(entry, `columns[${i}]`);
    for (const key of ["name", "unit", "group"]) string(column[key], `columns[${i}].${key}`);
  });
  const data = list(top.data, "data", columns.length)
    .map((values, i) => unpacked(values, `data[${i}]`));
  top.data = data;
  const samples = data.length > 0 ? list(data[0], "data[0]").length : 0;
  data.forEach((values, i) => numbers(values, `data[${i}]`, samples));
  if (top.scene !== null) check_scene(record(top.scene, "scene"));
  if (top.beside) {
    const beside = record(top.beside, "beside");
    string(top.label, "label");
    string(beside.label, "beside.label");
    check_scene(record(beside.scene, "beside.scene"));
  }
}

export function check_scene(scene: Record<string, unknown>) {
  const bodies = list(scene.bodies, "scene.bodies");
  const body_index = (value: unknown, where: string) =>
    expect(Number.isInteger(value) && (value as number) in bodies, where, "the number of a body");
  const end = (value: unknown, where: string) => {
    const { body, point } = record(value, where);
    body_index(body, `${where}.body`);
    numbers(point, `${where}.point`, 3);
  };

  bodies.forEach((entry, i) => {
    const where = `scene.bodies[${i}]`;
    const body = record(entry, where);
    string(body.name, `${where}.name`);
    numbers(body.com, `${where}.com`, 3);
    list(body.shapes, `${where}.shapes`).forEach((shape, k) =>
      check_shape(record(shape, `${where}.shapes[${k}]`), `${where}.shapes[${k}]`));
    list(body.points, `${where}.points`).forEach((p, k) => numbers(p, `${where}.points[${k}]`, 3));
  });
  list(scene.joints, "scene.joints").forEach((entry, i) => {
    const where = `scene.joints[${i}]`;
    const joint = record(entry, where);
    string(joint.name, `${where}.name`);
    string(joint.kind, `${where}.kind`);
    end(joint, where);
    numbers(joint.axis, `${where}.axis`, 3);
    end(joint.other, `${where}.other`);
  });
  list(scene.springs, "scene.springs").forEach((entry, i) => {
    const where = `scene.springs[${i}]`;
    const spring = record(entry, where);
    string(spring.name, `${where}.name`);
    end(spring.a, `${where}.a`);
    end(spring.b, `${where}.b`);
  });
  const drawn = list(scene.drawing, "scene.drawing").map((entry, i) => {
    const where = `scene.drawing[${i}]`;
    const part = record(entry, where);
    for (const key of ["name", "text"]) string(part[key], `${where}.${key}`);
    expect(kDrawnKinds.includes(part.kind as string), `${where}.kind`,
           `one of ${kDrawnKinds.join(", ")}`);
    expect(Number.isInteger(part.points), `${where}.points`, "a number of points");
    numbers(part.size, `${where}.size`, 3);
    return numbers_of(part as unknown as Drawn);
  });
  numbers(scene.up, "scene.up", 3);
  const times = list(scene.times, "scene.times");
  numbers(times, "scene.times", times.length);
  const size = kPoseSize * bodies.length + drawn.reduce((sum, count) => sum + count, 0);
  scene.frames = list(scene.frames, "scene.frames", times.length)
    .map((frame, i) => unpacked(frame, `scene.frames[${i}]`));
  (scene.frames as unknown[]).forEach((frame, i) => numbers(frame, `scene.frames[${i}]`, size));
}

function check_shape(shape: Record<string, unknown>, where: string) {
  if (shape.kind === "line") {
    list(shape.points, `${where}.points`).forEach((p, i) => numbers(p, `${where}.points[${i}]`, 3));
    return;
  }
  const kinds = ["box", "cylinder", "sphere"];
  expect(kinds.includes(shape.kind as string), `${where}.kind`, "box, cylinder, sphere or line");
  numbers(shape.size, `${where}.size`, 3);
  numbers(shape.position, `${where}.position`, 3);
  numbers(shape.quaternion, `${where}.quaternion`, 4);
}

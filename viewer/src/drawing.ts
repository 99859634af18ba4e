// The model's own drawing: points, lines, cables, circles, boxes and labels, put where each frame
// says.

import {
  BoxGeometry, CircleGeometry, CylinderGeometry, Group, Mesh, SphereGeometry, Vector3,
  type Camera, type Object3D,
} from "three";
import { kPoseSize, numbers_of, type Drawn, type Frame, type Mechanism } from "./data";
import { element } from "./dom";
import type { BodyMaterials, Materials } from "./materials";
import { make_line, make_rod, stretch, with_edges } from "./shapes";

interface Part {
  first: number; // its place in a frame
  drawn: Drawn;
  objects: Object3D[]; // of lines and cables one for each segment
}

interface Label {
  text: HTMLElement;
  at: Vector3;
}

export class Drawing {
  readonly root = new Group();
  private readonly parts: Part[] = [];
  private readonly labels: Label[] = [];

  // Labels stand in `overlay`, above the picture.
  constructor(
    mechanism: Mechanism, materials: Materials, private readonly radius: number,
    overlay: HTMLElement
  ) {
    let first = kPoseSize * mechanism.bodies.length;
    let colour = 0;
    for (const drawn of mechanism.drawing) {
      // What stays is grey like the ground; the rest has the colours of bodies, in turn.
      const own = drawn.kind !== "cable" && drawn.kind !== "label" && drawn.moves;
      const looks = materials.body(own ? mechanism.bodies.length + colour++ : 0);
      const objects = this.make(drawn, looks, materials, mechanism.planar);
      if (drawn.kind === "label") {
        const text = element("div", { class: "drawn-label" }, drawn.text);
        overlay.append(text);
        this.labels.push({ text, at: new Vector3(NaN) });
      }
      this.parts.push({ first, drawn, objects });
      for (const object of objects) this.root.add(object);
      first += numbers_of(drawn);
    }
  }

  set_frame(frame: Frame) {
    let label = 0;
    for (const { first, drawn, objects } of this.parts) {
      const point = (i: number) => point_of(frame, first + 3 * i);
      if (drawn.kind === "label") this.labels[label++]!.at = point(0);
      else if (drawn.kind === "line" || drawn.kind === "cable")
        objects.forEach((segment, i) => stretch(segment, point(i), point(i + 1), this.radius));
      else place(objects[0]!, point(0), drawn.kind === "box" ? frame[first + 3] ?? NaN : 0);
    }
    this.root.updateMatrixWorld(true);
  }

  // Moves the labels to where their points are on the screen.
  place_labels(camera: Camera, width: number, height: number) {
    for (const { text, at } of this.labels) {
      const p = this.root.localToWorld(at.clone()).project(camera);
      text.hidden = !Number.isFinite(p.x) || Math.abs(p.z) > 1;
      const [x, y] = [((p.x + 1) / 2) * width, ((1 - p.y) / 2) * height];
      text.style.transform = `translate(${x + 8}px, ${y - 20}px)`;
    }
  }

  private make(drawn: Drawn, looks: BodyMaterials, materials: Materials, planar: boolean) {
    const segments = (make_one: () => Object3D) =>
      Array.from({ length: drawn.points - 1 }, make_one);
    const [x, y, z] = drawn.size.map((size) => Math.max(size, 0.1 * this.radius));
    switch (drawn.kind) {
      case "line": return segments(() => make_bar(looks));
      case "cable": return segments(() => make_rod(materials.rod));
      case "point": return [new Mesh(new SphereGeometry(1.8 * this.radius, 24, 16), looks.fill)];
      case "circle": return [make_circle(drawn.size[0], looks)];
      case "box": return [with_edges(new BoxGeometry(x, y, planar ? 2 * this.radius : z), looks)];
      case "label": return [];
    }
  }
}

// What a frame says about where the drawing is, for the box around it.
export function outline_of({ bodies, drawing }: Mechanism, frame: Frame, moving = false) {
  const outline: Vector3[] = [];
  let first = kPoseSize * bodies.length;
  for (const drawn of drawing) {
    const reach = drawn.kind === "circle" ? drawn.size[0] : Math.max(...drawn.size) / 2;
    for (let i = 0; i < drawn.points && (drawn.moves || !moving); ++i) {
      const p = point_of(frame, first + 3 * i);
      if (!Number.isFinite(p.x + p.y + p.z)) continue;
      for (const off of [-reach, reach]) outline.push(p.clone().add(new Vector3(off, off, 0)));
    }
    first += numbers_of(drawn);
  }
  return outline;
}

function point_of(frame: Frame, at: number): Vector3 {
  return new Vector3(frame[at] ?? NaN, frame[at + 1] ?? NaN, frame[at + 2] ?? NaN);
}

function place(object: Object3D, at: Vector3, turn: number) {
  object.visible = Number.isFinite(at.x + at.y + at.z + turn);
  if (!object.visible) return;
  object.position.copy(at);
  object.rotation.z = turn;
}

// Of unit length along x and unit radius.
function make_bar({ fill }: BodyMaterials): Mesh {
  const geometry = new CylinderGeometry(1, 1, 1, 16).rotateZ(Math.PI / 2).translate(0.5, 0, 0);
  return new Mesh(geometry, fill);
}

function make_circle(radius: number, { plate, line }: BodyMaterials): Group {
  const rim = Array.from({ length: 65 }, (_, i) => {
    const angle = (2 * Math.PI * i) / 64;
    return new Vector3(radius * Math.cos(angle), radius * Math.sin(angle), 0);
  });
  return new Group().add(new Mesh(new CircleGeometry(radius, 64), plate), make_line(rim, line));
}

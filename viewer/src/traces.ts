// Paths of points. Of a recorded motion they are known at once; of one that runs they grow.

import { Group, Mesh, SphereGeometry, Vector3 } from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import type { End, Frame } from "./data";
import { pose_matrix } from "./frames";
import type { Materials } from "./materials";
import { make_line } from "./shapes";

const kMostPoints = 1500; // of a path that grows

interface Trace {
  end: End;
  path: Vector3[];
  line: Line2;
  dot: Mesh;
}

export class Traces {
  readonly root = new Group();
  private traces: Trace[] = [];

  // `height`: in front of a planar mechanism.
  constructor(
    private readonly materials: Materials, private readonly radius: number,
    private readonly height: number
  ) {}

  get count(): number {
    return this.traces.length;
  }

  // Draws the path of a point through these frames; a second time, removes it.
  toggle(end: End, frames: Frame[]) {
    const same = this.traces.find((trace) => trace.end.body === end.body &&
      new Vector3(...trace.end.point).distanceTo(new Vector3(...end.point)) < this.radius);
    if (same) {
      this.remove(same);
      return;
    }
    const path = frames.flatMap((frame) => {
      const p = point_in(frame, end);
      return p ? [p] : [];
    });
    const { line, dot } = this.materials.trace(this.traces.length);
    const trace = {
      end, path,
      line: make_line(two_or_more(path), line),
      dot: new Mesh(new SphereGeometry(0.9 * this.radius, 16, 12), dot),
    };
    trace.line.position.z = this.height;
    this.traces.push(trace);
    this.root.add(trace.line, trace.dot);
  }

  clear() {
    for (const trace of this.traces) this.remove(trace);
  }

  // A further frame of a motion that runs.
  extend(frame: Frame) {
    for (const { end, path, line } of this.traces) {
      const p = point_in(frame, end);
      if (!p) continue;
      path.push(p);
      if (path.length > kMostPoints) path.splice(0, path.length - kMostPoints);
      line.geometry.dispose();
      line.geometry = make_line(two_or_more(path), line.material).geometry;
    }
  }

  set_frame(frame: Frame) {
    for (const { end, dot } of this.traces) {
      const p = point_in(frame, end);
      dot.visible = p !== null;
      if (p) dot.position.copy(p).setZ(p.z + this.height);
    }
  }

  private remove(trace: Trace) {
    this.root.remove(trace.line, trace.dot);
    trace.line.geometry.dispose();
    trace.dot.geometry.dispose();
    this.traces = this.traces.filter((other) => other !== trace);
  }
}

function point_in(frame: Frame, { body, point }: End): Vector3 | null {
  const matrix = pose_matrix(frame, body);
  return matrix && new Vector3(...point).applyMatrix4(matrix);
}

function two_or_more(path: Vector3[]): Vector3[] {
  return path.length > 1 ? path : [path[0] ?? new Vector3(), path[0] ?? new Vector3()];
}

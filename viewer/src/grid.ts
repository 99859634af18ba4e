// A grid under a spatial mechanism or behind a planar one, and the axes of the world.

import { Box3, BufferGeometry, Float32BufferAttribute, Group, LineSegments, Vector3 } from "three";
import type { Materials } from "./materials";
import { make_line } from "./shapes";

// 1, 2 or 5 times a power of ten, about a fifteenth of the size.
export function grid_step(size: number): number {
  const rough = size / 15;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
}

// Squares of `step`, beyond the box on all sides; behind it or under it.
export function make_grid(box: Box3, step: number, planar: boolean, materials: Materials): Group {
  const size = box.getSize(new Vector3());
  const margin = planar ? 3 * Math.max(size.x, size.y) : 0.2 * Math.max(size.x, size.y, size.z);
  const level = box.min.z - (planar ? 0.05 * size.length() : 0);
  const left = Math.round((box.min.x - margin) / step);
  const right = Math.round((box.max.x + margin) / step);
  const low = Math.round((box.min.y - margin) / step);
  const high = Math.round((box.max.y + margin) / step);
  const vertices: number[] = [];
  for (let i = left; i <= right; ++i)
    vertices.push(i * step, low * step, level, i * step, high * step, level);
  for (let i = low; i <= high; ++i)
    vertices.push(left * step, i * step, level, right * step, i * step, level);
  const geometry = new BufferGeometry()
    .setAttribute("position", new Float32BufferAttribute(vertices, 3));
  return new Group().add(new LineSegments(geometry, materials.grid));
}

export function make_axes(length: number, planar: boolean, materials: Materials): Group {
  const group = new Group();
  for (let i = 0; i < (planar ? 2 : 3); ++i) {
    const end = new Vector3().setComponent(i, length);
    group.add(make_line([new Vector3(), end], materials.axes[i]!));
  }
  return group;
}

// Poses: read from frames, from what a step computes, and between stored frames.

import { Matrix4, Quaternion, Vector3 } from "three";
import { kPoseSize, type Frame } from "./data";

// Reads the pose of body i; false where it is unknown.
export function read_pose(
  frame: Frame, i: number, position: Vector3, quaternion: Quaternion
): boolean {
  const at = kPoseSize * i;
  for (let k = at; k < at + kPoseSize; ++k) if (!Number.isFinite(frame[k] ?? NaN)) return false;
  const value = (k: number) => frame[at + k] as number;
  position.set(value(0), value(1), value(2));
  quaternion.set(value(4), value(5), value(6), value(3)).normalize();
  return true;
}

export function pose_matrix(frame: Frame, i: number): Matrix4 | null {
  const position = new Vector3();
  const quaternion = new Quaternion();
  if (!read_pose(frame, i, position, quaternion)) return null;
  return new Matrix4().compose(position, quaternion, new Vector3(1, 1, 1));
}

const kNumbersOfBody = 12;

// A step computes r and the columns of R of each body; a frame has positions and quaternions. What
// is drawn follows in both.
export function frame_of(values: Float64Array, num_bodies: number): Float64Array {
  const first_drawn = kNumbersOfBody * num_bodies;
  const frame = new Float64Array(kPoseSize * num_bodies + values.length - first_drawn);
  const column = (at: number) => new Vector3(values[at], values[at + 1], values[at + 2]);
  for (let i = 0; i < num_bodies; ++i) {
    const at = kNumbersOfBody * i;
    const axes = new Matrix4().makeBasis(column(at + 3), column(at + 6), column(at + 9));
    const { x, y, z, w } = new Quaternion().setFromRotationMatrix(axes);
    frame.set([...values.subarray(at, at + 3), w, x, y, z], kPoseSize * i);
  }
  frame.set(values.subarray(first_drawn), kPoseSize * num_bodies);
  return frame;
}

// The index of the last of the increasing times that is not after t; 0 where all are.
export function index_at(times: ArrayLike<number | null>, t: number): number {
  let low = 0;
  let high = times.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? Infinity) <= t) low = middle;
    else high = middle;
  }
  return low;
}

// Writes the frame at time t: positions on a straight line, quaternions on the shorter arc
// (normalised linear interpolation; frames lie close). What is unknown becomes NaN.
export function interpolate(
  times: number[], frames: Frame[], num_bodies: number, t: number, poses: Float64Array
) {
  const i = index_at(times, t);
  const a = frames[i]!;
  const b = frames[i + 1] ?? a;
  const span = (times[i + 1] ?? times[i]!) - times[i]!;
  const s = span > 0 ? Math.min(1, Math.max(0, (t - times[i]!) / span)) : 0;
  const first_drawn = kPoseSize * num_bodies;
  for (let k = first_drawn; k < poses.length; ++k)
    poses[k] = (1 - s) * (a[k] ?? NaN) + s * (b[k] ?? NaN);
  for (let k = 0; k < first_drawn; k += kPoseSize) {
    let dot = 0;
    for (let j = k + 3; j < k + kPoseSize; ++j) dot += (a[j] ?? NaN) * (b[j] ?? NaN);
    const sign = dot < 0 ? -1 : 1;
    let square = 0;
    for (let j = k; j < k + kPoseSize; ++j) {
      const to = (j < k + 3 ? 1 : sign) * (b[j] ?? NaN);
      poses[j] = (1 - s) * (a[j] ?? NaN) + s * to;
      if (j >= k + 3) square += poses[j]! ** 2;
    }
    for (let j = k + 3; j < k + kPoseSize; ++j) poses[j]! /= Math.sqrt(square);
  }
}

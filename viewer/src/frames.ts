// Poses between the stored frames.

import { kPoseSize, type Frame } from "./data";

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

// Writes the poses at time t: positions on a straight line, quaternions on the shorter arc
// (normalised linear interpolation; frames lie close). What is unknown becomes NaN.
export function interpolate(times: number[], frames: Frame[], t: number, poses: Float64Array) {
  const i = index_at(times, t);
  const a = frames[i]!;
  const b = frames[i + 1] ?? a;
  const span = (times[i + 1] ?? times[i]!) - times[i]!;
  const s = span > 0 ? Math.min(1, Math.max(0, (t - times[i]!) / span)) : 0;
  for (let k = 0; k < poses.length; k += kPoseSize) {
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

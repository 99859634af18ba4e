// Whether what is shown can be trusted: a step that failed, constraints that are far from met,
// energy that comes from nowhere, and energy that a mechanism must keep but does not. In words, in
// red.
//
// What drifts is measured by the energy that moved since the start, or since a hand let go: the
// largest kinetic energy or the range of the potential one, as health_watch.hpp does.

import { format_share, format_value } from "./format";
import { make_list } from "./header";
import type { Mechanism } from "./mechanism";
import type { Answer } from "./worker";

const kTooFar = 1e-4; // of constraints, relative to the size of the mechanism
const kJump = 50; // times the largest kinetic energy so far, gained from one frame to the next, untouched
const kRest = 1e-3; // of the energies seen: below, all is as if at rest
const kDrift = 0.02; // of the energy that moved: what may be lost or gained

// Since when nobody has touched it.
interface Untouched {
  t: number;
  total: number;
  kinetic: number; // the largest
  lowest: number; // potential
  highest: number;
}

export interface Circumstances {
  size: number; // of the mechanism
  is_touched: boolean; // a hand may give it any energy
  conserves: boolean; // else its energy may do what it likes
}

export class Watch {
  drift = 0; // of the energy that moved, at the last frame
  private readonly violation: number; // places among the outputs; -1: none
  private readonly kinetic: number;
  private readonly potential: number;
  private total = NaN; // energy of the last frame
  private largest = 0; // kinetic energy so far
  private jump = ""; // once told, until the start
  private since: Untouched | null = null;
  private has_drifted = false; // likewise, until it is touched

  constructor(private readonly mechanism: Mechanism) {
    const { outputs } = mechanism;
    this.violation = outputs.findIndex(({ group }) => group === "constraints");
    this.kinetic = outputs.findIndex(({ name }) => name === "kinetic_energy");
    this.potential = outputs.findIndex(({ name }) => name === "potential_energy");
  }

  reset() {
    this.total = NaN;
    this.largest = 0;
    this.jump = "";
    this.touch();
  }

  // From now on another energy is to be kept.
  touch() {
    this.since = null;
    this.drift = 0;
    this.has_drifted = false;
  }

  is_violated(violation: number, size: number): boolean {
    return violation > kTooFar * size;
  }

  show(answer: Answer, { size, is_touched, conserves }: Circumstances, into: HTMLElement) {
    this.look_for_jump(answer, is_touched);
    if (is_touched || !conserves) this.touch();
    else this.look_for_drift(answer);
    const violation = this.violation < 0 ? 0 : answer.outputs[this.violation]!;
    const alarm = answer.failed
      ? `The step failed at t = ${format_value(answer.t)} s: a value would not be finite. Press R.`
      : this.is_violated(violation, size)
        ? `Constraints are violated by ${format_value(violation)}: do not trust this motion.`
        : this.jump || this.tell_drift();
    if (into.textContent === alarm) return;
    into.replaceChildren(...make_list("alarms", alarm ? [alarm] : []));
  }

  get is_drifting(): boolean {
    return this.has_drifted;
  }

  // What the mechanism gains in all: energy that gravity or a spring gives back is no gain.
  private look_for_jump({ t, outputs, taken }: Answer, is_touched: boolean) {
    if (this.kinetic < 0 || taken === 0) return;
    const now = outputs[this.kinetic]!, potential = outputs[this.potential] ?? 0;
    const gain = now + potential - this.total;
    const size = Math.max(this.largest, Math.abs(potential));
    if (this.largest > 0 && !is_touched && gain > kRest * size && gain > kJump * this.largest) {
      this.jump = `The energy jumped by ${format_value(gain)} J at t = ${format_value(t)} s: ` +
        "do not trust this motion.";
    }
    this.total = now + potential;
    this.largest = Math.max(this.largest, now);
  }

  private look_for_drift({ t, outputs }: Answer) {
    if (this.kinetic < 0) return;
    const kinetic = outputs[this.kinetic]!, potential = outputs[this.potential] ?? 0;
    const total = kinetic + potential;
    this.since ??= { t, total, kinetic, lowest: potential, highest: potential };
    const { since } = this;
    since.kinetic = Math.max(since.kinetic, kinetic);
    since.lowest = Math.min(since.lowest, potential);
    since.highest = Math.max(since.highest, potential);
    const moved = Math.max(since.kinetic, since.highest - since.lowest, kRest * this.largest);
    this.drift = moved > 0 ? (total - since.total) / moved : 0;
    if (Math.abs(this.drift) > kDrift) this.has_drifted = true;
  }

  private tell_drift(): string {
    if (!this.has_drifted || !this.since) return "";
    const changes = this.drift < 0 ? "loses" : "gains";
    const shorter = Number((this.mechanism.step / 10).toPrecision(3));
    const cure = `\`step: ${shorter}\` under \`run\` ${changes} less.`;
    return `The step ${changes} energy: ${format_share(Math.abs(this.drift))} of what moved since ` +
      `t = ${format_value(this.since.t)} s. ${cure}`;
  }
}

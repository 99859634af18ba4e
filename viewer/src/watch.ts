// Whether what is shown can be trusted: a step that failed, constraints that are far from met,
// energy that comes from nowhere. In words, in red.

import { format_value } from "./format";
import { make_list } from "./header";
import type { Mechanism } from "./mechanism";
import type { Answer } from "./worker";

const kTooFar = 1e-4; // of constraints, relative to the size of the mechanism
const kJump = 50; // times the largest kinetic energy so far, gained from one frame to the next, untouched
const kRest = 1e-3; // of the energies seen: below, all is as if at rest

export class Watch {
  private readonly violation: number; // places among the outputs; -1: none
  private readonly kinetic: number;
  private readonly potential: number;
  private total = NaN; // energy of the last frame
  private largest = 0; // kinetic energy so far
  private jump = ""; // once told, until the start

  constructor({ outputs }: Mechanism) {
    this.violation = outputs.findIndex(({ group }) => group === "constraints");
    this.kinetic = outputs.findIndex(({ name }) => name === "kinetic_energy");
    this.potential = outputs.findIndex(({ name }) => name === "potential_energy");
  }

  reset() {
    this.total = NaN;
    this.largest = 0;
    this.jump = "";
  }

  // `size` of the mechanism; `is_touched`: a hand may give it any energy.
  show(answer: Answer, size: number, is_touched: boolean, into: HTMLElement) {
    this.look_at_energy(answer, is_touched);
    const violation = this.violation < 0 ? 0 : answer.outputs[this.violation]!;
    const alarm = answer.failed
      ? `The step failed at t = ${format_value(answer.t)} s: a value would not be finite. Press R.`
      : violation > kTooFar * size
        ? `Constraints are violated by ${format_value(violation)}: do not trust this motion.`
        : this.jump;
    if (into.textContent === alarm) return;
    into.replaceChildren(...make_list("alarms", alarm ? [alarm] : []));
  }

  // What the mechanism gains in all: energy that gravity or a spring gives back is no gain.
  private look_at_energy({ t, outputs, taken }: Answer, is_touched: boolean) {
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
}

// What the doctor reads off while the mechanism runs: energies, violation of constraints, reactions.

import { element } from "./dom";
import type { Forces } from "./forces";
import { format_share, format_value } from "./format";
import type { Mechanism } from "./mechanism";
import type { Watch } from "./watch";
import type { Answer } from "./worker";

export class Vitals {
  readonly root = element("dl", { class: "doctor vitals" });
  private readonly rows = new Map<string, HTMLElement>();

  constructor(private readonly mechanism: Mechanism, private readonly forces: Forces) {}

  show(answer: Answer, watch: Watch, size: number, conserves: boolean) {
    const value = (name: string) =>
      answer.outputs[this.mechanism.outputs.findIndex((output) => output.name === name)];
    const [kinetic, potential] = [value("kinetic_energy"), value("potential_energy")];
    if (kinetic !== undefined) {
      const sum = format_value(kinetic + (potential ?? 0));
      this.put("energy", `${sum} J: kinetic ${format_value(kinetic)}, potential ${format_value(potential)}`, false);
    }
    if (conserves) {
      const share = format_share(Math.abs(watch.drift)), way = watch.drift < 0 ? "lost" : "gained";
      this.put("energy drift", watch.is_drifting ? `${share} ${way} of what moved; it should be kept`
        : `kept within ${share} of what moved`, watch.is_drifting);
    } else this.put("energy drift", "not judged: forces, drives or hands may change the energy", false);
    const violation = value("position_violation");
    if (violation !== undefined)
      this.put("violation", `${format_value(violation)} of positions`, watch.is_violated(violation, size));
    this.put("reactions", this.tell_reactions(answer), false);
  }

  private tell_reactions(answer: Answer): string {
    const largest = this.forces.largest_reaction(answer);
    const { unknown } = this.forces;
    const most = largest ? `largest ${format_value(largest.size)} N in ${largest.name}` : "";
    const none = unknown.length === 0 ? ""
      : `not known of ${unknown.length > 4 ? `${unknown.length} joints` : unknown.join(", ")}`;
    return [most, none].filter((text) => text !== "").join("; ") || "none: there are no joints";
  }

  private put(what: string, text: string, is_bad: boolean) {
    let row = this.rows.get(what);
    if (!row) {
      row = element("dd");
      this.rows.set(what, row);
      this.root.append(element("dt", {}, what), row);
    }
    if (row.textContent !== text) row.textContent = text;
    row.classList.toggle("bad", is_bad);
  }
}

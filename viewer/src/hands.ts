// The hands that take hold of bodies. The step does the pulling: its inputs and parameters
// `grip.…`, `grip2.…` say which body, which point of it, where to, and with what force at most.

import type { End, Vector } from "./data";
import type { Setting } from "./engine";
import type { Mechanism } from "./mechanism";
import type { Runner } from "./runner";
import type { SceneView } from "./scene";

const kParts = ["body", "x", "y", "z", "target_x", "target_y", "target_z"];
const kNobody = -1;
const kGrip = /^grip\d*\./;

type Place = Pick<Setting, "of" | "index">;

export function is_grip(name: string): boolean {
  return kGrip.test(name);
}

// Where the parts of a hand are among the inputs and parameters; those of z are not there in the
// plane. Empty: there is no such hand.
function find_parts({ inputs, parameters }: Mechanism, hand: string): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const part of kParts) {
    const find = (of: Setting["of"], all: { name: string }[]) => {
      const index = all.findIndex(({ name }) => name === `${hand}.${part}`);
      if (index >= 0) places.set(part, { of, index });
    };
    find("inputs", inputs);
    find("parameters", parameters);
  }
  return places;
}

interface Hand {
  name: string;
  places: Map<string, Place>;
  end: End | null; // what it holds
}

export class Hands {
  private readonly hands: Hand[];

  constructor(
    mechanism: Mechanism, private readonly view: SceneView, private readonly runner: Runner
  ) {
    this.hands = ["grip", "grip2"].map((name) => ({ name, places: find_parts(mechanism, name), end: null }))
      .filter(({ places }) => places.size > 0);
  }

  get count(): number {
    return this.hands.length;
  }

  get is_free(): boolean {
    return this.hands.every(({ end }) => end === null);
  }

  // What they hold.
  get held(): { name: string; end: End }[] {
    return this.hands.flatMap(({ name, end }) => (end ? [{ name, end }] : []));
  }

  // Takes hold with a free hand: which; null: none is free.
  take(end: End): number | null {
    const index = this.hands.findIndex((hand) => hand.end === null);
    if (index < 0) return null;
    this.hands[index]!.end = end;
    const [x, y, z] = end.point;
    this.set(index, { body: end.body - 1, x, y, z }); // the ground is not counted
    return index;
  }

  // `time` of the event that pulls, where there is one.
  pull(index: number, target: Vector, time?: number) {
    const { end } = this.hands[index]!;
    if (!end) return;
    if (time !== undefined) this.runner.latency.touched(time);
    const [target_x, target_y, target_z] = target;
    this.set(index, { target_x, target_y, target_z });
    this.view.show_hold(index, end, target);
  }

  let_go(index: number) {
    this.hands[index]!.end = null;
    this.set(index, { body: kNobody });
    this.view.show_hold(index, null, null);
  }

  private set(index: number, values: Record<string, number>) {
    for (const [part, value] of Object.entries(values)) {
      const place = this.hands[index]!.places.get(part);
      if (place) this.runner.set(place.of, place.index, value);
    }
  }
}

// The forces that are drawn: reactions of joints where they are known, springs, tyres and other loads,
// and the hands.

import { Vector3 } from "three";
import type { Force } from "./arrows";
import type { End, Spring } from "./data";
import type { Snapshot } from "./engine";
import type { Hands } from "./hands";
import type { Mechanism } from "./mechanism";
import type { SceneView } from "./scene";

const kAxes = ["x", "y", "z"];

interface Acting {
  name: string;
  end: End; // where it acts
  places: number[]; // of its components among the outputs; -1: none
}

export class Forces {
  shown = false;
  private readonly reactions: Acting[];
  private readonly loads: Acting[];
  private readonly pulls: (Spring & { place: number })[];

  constructor(private readonly mechanism: Mechanism) {
    const { outputs, scene, loads } = mechanism;
    const place_of = (name: string) => outputs.findIndex((output) => output.name === name);
    const acting = (all: (End & { name: string })[]) => all.map((one) => ({
      name: one.name, end: one, places: kAxes.map((axis) => place_of(`${one.name}.force.${axis}`)),
    })).filter(({ places }) => places.some((place) => place >= 0));
    this.reactions = acting(scene.joints);
    this.loads = acting(loads);
    this.pulls = scene.springs.map((spring) => ({ ...spring, place: place_of(`${spring.name}.pull`) }))
      .filter(({ place }) => place >= 0);
  }

  of(snapshot: Snapshot, view: SceneView, hands: Hands | null): Force[] {
    if (!this.shown) return [];
    const { outputs } = snapshot;
    const acting = [...this.reactions, ...this.loads].map(({ end, places }) =>
      ({ at: view.point_of(end), force: vector_of(outputs, places) }));
    const pulls = this.pulls.flatMap(({ a, b, place }) => {
      const [from, to] = [view.point_of(a), view.point_of(b)];
      const force = to.clone().sub(from).setLength(outputs[place]!);
      return [{ at: from, force }, { at: to, force: force.clone().negate() }];
    });
    const held = (hands?.held ?? []).map(({ name, end }) => ({
      at: view.point_of(end),
      force: vector_of(snapshot.state, kAxes.map((_, i) => this.place_in_state(`${name}.force_${i + 1}`))),
    }));
    return [...acting, ...pulls, ...held].filter(({ at, force }) =>
      Number.isFinite(force.length() + at.length()));
  }

  // The largest of the reactions that are known, and where.
  largest_reaction({ outputs }: Snapshot): { name: string; size: number } | null {
    return this.reactions.map(({ name, places }) => ({ name, size: vector_of(outputs, places).length() }))
      .reduce<{ name: string; size: number } | null>((most, one) => (most && most.size >= one.size ? most : one), null);
  }

  // Joints that the coordinates satisfy by themselves have none.
  get unknown(): string[] {
    const known = new Set(this.reactions.map(({ name }) => name));
    return this.mechanism.scene.joints.map(({ name }) => name).filter((name) => !known.has(name));
  }

  // What is missing among the arrows, in a line; empty: nothing.
  get note(): string {
    const { scene } = this.mechanism;
    if (scene.bodies.length < 2) return "No forces to draw: the model has no bodies.";
    const unknown = this.unknown;
    if (unknown.length === 0) return "";
    const which = unknown.length > 4 ? `${unknown.length} joints` : unknown.join(", ");
    return `Not known: the reactions of ${which}. \`coordinates: absolute\` under \`run\` gives them.`;
  }

  private place_in_state(name: string): number {
    return this.mechanism.state.findIndex((column) => column.name === name);
  }
}

function vector_of(values: Float64Array, places: number[]): Vector3 {
  return new Vector3(...places.map((place) => (place < 0 ? 0 : values[place]!)));
}

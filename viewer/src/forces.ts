// The forces that are drawn: those of the hands, and the reactions of joints where they are known.

import { Vector3 } from "three";
import type { Force } from "./arrows";
import type { End } from "./data";
import type { Snapshot } from "./engine";
import type { Mechanism } from "./mechanism";
import type { SceneView } from "./scene";

interface Reaction {
  end: End; // where it acts
  places: number[]; // of its components among the outputs; -1: none
}

export class Forces {
  shown = false;
  private readonly reactions: Reaction[];

  constructor({ outputs, scene }: Mechanism) {
    this.reactions = scene.joints.map((joint) => ({
      end: joint,
      places: ["x", "y", "z"].map((axis) =>
        outputs.findIndex(({ name }) => name === `${joint.name}.force.${axis}`)),
    })).filter(({ places }) => places.some((place) => place >= 0));
  }

  of({ outputs }: Snapshot, view: SceneView): Force[] {
    if (!this.shown) return [];
    return this.reactions.flatMap(({ end, places }) => {
      const force = new Vector3(...places.map((place) => (place < 0 ? 0 : outputs[place]!)));
      const at = view.point_of(end);
      return Number.isFinite(force.length() + at.length()) ? [{ at, force }] : [];
    });
  }
}

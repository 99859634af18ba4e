// Forces as arrows, in one scale: the largest that was seen of late is as long as `length`.

import { ConeGeometry, Group, Mesh, Vector3 } from "three";
import type { Line2 } from "three/examples/jsm/lines/Line2.js";
import type { Materials } from "./materials";
import { make_rod, stretch } from "./shapes";

const kFade = 0.995; // of the largest, at every frame
const kSmallest = 0.01; // of the largest: below, nothing is drawn
const kY = new Vector3(0, 1, 0);

export interface Force {
  at: Vector3;
  force: Vector3;
}

export class Arrows {
  readonly root = new Group();
  private largest = 0;
  private readonly arrows: { line: Line2; head: Mesh }[] = [];

  constructor(
    private readonly materials: Materials, private readonly radius: number,
    private readonly length: number
  ) {}

  show(forces: Force[]) {
    this.largest = Math.max(kFade * this.largest, ...forces.map(({ force }) => force.length()));
    while (this.arrows.length < forces.length) this.add();
    this.arrows.forEach(({ line, head }, i) => {
      const { at, force } = forces[i] ?? { at: new Vector3(), force: new Vector3() };
      const size = force.length();
      line.visible = head.visible = size > kSmallest * this.largest && size > 0;
      if (!line.visible) return;
      const end = at.clone().addScaledVector(force, this.length / this.largest);
      stretch(line, at, end, this.radius);
      head.position.copy(end);
      head.quaternion.setFromUnitVectors(kY, force.clone().divideScalar(size));
    });
  }

  private add() {
    const line = make_rod(this.materials.force);
    const head = new Mesh(new ConeGeometry(1.2 * this.radius, 4 * this.radius, 16),
      this.materials.force_head);
    line.renderOrder = head.renderOrder = 1;
    this.arrows.push({ line, head });
    this.root.add(line, head);
  }
}

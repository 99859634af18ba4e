// Materials by role. They are shared, so that a change between light and dark recolours all.

import {
  Color, DoubleSide, LineBasicMaterial, MeshBasicMaterial, MeshLambertMaterial,
} from "three";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Theme } from "./theme";

// Of a body: faces, their edges, a plate that others show through, and lines of constant width
// on the screen.
export interface BodyMaterials {
  fill: MeshLambertMaterial;
  plate: MeshBasicMaterial;
  edge: LineBasicMaterial;
  line: LineMaterial;
}

type Coloured = { color: Color };

export class Materials {
  readonly joint = new MeshBasicMaterial();
  readonly joint_edge = new LineBasicMaterial();
  readonly ball = new MeshLambertMaterial();
  readonly spring = new LineMaterial({ linewidth: 1.75 });
  readonly rod = new LineMaterial({ linewidth: 2.5 });
  readonly hold = new LineMaterial({ linewidth: 2.5, depthTest: false });
  readonly force = new LineMaterial({ linewidth: 2.5, depthTest: false });
  readonly force_head = new MeshBasicMaterial({ depthTest: false });
  readonly alarm = new MeshBasicMaterial();
  readonly grid = new LineBasicMaterial();
  readonly axes = [0, 1, 2].map(() => new LineMaterial({ linewidth: 2 }));
  private readonly bodies = new Map<number, BodyMaterials>();
  private readonly traces: LineMaterial[] = [];
  private readonly dots: MeshBasicMaterial[] = [];

  // Below 1, others show through: a shadow.
  constructor(private theme: Theme, private readonly opacity = 1) {
    this.set_theme(theme);
  }

  // Body 0 is the ground.
  body(index: number): BodyMaterials {
    let materials = this.bodies.get(index);
    if (!materials) {
      materials = {
        fill: new MeshLambertMaterial({
          polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1,
        }),
        plate: new MeshBasicMaterial({
          transparent: true, opacity: 0.3, side: DoubleSide, depthWrite: false,
        }),
        edge: new LineBasicMaterial(),
        line: new LineMaterial({ linewidth: index === 0 ? 1.5 : 2.5 }),
      };
      if (this.opacity < 1) {
        for (const material of Object.values(materials)) {
          material.transparent = true;
          material.depthWrite = false;
          material.opacity = this.opacity * material.opacity;
        }
      }
      this.bodies.set(index, materials);
      this.colour_body(index, materials);
    }
    return materials;
  }

  // The line and the dot of trace number `index`.
  trace(index: number): { line: LineMaterial; dot: MeshBasicMaterial } {
    const line = (this.traces[index] ??= new LineMaterial({ linewidth: 1.5 }));
    const dot = (this.dots[index] ??= new MeshBasicMaterial());
    this.colour_trace(index);
    return { line, dot };
  }

  set_theme(theme: Theme) {
    this.theme = theme;
    const set = (material: Coloured, colour: string) => material.color.set(colour);
    this.joint.color.set(theme.ink).lerp(new Color(theme.paper), 0.45);
    set(this.joint_edge, theme.ink);
    set(this.ball, theme.muted);
    set(this.spring, theme.muted);
    set(this.rod, theme.muted);
    set(this.hold, theme.cursor);
    set(this.force, theme.accent);
    set(this.force_head, theme.accent);
    set(this.alarm, theme.alarm);
    set(this.grid, theme.grid);
    this.axes.forEach((axis, i) => set(axis, theme.axes[i]!));
    this.bodies.forEach((materials, index) => this.colour_body(index, materials));
    this.traces.forEach((_, index) => this.colour_trace(index));
  }

  private colour_body(index: number, { fill, plate, edge, line }: BodyMaterials) {
    const { series, ground, ink, paper } = this.theme;
    const colour = index === 0 ? ground : series[(index - 1) % series.length]!;
    fill.color.set(colour).lerp(new Color(paper), 0.05);
    plate.color.set(colour);
    line.color.set(colour);
    edge.color.set(colour).lerp(new Color(ink), 0.5);
  }

  private colour_trace(index: number) {
    const { series } = this.theme;
    const colour = series[(index + 3) % series.length]!;
    this.traces[index]!.color.set(colour);
    this.dots[index]!.color.set(colour);
  }
}

// The built-in mechanisms, with pictures that are asked for when they come into view.

import type { Connection } from "./connection";
import type { Scene } from "./data";
import { element } from "./dom";
import { SceneView } from "./scene";
import { read_theme } from "./theme";

const kWidth = 300;
const kHeight = 190;

export class Gallery {
  readonly root = element("section", { class: "gallery", "aria-label": "Mechanisms" });
  private readonly pictures = new Map<string, HTMLElement>();
  private readonly waiting: string[] = []; // in view, and without a picture

  constructor(
    entries: { name: string; description: string }[], private readonly connection: Connection,
    choose: (name: string) => void
  ) {
    const seen = new IntersectionObserver((changes) => {
      for (const { isIntersecting, target } of changes) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        this.waiting.push((target as HTMLElement).dataset.name!);
        if (this.waiting.length === 1) this.ask();
      }
    });
    for (const { name, description } of entries) {
      const picture = element("div", { class: "picture" });
      const card = element("button", { type: "button", class: "card", "data-name": name }, picture,
        element("strong", {}, name.replaceAll("_", " ")), element("span", {}, description));
      card.addEventListener("click", () => choose(name));
      this.pictures.set(name, picture);
      this.root.append(card);
      seen.observe(card);
    }
  }

  // One at a time: a browser has few drawing contexts.
  show(name: string, scene: Scene) {
    if (this.waiting[0] === name) this.waiting.shift();
    this.ask();
    const picture = this.pictures.get(name);
    const frame = scene.frames[0];
    if (!picture || !frame || (scene.bodies.length < 2 && scene.drawing.length === 0)) return;
    const canvas = element("canvas", { width: kWidth, height: kHeight });
    picture.append(canvas);
    try {
      const view = new SceneView(canvas, scene, [frame], read_theme());
      picture.replaceChildren(view.still(frame));
    } catch {
      picture.replaceChildren(); // without WebGL there are no pictures
    }
  }

  private ask() {
    if (this.waiting.length > 0)
      this.connection.send({ kind: "picture", name: this.waiting[0]! });
  }
}

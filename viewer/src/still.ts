// A mechanism that no step can be made for: it stands as at its start, and what the program computes of
// it is played.

import { make_transport } from "./animation";
import type { Scene } from "./data";
import { element } from "./dom";
import { Player } from "./player";
import { make_stage, type Stage } from "./stage";
import { Takes, type Take } from "./takes";

export class Still {
  readonly picture = element("section", { class: "animation", "aria-label": "Mechanism" });
  readonly side = element("div", { class: "side" });
  readonly memory = null;
  readonly pose = {};
  private readonly stage: Stage;
  private readonly takes: Takes;
  private readonly bar: HTMLElement;
  private player: Player | null = null;

  constructor(private readonly scene: Scene, buttons: HTMLElement[]) {
    this.stage = make_stage(scene, scene.frames);
    this.bar = element("div", { class: "transport" }, "Standing still.", ...this.stage.buttons);
    this.takes = new Takes(buttons, { play: (take) => this.play(take) });
    this.picture.append(this.stage.root, this.bar);
    this.side.append(this.takes.root);
    if (scene.frames[0]) this.stage.view?.set_frame(scene.frames[0]);
  }

  press(key: string) {
    const clock = this.player?.clock;
    if (key === " ") clock?.toggle();
    else if (key === "r") clock?.seek(clock.start);
    else if (key === "f") this.stage.view?.fit();
    else if (key === "l") this.takes.play(null);
  }

  show_result(name: string, report: Take["report"]) {
    const take = { name, report };
    this.takes.add(take);
    this.takes.play(take);
  }

  close() {
    this.player?.close();
    this.stage.close();
    this.picture.remove();
    this.side.remove();
  }

  private play(take: Take | null) {
    this.player?.close();
    this.player = take && new Player(take.report);
    const { view } = this.stage;
    const bar = this.player ? make_transport(this.player.clock, ...this.stage.buttons) : this.bar;
    this.picture.lastElementChild?.replaceWith(bar);
    this.side.replaceChildren(this.takes.root, ...(this.player ? [this.player.curves] : []));
    if (!this.player) {
      if (this.scene.frames[0]) view?.set_frame(this.scene.frames[0]);
      return;
    }
    if (view) this.player.show_in(view);
    this.player.clock.toggle();
  }
}

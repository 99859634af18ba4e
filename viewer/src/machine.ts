// A mechanism that runs, with all that belongs to it: picture, controls, sliders and live plots.
// The page of one mechanism shows one; the workbench makes a new one for each valid edit.

import { default_columns, make_chooser } from "./columns";
import { element } from "./dom";
import { format_value } from "./format";
import { frame_of } from "./frames";
import { make_list } from "./header";
import type { Keys } from "./help";
import { Hold, is_grip } from "./hold";
import type { Mechanism } from "./mechanism";
import { Plots } from "./plots";
import { Recorder } from "./recorder";
import { Runner } from "./runner";
import { make_sliders } from "./sliders";
import { make_stage, type Stage } from "./stage";
import { on_theme_change, read_theme } from "./theme";
import { RunBar } from "./run_bar";
import type { Answer } from "./worker";

const kNumbersOfBody = 12;
const kTooFar = 1e-4; // of constraints, relative to the size of the mechanism: not to be trusted
const kPlotEvery = 2; // frames

export class Machine {
  readonly picture = element("section", { class: "animation", "aria-label": "Mechanism" });
  readonly side = element("div", { class: "side" });
  readonly runner: Runner;
  private readonly bar: RunBar;
  private readonly alarms = element("div", { class: "alarm-area" });
  private readonly recorder: Recorder;
  private readonly plots: Plots;
  private stage: Stage | null = null;
  private hold: Hold | null = null;
  private readonly forget_theme: () => void;
  private count = 0;

  constructor(private readonly mechanism: Mechanism, module: WebAssembly.Module) {
    const { scene, outputs, step } = mechanism;
    const drawn = scene.drawing.reduce((sum, { kind, points }) =>
      sum + 3 * points + (kind === "box" ? 1 : 0), 0);
    const frame = kNumbersOfBody * scene.bodies.length + drawn;
    const start = mechanism.inputs.map((input, index) =>
      ({ of: "inputs" as const, index, value: input.start }));
    this.runner = new Runner(module, { outputs: outputs.length, frame }, step, start);
    this.bar = new RunBar(this.runner, () => this.reset());
    this.recorder = new Recorder(outputs);
    this.plots = new Plots(this.recorder, read_theme());
    this.forget_theme = on_theme_change((theme) => this.plots.set_theme(theme));
    this.runner.on_frame = (answer) => this.start(answer);
    this.side.append(...this.make_sliders(), this.make_plots());
  }

  get keys(): Keys {
    return {
      " ": { text: "run or pause", act: () => this.bar.toggle() },
      ".": { text: "one step", act: () => this.bar.advance_once() },
      ArrowRight: { text: "", act: () => this.bar.advance_once() },
      r: { text: "back to the start", act: () => this.reset() },
      "-": { text: "slower", act: () => this.bar.change_speed(-1) },
      "+": { text: "faster", act: () => this.bar.change_speed(1) },
      f: { text: "show all", act: () => this.stage?.view?.fit() },
    };
  }

  // Ends it and takes it out of the page.
  close() {
    this.runner.close();
    this.stage?.close();
    this.forget_theme();
    this.picture.remove();
    this.side.remove();
  }

  private reset() {
    this.runner.reset();
    this.recorder.clear();
    this.stage?.view?.clear_traces();
  }

  // The first answer has what is needed to make the picture.
  private start(answer: Answer) {
    const { scene } = this.mechanism;
    const frames = answer.ahead.map((values) => frame_of(values, scene.bodies.length));
    this.stage = make_stage(scene, frames);
    const { view, canvas, root, buttons } = this.stage;
    root.append(this.alarms);
    this.picture.append(root, this.bar.make(...buttons));
    if (view) this.hold = Hold.bind(canvas, view, this.mechanism, this.runner);
    canvas.classList.toggle("can-hold", this.hold !== null);
    this.runner.on_frame = (next) => this.show(next);
    this.show(answer);
    this.runner.running = true;
  }

  private show(answer: Answer) {
    const frame = frame_of(answer.frame, this.mechanism.scene.bodies.length);
    const view = this.stage?.view;
    if (view) {
      if (answer.taken > 0) view.traces.extend(frame);
      view.set_frame(frame);
      this.hold?.follow();
    }
    this.recorder.add(answer);
    this.bar.show(answer, this.mechanism.step);
    if (++this.count % kPlotEvery === 0 || !this.runner.running) this.plots.refresh();
    this.show_alarm(answer);
  }

  private show_alarm({ failed, t, outputs }: Answer) {
    const at = this.mechanism.outputs.findIndex(({ group }) => group === "constraints");
    const violation = at < 0 ? 0 : outputs[at]!;
    const size = this.stage?.view?.grid_step ?? 1;
    const alarm = failed
      ? `The step failed at t = ${format_value(t)} s: a value would not be finite. Press R.`
      : violation > kTooFar * size
        ? `Constraints are violated by ${format_value(violation)}: do not trust this motion.`
        : "";
    if (this.alarms.textContent === alarm) return;
    this.alarms.replaceChildren(...make_list("alarms", alarm ? [alarm] : []));
  }

  private make_sliders(): HTMLElement[] {
    const { inputs, parameters } = this.mechanism;
    const shown = inputs.map((input, index) => ({ ...input, index }))
      .filter(({ name }) => !is_grip(name));
    const free = parameters
      .map((parameter, index) => ({ ...parameter, index, unit: "", min: null, max: null }))
      .filter(({ settable, name }) => settable && !is_grip(name));
    const sections: HTMLElement[] = [];
    const add = (of: "inputs" | "parameters", title: string, all: typeof shown) => {
      if (all.length === 0) return;
      const open = of === "inputs" || shown.length === 0;
      const sliders = make_sliders(title, open && all.length <= 8, all,
        (index, value) => this.runner.set(of, index, value));
      sections.push(element("section", { class: "adjust" }, sliders));
    };
    add("inputs", "Inputs", shown);
    add("parameters", "Parameters", free);
    return sections;
  }

  private make_plots(): HTMLElement {
    const { columns } = this.recorder;
    const chosen = default_columns(columns);
    this.plots.show(chosen);
    const tools = element("div", { class: "tools" },
      make_chooser(columns, chosen, (now) => this.plots.show(now)));
    return element("section", { class: "curves", "aria-label": "Plots" }, tools, this.plots.root);
  }
}

// A mechanism that runs, with all that belongs to it: picture, controls, sliders, live plots, and
// the motions that are kept beside it. The page of one mechanism shows one; the workbench makes a
// new one for each valid edit.

import { make_transport } from "./animation";
import type { Look } from "./camera";
import { default_columns, make_chooser } from "./columns";
import type { Frame } from "./data";
import { element } from "./dom";
import type { Snapshot } from "./engine";
import { Forces } from "./forces";
import { frame_of, interpolate } from "./frames";
import { Hands, is_grip } from "./hands";
import type { Keys } from "./help";
import { Hold } from "./hold";
import type { Mechanism } from "./mechanism";
import { Player } from "./player";
import { Plots } from "./plots";
import { Recorder } from "./recorder";
import { RunBar } from "./run_bar";
import { Runner } from "./runner";
import { make_sliders } from "./sliders";
import { make_stage, type Stage } from "./stage";
import { Takes, type Take } from "./takes";
import { Tape } from "./tape";
import { on_theme_change, read_theme } from "./theme";
import { Vitals } from "./vitals";
import { Watch } from "./watch";
import type { Answer } from "./worker";
import { offer_headset } from "./xr";

const kNumbersOfBody = 12;
const kPlotEvery = 2; // frames
const kAxes = ["x", "y", "z"];

const kKeys = {
  " ": "run or pause", ".": "one step", ArrowRight: "", r: "back to the start", "-": "slower",
  "+": "faster", f: "show all", c: "record, and stop recording",
  l: "from a replay back to what runs", a: "forces as arrows",
  x: "pull along x, y or z only; again: anywhere", y: "", z: "",
};

// The keys of the machine that is there when they are pressed.
export function machine_keys(machine: () => { press(key: string): void } | null): Keys {
  return Object.fromEntries(Object.entries(kKeys).map(([key, text]) =>
    [key, { text, act: () => machine()?.press(key) }]));
}

// What stays when one machine takes the place of another.
export interface Memory {
  look: Look | null;
  columns: string[]; // plotted
  values: Record<string, number>; // of inputs and parameters, as sliders have set them
  unfolded: string[]; // sections of sliders
  running: boolean;
  speed: number;
  takes: Take[];
}

export interface MachineOptions {
  redundant?: string[]; // joints that repeat others
  present?: number[] | null; // where to begin, if not at the start
  memory?: Memory | null;
  buttons?: HTMLElement[]; // that make results
  // A parameter that the mechanism has to be made anew for; without, there are no sliders for those.
  rebuild?: (name: string, value: number) => void;
  ready?: () => void; // there is something to see
}

export class Machine {
  readonly picture = element("section", { class: "animation", "aria-label": "Mechanism" });
  readonly side = element("div", { class: "side" });
  readonly runner: Runner;
  readonly takes: Takes;
  private readonly bar: RunBar;
  private readonly alarms = element("div", { class: "alarm-area" });
  private readonly force_note = element("div", { class: "force-note", hidden: true });
  private readonly axis_note = element("div", { class: "axis-note", hidden: true });
  private readonly watch: Watch;
  private readonly forces: Forces;
  private readonly vitals: Vitals;
  private readonly recorder: Recorder;
  private readonly plots: Plots;
  private readonly curves: HTMLElement;
  private readonly record = element("button",
    { type: "button", class: "record", title: "Record the motion (C)", "aria-pressed": "false" },
    "Record");
  private live_bar: HTMLElement | null = null;
  private stage: Stage | null = null;
  private hands: Hands | null = null;
  private hold: Hold | null = null;
  private tape: Tape | null = null;
  private player: Player | null = null;
  private readonly values: Record<string, number>;
  private readonly sections = new Map<string, HTMLDetailsElement>();
  private chosen: number[] = [];
  private last: Answer | null = null;
  private readonly forget_theme: () => void;
  private count = 0;

  constructor(
    private readonly mechanism: Mechanism, module: WebAssembly.Module,
    private readonly options: MachineOptions = {}
  ) {
    const { scene, outputs, state, step, end } = mechanism;
    const drawn = scene.drawing.reduce((sum, { kind, points }) =>
      sum + 3 * points + (kind === "box" ? 1 : 0), 0);
    const frame = kNumbersOfBody * scene.bodies.length + drawn;
    this.values = { ...options.memory?.values };
    const start = mechanism.inputs.map((input, index) =>
      ({ of: "inputs" as const, index, value: this.values[input.name] ?? input.start }));
    const set = mechanism.parameters.flatMap(({ name, settable }, index) =>
      settable && name in this.values
        ? [{ of: "parameters" as const, index, value: this.values[name]! }] : []);
    this.runner = new Runner(module, { outputs: outputs.length, state: state.length, frame }, step,
      end, [...start, ...set], options.present ?? null);
    this.bar = new RunBar(this.runner, () => this.reset());
    this.recorder = new Recorder([...outputs, ...state]);
    this.plots = new Plots(this.recorder, read_theme());
    this.forget_theme = on_theme_change((theme) => this.plots.set_theme(theme));
    this.watch = new Watch(mechanism);
    this.forces = new Forces(mechanism);
    this.vitals = new Vitals(mechanism, this.forces);
    this.record.addEventListener("click", () => this.toggle_record());
    this.takes = new Takes([this.record, ...(options.buttons ?? [])], {
      play: (take) => this.play(take), compare: (take) => this.compare(take),
    });
    for (const take of options.memory?.takes ?? []) this.takes.add(take);
    this.curves = this.make_plots();
    this.side.append(...this.make_sliders(), this.takes.root, this.curves);
    this.runner.on_frame = (answer) => this.start(answer);
    this.runner.on_pause = () => this.plots.refresh(); // they are behind by some frames
  }

  press(key: string) {
    const { player } = this;
    switch (key) {
      case " ": return player ? player.clock.toggle() : this.bar.toggle();
      case ".": case "ArrowRight": return this.advance_once();
      case "r": return player ? player.clock.seek(player.clock.start) : this.reset();
      case "-": return this.bar.change_speed(-1);
      case "+": return this.bar.change_speed(1);
      case "f": return this.stage?.view?.fit();
      case "c": return this.toggle_record();
      case "l": return this.takes.play(null);
      case "a": return this.toggle_forces();
      default: return this.pull_along(kAxes.indexOf(key));
    }
  }

  // Values for the doctor, as they are now.
  get readings(): HTMLElement {
    return this.vitals.root;
  }

  // For the machine that takes its place.
  get memory(): Memory {
    return {
      look: this.stage?.view?.look ?? null,
      columns: this.chosen.map((i) => this.recorder.columns[i]!.name),
      values: this.values,
      unfolded: [...this.sections].flatMap(([title, section]) => (section.open ? [title] : [])),
      running: this.runner.running || this.player !== null,
      speed: this.runner.speed,
      takes: this.takes.all,
    };
  }

  // Coordinates and velocities by name, as they are now.
  get pose(): Record<string, number> {
    const { state } = this.mechanism;
    const values = this.last?.state ?? [];
    return Object.fromEntries(state.flatMap(({ name, group }, i) =>
      (group === "coordinates" || group === "velocities") && Number.isFinite(values[i])
        ? [[name, values[i]!]] : []));
  }

  // A motion that the program has computed from the start.
  show_result(name: string, report: Take["report"], compare: boolean) {
    const take = { name, report };
    this.takes.add(take);
    if (!compare) {
      this.takes.play(take);
      return;
    }
    this.takes.play(null);
    this.reset();
    this.takes.compare(take);
    this.runner.running = !this.runner.failed;
  }

  // Ends it and takes it out of the page.
  close() {
    this.runner.close();
    this.player?.close();
    this.stage?.close();
    this.forget_theme();
    this.picture.remove();
    this.side.remove();
  }

  private reset() {
    this.runner.reset();
    this.recorder.clear();
    this.watch.reset();
    this.stage?.view?.clear_traces();
  }

  private advance_once() {
    const { clock, times } = this.player ?? {};
    if (clock && times) clock.seek(times.find((t) => t > clock.time) ?? clock.end);
    else this.bar.advance_once();
  }

  private toggle_forces() {
    this.forces.shown = !this.forces.shown;
    this.force_note.textContent = this.forces.note;
    this.force_note.hidden = !this.forces.shown || this.forces.note === "";
    if (this.last && !this.player) this.show(this.last);
  }

  private pull_along(axis: number) {
    if (!this.hold || (axis === 2 && this.mechanism.scene.planar)) return;
    this.hold.axis = this.hold.axis === axis ? null : axis;
    this.axis_note.hidden = this.hold.axis === null;
    this.axis_note.textContent = `pulls along ${kAxes[axis]} only`;
    this.hold.follow();
  }

  private toggle_record() {
    if (this.player) return;
    if (this.tape) {
      const { tape } = this;
      this.tape = null;
      if (tape.length > 1)
        this.takes.add({ name: "recording", report: tape.report(this.mechanism) });
    } else {
      this.tape = new Tape();
      this.runner.running = !this.runner.failed;
    }
    this.record.setAttribute("aria-pressed", String(this.tape !== null));
    this.record.textContent = this.tape ? "Stop recording" : "Record";
  }

  // The first answer has what is needed to make the picture.
  private start(answer: Answer) {
    const { scene } = this.mechanism;
    const { memory, redundant, ready } = this.options;
    const frames = answer.ahead.map((values) => frame_of(values, scene.bodies.length));
    this.stage = make_stage(scene, frames, redundant);
    const { view, canvas, root, buttons } = this.stage;
    root.append(this.alarms, this.axis_note, this.force_note);
    if (view) {
      const hands = new Hands(this.mechanism, view, this.runner);
      this.hands = hands;
      if (hands.count > 0) this.hold = new Hold(canvas, view, hands);
      view.look = memory?.look ?? null;
      void offer_headset(view, hands, this.runner, scene.planar,
        (button) => this.live_bar?.append(button));
    }
    canvas.classList.toggle("can-hold", this.hold !== null);
    this.live_bar = this.bar.make(...buttons);
    this.picture.append(root, this.live_bar);
    if (memory) this.bar.set_speed(memory.speed);
    ready?.();
    this.runner.on_frame = (next) => this.show(next);
    this.show(answer);
    this.runner.running = memory?.running ?? true;
  }

  private show(answer: Answer) {
    this.last = answer;
    if (this.player) return;
    const frame = frame_of(answer.frame, this.mechanism.scene.bodies.length);
    const view = this.stage?.view;
    for (const sample of answer.between) this.keep(sample);
    if (view) {
      if (answer.taken > 0) view.traces.extend(frame);
      view.set_frame(frame);
      view.show_forces(this.forces.of(answer, view, this.hands));
      view.show_ghost(this.ghost_at(answer.t));
      this.hold?.follow();
    }
    if (this.tape && !this.tape.add(answer, frame)) this.toggle_record();
    this.recorder.add(answer);
    this.bar.show(answer, this.mechanism.step);
    const is_due = ++this.count % kPlotEvery === 0 || !this.runner.running;
    if (is_due) this.plots.refresh();
    const is_touched = this.hands !== null && !this.hands.is_free;
    const size = this.stage?.view?.grid_step ?? 1;
    const { conserves } = this;
    this.watch.show(answer, { size, is_touched, conserves }, this.alarms);
    if (is_due) this.vitals.show(answer, this.watch, size, conserves);
  }

  // A parameter that starts with zero may be a damping that somebody has turned on.
  private get conserves(): boolean {
    const { conserves_energy, parameters } = this.mechanism;
    return conserves_energy &&
      parameters.every(({ name, start }) => start !== 0 || is_grip(name) || !this.values[name]);
  }

  // What was passed between two frames of the display.
  private keep(sample: Snapshot) {
    const frame = frame_of(sample.frame, this.mechanism.scene.bodies.length);
    this.stage?.view?.traces.extend(frame);
    if (this.tape && !this.tape.add(sample, frame)) this.toggle_record();
    this.recorder.add(sample);
  }

  private ghost_at(t: number): Frame | null {
    const scene = this.takes.compared?.report.scene;
    if (!scene || scene.frames.length === 0) return null;
    if (t < scene.times[0]! || t > scene.times.at(-1)!) return null;
    const frame = new Float64Array(scene.frames[0]!.length);
    interpolate(scene.times, scene.frames, scene.bodies.length, t, frame);
    return frame;
  }

  // Plays a motion in the place of what runs, which waits.
  private play(take: Take | null) {
    this.player?.close();
    this.player = take && new Player(take.report);
    const view = this.stage?.view;
    view?.clear_traces();
    if (!this.player) {
      if (this.live_bar) this.picture.lastElementChild?.replaceWith(this.live_bar);
      this.side.lastElementChild?.replaceWith(this.curves);
      this.force_note.hidden = !this.forces.shown || this.forces.note === "";
      if (this.last) this.show(this.last);
      return;
    }
    if (this.tape) this.toggle_record();
    this.runner.running = false;
    view?.show_forces([]);
    this.force_note.hidden = true;
    view?.show_ghost(null);
    const back = element("button", { type: "button", title: "Back to what runs (L)" }, "Live");
    back.addEventListener("click", () => this.takes.play(null));
    this.picture.lastElementChild?.replaceWith(make_transport(this.player.clock, back));
    this.side.lastElementChild?.replaceWith(this.player.curves);
    if (view) this.player.show_in(view);
    this.alarms.replaceChildren();
    if (!this.player.clock.playing) this.player.clock.toggle();
  }

  private compare(take: Take | null) {
    this.recorder.compare_with(take?.report ?? null);
    this.plots.rebuild();
    if (this.last && !this.player) this.show(this.last);
  }

  private make_sliders(): HTMLElement[] {
    const { inputs, parameters } = this.mechanism;
    const shown = inputs.map((input, index) => ({ ...input, index }))
      .filter(({ name }) => !is_grip(name));
    const free = parameters
      .map((parameter, index) => ({ ...parameter, index, unit: "", min: null, max: null }))
      .filter(({ name }) => !is_grip(name));
    const sections: HTMLElement[] = [];
    const add = (
      title: string, open: boolean, all: typeof shown, changed: (i: number, value: number) => void,
      at_end = false
    ) => {
      if (all.length === 0) return;
      const known = this.options.memory?.unfolded;
      const is_open = known ? known.includes(title) : open && all.length <= 8;
      const present = all.map((variable) => ({ ...variable, value: this.values[variable.name] ?? variable.start }));
      const sliders = make_sliders(title, is_open, present, changed, at_end);
      this.sections.set(title, sliders);
      sections.push(element("section", { class: "adjust" }, sliders));
    };
    const set = (of: "inputs" | "parameters", i: number, value: number) => {
      this.values[this.mechanism[of][i]!.name] = value;
      this.runner.set(of, i, value);
      this.watch.touch();
    };
    const { rebuild } = this.options;
    add("Inputs", true, shown, (i, value) => set("inputs", i, value));
    add("Parameters", shown.length === 0, free.filter(({ settable }) => settable),
      (i, value) => set("parameters", i, value));
    if (rebuild) {
      add("Geometry", false, free.filter((parameter) => parameter.free && !parameter.settable),
        (i, value) => rebuild(parameters[i]!.name, value), true);
    }
    return sections;
  }

  private make_plots(): HTMLElement {
    const { columns } = this.recorder;
    const names = this.options.memory?.columns ?? [];
    const kept = columns.flatMap(({ name }, i) => (names.includes(name) ? [i] : []));
    const chosen = default_columns(columns);
    this.chosen = kept.length > 0 ? kept : chosen;
    this.plots.show(this.chosen);
    const tools = element("div", { class: "tools" }, make_chooser(columns, this.chosen, (now) => {
      this.chosen = now;
      this.plots.show(now);
    }));
    return element("section", { class: "curves", "aria-label": "Plots" }, tools, this.plots.root);
  }
}

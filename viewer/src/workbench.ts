// The workbench: the model's text beside the mechanism that it describes. Every change is checked
// by the program; a valid one comes back as a module that runs here.

import { Connection, type FromProgram, type Mistake } from "./connection";
import { checked_report, type Report, type Scene } from "./data";
import { element } from "./dom";
import { Editor } from "./editor";
import { Gallery } from "./gallery";
import { bind_help } from "./help";
import { Machine, machine_keys } from "./machine";
import { check_mechanism } from "./mechanism";
import { Still } from "./still";
import { make_theme_button, toggle_theme } from "./theme";

const kPause = 60; // milliseconds without a change before the text is checked

// What the program can compute, and how the page speaks of it.
const kStudies: Record<string, { button: string; title: string; take: string; compare: boolean }> = {
  run: {
    button: "Accurate run", title: "Run from the start with an accurate integrator, and compare",
    take: "accurate run", compare: true,
  },
  inverse: {
    button: "Inverse dynamics", title: "Compute the inputs for the prescribed motion, and play it",
    take: "inverse dynamics", compare: false,
  },
};

class Workbench {
  private readonly connection = new Connection();
  private readonly title = element("h1", {}, "Koppel");
  private readonly state = element("output", { class: "state" });
  private readonly save = element("button", { type: "button", hidden: true }, "Save");
  private readonly back = element("button", { type: "button", hidden: true }, "Mechanisms");
  private readonly mistakes = element("div", { class: "mistakes" });
  private readonly doctor = element("dl", { class: "doctor" });
  private readonly readings = element("div");
  private readonly writing = element("section", { class: "writing", "aria-label": "Editor" });
  private readonly main = element("main", { class: "workbench" });
  private readonly editor: Editor;
  private gallery: Gallery | null = null;
  private machine: Machine | Still | null = null;
  private coming: Extract<FromProgram, { kind: "mechanism" }> | null = null;
  private name: string | null = null; // of the model; "": the opened file; null: none
  private number = 0; // of edits
  private timer = 0;
  private set: Record<string, number> = {}; // parameters that sliders have changed
  private is_loading = false; // a text that the user did not type

  constructor() {
    this.editor = new Editor(this.writing, () => this.changed(), () => this.store());
    this.writing.append(this.mistakes, element("details", { class: "doctor-area", open: true },
      element("summary", {}, "Doctor"), this.doctor, this.readings));
    this.save.addEventListener("click", () => this.store());
    this.back.addEventListener("click", () => this.show_gallery());
    const help = bind_help({
      ...machine_keys(() => this.machine), d: { text: "dark or light", act: toggle_theme },
    }, [
      ["Ctrl+S", "save the opened file"], ["drag", "take hold of a body; beside it, turn the view"],
      ["click", "trace a point of a body"], ["wheel", "zoom"]]);
    const ask = element("button", { type: "button", class: "tool", title: "Keys (?)" }, "?");
    ask.addEventListener("click", () => help.showModal());
    document.body.append(element("header", { class: "bar" }, this.title, this.state, this.back,
      this.save, make_theme_button(), ask), this.main, help);
    this.connection.on_message = (message) => this.receive(message);
    this.connection.on_module = (bytes) => this.start(bytes);
    this.connection.on_state = (connected, reason) => {
      this.say(connected ? "" : `The program is not there. ${reason}`, !connected);
    };
    this.connection.open();
  }

  private receive(message: FromProgram) {
    switch (message.kind) {
      case "hello": return this.greet(message.file, message.gallery);
      case "text": return this.load(message.name, message.text, message.can_save);
      case "errors":
        if (message.number === this.number) this.show_mistakes(message.errors);
        return;
      case "mechanism":
        check_mechanism(message.mechanism);
        this.coming = message;
        return;
      case "still":
        if (message.number === this.number) this.show_still(message.scene, message.studies);
        return;
      case "singular":
        if (message.number === this.number) this.show_singular(message.texts);
        return;
      case "report": return this.show_report(message.of, message.number, checked_report(message.report));
      case "picture": return this.gallery?.show(message.name, message.scene);
      case "saved": return this.say("saved", false);
      case "failed": return this.say(message.message, true);
    }
  }

  // Also after the program was started again: what is being edited stays.
  private greet(file: string, entries: { name: string; description: string }[]) {
    this.gallery = new Gallery(entries, this.connection, (name) =>
      this.connection.send({ kind: "open", name }));
    this.back.hidden = this.name === null || entries.length === 0;
    if (this.name !== null) this.check();
    else if (this.open_linked(entries)) return;
    else if (file) this.connection.send({ kind: "open", name: "" });
    else this.show_gallery();
  }

  // A built-in model that the page's address names, as in /#slider_crank.
  private open_linked(entries: { name: string }[]): boolean {
    const name = location.hash.slice(1);
    if (!entries.some((entry) => entry.name === name)) return false;
    this.connection.send({ kind: "open", name });
    return true;
  }

  private show_gallery() {
    this.machine?.close();
    this.machine = null;
    this.name = null;
    this.title.textContent = "Koppel";
    document.title = "Koppel";
    this.save.hidden = this.back.hidden = true;
    this.main.classList.add("choosing");
    if (this.gallery) this.main.replaceChildren(this.gallery.root);
  }

  private load(name: string, text: string, can_save: boolean) {
    this.name = name;
    this.save.hidden = !can_save;
    this.back.hidden = this.gallery === null;
    this.main.classList.remove("choosing");
    this.main.replaceChildren(this.writing);
    this.is_loading = true;
    this.editor.text = text;
    this.is_loading = false;
    this.check();
  }

  private changed() {
    if (this.is_loading) return;
    this.say("", false);
    this.set = {};
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.check(), kPause);
  }

  private check() {
    if (this.name === null) return;
    this.connection.send({
      kind: "edit", number: ++this.number, name: this.name, text: this.editor.text, set: this.set,
      pose: this.machine?.pose ?? {},
    });
  }

  private ask_for(study: string) {
    if (this.name === null) return;
    this.say("computing …", false);
    this.connection.send({
      kind: "study", of: study, number: this.number, name: this.name, text: this.editor.text,
      set: this.set,
    });
  }

  private show_report(study: string, number: number, report: Report) {
    const { take, compare } = kStudies[study]!;
    this.say("", false);
    if (number !== this.number) return;
    this.machine?.show_result(take, report, compare);
    if (report.alarms.length > 0) this.say(report.alarms[0]!, true);
  }

  private show_singular(texts: string[]) {
    this.doctor.append(...texts.flatMap((text) =>
      [element("dt", {}, "ahead"), element("dd", { class: "bad" }, text)]));
  }

  private store() {
    if (!this.save.hidden) this.connection.send({ kind: "save", text: this.editor.text });
  }

  private show_mistakes(mistakes: Mistake[]) {
    this.editor.show(mistakes);
    this.mistakes.replaceChildren(...mistakes.map(({ line, message, hint }) => {
      const entry = element("button", { type: "button" },
        `${line > 0 ? `line ${line}: ` : ""}${message}`, element("span", {}, hint));
      entry.addEventListener("click", () => this.editor.go_to(line));
      return entry;
    }));
  }

  // The module of what was described before; a newer edit has its own.
  private start(bytes: ArrayBuffer) {
    const { coming } = this;
    this.coming = null;
    if (!coming || coming.number !== this.number) return;
    const { mechanism, redundant, present, studies } = coming;
    const before = this.machine;
    const memory = before?.memory ?? null;
    // What a text says counts once it is edited; sliders are kept where one of them made it anew.
    if (memory && Object.keys(this.set).length === 0) memory.values = {};
    const buttons = this.study_buttons(studies);
    const machine: Machine = new Machine(mechanism, new WebAssembly.Module(bytes), {
      redundant, present: before ? present : null, memory, buttons,
      rebuild: (name, value) => {
        this.set[name] = value;
        this.check();
      },
      ready: () => { // until then the one before is seen
        before?.close();
        if (this.machine !== machine) return;
        this.main.append(machine.picture, machine.side);
        this.readings.replaceChildren(machine.readings);
      },
    });
    this.machine = machine;
    this.title.textContent = mechanism.title;
    document.title = `${mechanism.title} – Koppel`;
    this.show_doctor(coming.doctor, mechanism.notes);
  }

  // Only where nothing runs: what was last right goes on.
  private show_still(scene: Scene, studies: string[]) {
    if (this.machine instanceof Machine) return;
    this.machine?.close();
    this.machine = new Still(scene, this.study_buttons(studies));
    this.main.append(this.machine.picture, this.machine.side);
  }

  private study_buttons(studies: string[]): HTMLElement[] {
    return studies.filter((study) => study in kStudies).map((study) => {
      const { button: text, title } = kStudies[study]!;
      const button = element("button", { type: "button", title }, text);
      button.addEventListener("click", () => this.ask_for(study));
      return button;
    });
  }

  private show_doctor(doctor: [string, string][], notes: string[]) {
    const bad = ([what, text]: [string, string]) =>
      what === "warning" || (what === "redundant" && text !== "none");
    const all = [...doctor, ...notes.map((text): [string, string] => ["note", text])];
    this.doctor.replaceChildren(...all.flatMap((entry) =>
      [element("dt", {}, entry[0]), element("dd", { class: bad(entry) ? "bad" : "" }, entry[1])]));
  }

  private say(text: string, is_bad: boolean) {
    this.state.value = text;
    this.state.classList.toggle("bad", is_bad);
  }
}

new Workbench();

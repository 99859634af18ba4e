// The workbench: the model's text beside the mechanism that it describes. Every change is checked
// by the program; a valid one comes back as a module that runs here.

import { Connection, type FromProgram, type Mistake } from "./connection";
import { element } from "./dom";
import { Editor } from "./editor";
import { Gallery } from "./gallery";
import { bind_help, type Keys } from "./help";
import { Machine } from "./machine";
import { check_mechanism, type Mechanism } from "./mechanism";
import { make_theme_button, toggle_theme } from "./theme";

const kPause = 250; // milliseconds without a change before the text is checked

class Workbench {
  private readonly connection = new Connection();
  private readonly title = element("h1", {}, "Koppel");
  private readonly state = element("output", { class: "state" });
  private readonly save = element("button", { type: "button", hidden: true }, "Save");
  private readonly back = element("button", { type: "button", hidden: true }, "Mechanisms");
  private readonly mistakes = element("div", { class: "mistakes" });
  private readonly doctor = element("dl", { class: "doctor" });
  private readonly writing = element("section", { class: "writing", "aria-label": "Editor" });
  private readonly main = element("main", { class: "workbench" });
  private readonly editor: Editor;
  private gallery: Gallery | null = null;
  private machine: Machine | null = null;
  private coming: { mechanism: Mechanism; doctor: [string, string][] } | null = null;
  private name: string | null = null; // of the model; "": the opened file; null: none
  private number = 0; // of edits
  private answered = 0;
  private timer = 0;
  private is_loading = false; // a text that the user did not type

  constructor() {
    this.editor = new Editor(this.writing, () => this.changed(), () => this.store());
    this.writing.append(this.mistakes, element("details", { class: "doctor-area", open: true },
      element("summary", {}, "Doctor"), this.doctor));
    this.save.addEventListener("click", () => this.store());
    this.back.addEventListener("click", () => this.show_gallery());
    const help = bind_help(this.keys, [
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

  // Those of the machine that is there at the time.
  private get keys(): Keys {
    const act = (key: string) => () => this.machine?.keys[key]?.act();
    const texts = {
      " ": "run or pause", ".": "one step", ArrowRight: "", r: "back to the start", "-": "slower",
      "+": "faster", f: "show all",
    };
    const keys = Object.fromEntries(Object.entries(texts).map(([key, text]) =>
      [key, { text, act: act(key) }]));
    return { ...keys, d: { text: "dark or light", act: toggle_theme } };
  }

  private receive(message: FromProgram) {
    switch (message.kind) {
      case "hello": return this.greet(message.file, message.gallery);
      case "text": return this.load(message.name, message.text, message.can_save);
      case "errors":
        if (message.number === this.number) this.show_mistakes(message.errors);
        this.answered = message.number;
        return;
      case "mechanism":
        this.coming = { mechanism: check_mechanism(message.mechanism), doctor: message.doctor };
        return;
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
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.check(), kPause);
  }

  private check() {
    if (this.name === null) return;
    this.connection.send(
      { kind: "edit", number: ++this.number, name: this.name, text: this.editor.text });
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
    if (!this.coming || this.answered !== this.number) return;
    const { mechanism, doctor } = this.coming;
    this.coming = null;
    this.machine?.close();
    this.machine = new Machine(mechanism, new WebAssembly.Module(bytes));
    this.title.textContent = mechanism.title;
    document.title = `${mechanism.title} – Koppel`;
    this.doctor.replaceChildren(...[...doctor, ...mechanism.notes.map((text) => ["note", text])]
      .flatMap(([what, text]) => [element("dt", {}, what!), element("dd", {}, text!)]));
    this.main.append(this.machine.picture, this.machine.side);
  }

  private say(text: string, is_bad: boolean) {
    this.state.value = text;
    this.state.classList.toggle("bad", is_bad);
  }
}

new Workbench();

// The text of the model, with mistakes at their lines.

import {
  autocompletion, completionKeymap, type Completion, type CompletionContext, type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection, EditorView, highlightActiveLine, hoverTooltip, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Mistake } from "./connection";
import { element } from "./dom";
import { Guide, place_at } from "./schema";

declare const SCHEMA_TEXT: string; // schemas/koppel-model.schema.json; see build.mjs

const guide = new Guide(JSON.parse(SCHEMA_TEXT));

// Keys where a key can stand, else the words that the value can be.
function complete(context: CompletionContext): CompletionResult | null {
  const text = context.state.doc.toString();
  const place = place_at(text.slice(0, context.pos), text.slice(context.pos));
  if (place.word.includes("#") || /[^\w.-]/.test(place.word)) return null;
  if (!context.explicit && place.word === "" && place.is_key) return null;
  const keys = (): Completion[] => guide.keys(place).map(({ name, about }) =>
    ({ label: name, type: "property", info: about || undefined, apply: `${name}: ` }));
  const values = (): Completion[] => guide.values(place).map((label) => ({ label, type: "enum" }));
  const options = place.is_key ? keys() : values();
  return options.length > 0 ? { from: context.pos - place.word.length, options } : null;
}

// What the key under the pointer means.
const help = hoverTooltip((view, at) => {
  const text = view.state.doc.toString();
  let [from, to] = [at, at];
  while (/[\w-]/.test(text[from - 1] ?? "")) --from;
  while (/[\w-]/.test(text[to] ?? "")) ++to;
  if (from === to || !/^ *:/.test(text.slice(to, to + 4))) return null;
  const place = place_at(text.slice(0, from), text.slice(from));
  if (!place.is_key) return null;
  const about = guide.meaning([...place.path, text.slice(from, to)], place.type);
  if (!about) return null;
  return {
    pos: from, end: to, above: true,
    create: () => ({ dom: element("div", { class: "about" }, about) }),
  };
});

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--muted)", fontStyle: "italic" },
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--series-1)" },
  { tag: tags.string, color: "var(--series-3)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--series-2)" },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: "var(--muted)" },
]);

export class Editor {
  private readonly view: EditorView;

  constructor(parent: HTMLElement, changed: () => void, save: () => void) {
    this.view = new EditorView({
      parent,
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), lintGutter(),
        highlightSelectionMatches(), search({ top: true }), indentUnit.of("  "),
        EditorState.tabSize.of(2), yaml(), syntaxHighlighting(colours),
        autocompletion({ override: [complete], icons: false }), help,
        keymap.of([{ key: "Mod-s", run: () => (save(), true) },
          ...completionKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": "Model" }),
        EditorView.updateListener.of((update) => { if (update.docChanged) changed(); }),
      ],
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  // At the column to the end of its line; what is nowhere stands at the first line.
  show(mistakes: Mistake[]) {
    const { doc } = this.view.state;
    const diagnostics = mistakes.map(({ line, column, message, hint }): Diagnostic => {
      const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
      const from = Math.min(at.to, at.from + Math.max(0, column - 1));
      return { from, to: Math.max(from, at.to), severity: "error",
        message: hint ? `${message}\n${hint}` : message };
    });
    this.view.dispatch(setDiagnostics(this.view.state, diagnostics));
  }

  go_to(line: number) {
    const at = this.view.state.doc.line(Math.min(Math.max(line, 1), this.view.state.doc.lines));
    this.view.dispatch({ selection: { anchor: at.from }, scrollIntoView: true });
    this.view.focus();
  }
}

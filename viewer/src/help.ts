// The keys, on `?`.

import { element } from "./dom";

export type Keys = Record<string, { text: string; act: () => void }>;

const kNames: Record<string, string> =
  { " ": "Space", ".": ". or →", ArrowRight: "", x: "X Y Z", y: "", z: "" };

// Binds the keys of the page and shows them on `?`.
export function bind_help(keys: Keys, more: [string, string][]): HTMLDialogElement {
  const shown = Object.entries(keys).flatMap(([key, { text }]): [string, string][] => {
    const name = kNames[key] ?? key.toUpperCase();
    return name ? [[name, text]] : [];
  });
  const rows = [...shown, ["?", "this list"] as [string, string], ...more];
  const close = element("button", { type: "button" }, "Close");
  const dialog = element("dialog", { class: "help" }, element("h3", {}, "Keys and mouse"),
    element("dl", {}, ...rows.flatMap(([name, text]) =>
      [element("dt", {}, name), element("dd", {}, text)])),
    close);
  close.addEventListener("click", () => dialog.close());
  // A button that was clicked gives the space bar back to the page.
  document.addEventListener("click", ({ target, detail }) => {
    if (detail > 0) (target as HTMLElement).closest<HTMLElement>("button, summary")?.blur();
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target as HTMLElement;
    const typing = target.closest("input:not([type=range]), select, textarea, [contenteditable=true]");
    const pressing = event.key === " " && target.closest("button, summary");
    if (typing || pressing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "?") {
      if (dialog.open) dialog.close();
      else dialog.showModal();
    } else if (keys[event.key.toLowerCase()] ?? keys[event.key]) {
      (keys[event.key.toLowerCase()] ?? keys[event.key])!.act();
    } else return;
    event.preventDefault();
  });
  return dialog;
}

// The colours of drawings, read from the custom properties of style.css, so that light and dark
// are decided in one place.

import { element, icon } from "./dom";

export interface Theme {
  paper: string;
  ink: string;
  muted: string;
  grid: string;
  cursor: string;
  ground: string;
  accent: string;
  alarm: string;
  axes: [string, string, string];
  series: string[];
}

// A custom property may be a choice between light and dark; a colour that an element has is not.
export function read_theme(): Theme {
  const probe = document.body.appendChild(document.createElement("i"));
  const colour = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const theme: Theme = {
    paper: colour("panel"),
    ink: colour("ink"),
    muted: colour("muted"),
    grid: colour("grid"),
    cursor: colour("cursor"),
    ground: colour("ground"),
    accent: colour("accent"),
    alarm: colour("alarm"),
    axes: [colour("axis-x"), colour("axis-y"), colour("axis-z")],
    series: Array.from({ length: 8 }, (_, i) => colour(`series-${i + 1}`)),
  };
  probe.remove();
  return theme;
}

const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<(theme: Theme) => void>();
const tell = () => { for (const listener of listeners) listener(read_theme()); };
system.addEventListener("change", tell);

// Returns what ends it.
export function on_theme_change(callback: (theme: Theme) => void): () => void {
  listeners.add(callback);
  return () => { listeners.delete(callback); };
}

// The other of light and dark, whatever the system has.
export function toggle_theme() {
  const { dataset } = document.documentElement;
  const is_dark = dataset.theme ? dataset.theme === "dark" : system.matches;
  dataset.theme = is_dark ? "light" : "dark";
  tell();
}

const kHalfMoon = "M8 1.5a6.5 6.5 0 1 0 0 13zM8 1.5a6.5 6.5 0 0 1 0 13v-1a5.5 5.5 0 0 0 0-11z";

export function make_theme_button(): HTMLElement {
  const button = element("button",
    { type: "button", class: "tool", title: "Dark or light (D)", "aria-label": "Dark or light" },
    icon(kHalfMoon));
  button.addEventListener("click", toggle_theme);
  return button;
}

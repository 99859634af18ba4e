// The colours of drawings, read from the custom properties of style.css, so that light and dark
// are decided in one place.

export interface Theme {
  paper: string;
  ink: string;
  muted: string;
  grid: string;
  cursor: string;
  ground: string;
  axes: [string, string, string];
  series: string[];
}

export function read_theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    paper: colour("panel"),
    ink: colour("ink"),
    muted: colour("muted"),
    grid: colour("grid"),
    cursor: colour("cursor"),
    ground: colour("ground"),
    axes: [colour("axis-x"), colour("axis-y"), colour("axis-z")],
    series: Array.from({ length: 8 }, (_, i) => colour(`series-${i + 1}`)),
  };
}

export function on_theme_change(callback: (theme: Theme) => void) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () =>
    callback(read_theme()));
}

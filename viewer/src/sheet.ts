// A canvas that is as sharp as the screen, and drawn again when its size or the colours change.

import { on_theme_change, read_theme, type Theme } from "./theme";

export interface Pen {
  draw: CanvasRenderingContext2D;
  width: number; // in pixels of the page
  height: number;
  theme: Theme;
}

export function make_sheet(canvas: HTMLCanvasElement, paint: (pen: Pen) => void): () => void {
  const again = () => {
    const { width, height } = canvas.getBoundingClientRect();
    if (width === 0 || height === 0) return;
    const scale = devicePixelRatio;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const draw = canvas.getContext("2d")!;
    draw.setTransform(scale, 0, 0, scale, 0, 0);
    paint({ draw, width, height, theme: read_theme() });
  };
  new ResizeObserver(again).observe(canvas);
  on_theme_change(again);
  return again;
}

// Elements of the page in one expression: element("p", {class: "note"}, "text", child).

type Attributes = Record<string, string | number | boolean>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, attributes: Attributes = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "boolean") node.toggleAttribute(name, value);
    else node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}

// A drawing of 16 by 16 units; the path is filled with the colour of the text around it.
export function icon(path: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS(space, "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
}

// What stands above the picture: title, what it is, what is wrong with it, and a few values.

import { element } from "./dom";

export interface Heading {
  title: string;
  description: string;
  summary: { label: string; value: string }[];
  messages: string[];
  alarms: string[]; // why the result should not be trusted
}

export function make_list(kind: "alarms" | "messages", texts: string[]): HTMLElement[] {
  if (texts.length === 0) return [];
  return [element("ul", { class: kind }, ...texts.map((text) => element("li", {}, text)))];
}

export function make_header(
  { title, description, summary, messages, alarms }: Heading
): HTMLElement {
  const header = element("header", {}, element("h1", {}, title || "Untitled"));
  if (description) header.append(element("p", { class: "description" }, description));
  header.append(...make_list("alarms", alarms));
  if (summary.length > 0) {
    header.append(element("dl", { class: "summary" }, ...summary.map(({ label, value }) =>
      element("div", {}, element("dt", {}, label), element("dd", {}, value)))));
  }
  header.append(...make_list("messages", messages));
  return header;
}

// The page of one mechanism that runs by itself: everything is in the file.

import { check_mechanism, type Mechanism } from "./mechanism";
import { element } from "./dom";
import { make_header } from "./header";
import { bind_help } from "./help";
import { Machine, machine_keys } from "./machine";
import { make_theme_button, toggle_theme } from "./theme";

// From base64 and zlib's compression.
async function module_of(text: string): Promise<WebAssembly.Module> {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

async function main() {
  const text = document.getElementById("koppel-data")?.textContent ?? "";
  let mechanism: Mechanism;
  let machine: Machine;
  try {
    const data = JSON.parse(text);
    mechanism = check_mechanism(data?.mechanism);
    machine = new Machine(mechanism, await module_of(data.module));
  } catch (error) {
    document.body.append(element("p", { class: "failure" },
      `This page has no mechanism that it can run. ${(error as Error).message}`));
    return;
  }
  const { title, description, method, step, notes } = mechanism;
  document.title = title ? `${title} – Koppel` : "Koppel";
  const main = element("main", {}, machine.picture, machine.side);
  const header = make_header({ title, description, summary: [], messages: notes, alarms: [] });
  const help = bind_help(
    { ...machine_keys(() => machine), d: { text: "dark or light", act: toggle_theme } },
    [["drag", "take hold of a body; beside it, turn the view"],
      ["click", "trace a point of a body"], ["wheel", "zoom"]]);
  const ask = element("button", { type: "button", class: "tool", title: "Keys (?)" }, "?");
  ask.addEventListener("click", () => help.showModal());
  header.prepend(element("div", { class: "corner" }, make_theme_button(), ask));
  const footer = element("footer", {}, element("span", {}, `${method}; step ${step} s`),
    element("span", {}, "Koppel"));
  document.body.append(header, main, footer, help);
  new ResizeObserver(() =>
    main.style.setProperty("--header", `${header.offsetHeight}px`)).observe(header);
}

void main();

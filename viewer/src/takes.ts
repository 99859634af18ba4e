// The motions that are kept beside the one that runs: recordings, and what the program has computed.
// Each can be played, compared with what runs, and saved.

import type { Report } from "./data";
import { element } from "./dom";
import { times_of } from "./player";

export interface Take {
  name: string;
  report: Report;
}

export interface TakeActions {
  play(take: Take | null): void; // null: what runs
  compare?(take: Take | null): void; // null: with nothing; where something runs
}

export class Takes {
  readonly root = element("section", { class: "takes", "aria-label": "Results" });
  readonly all: Take[] = [];
  playing: Take | null = null;
  compared: Take | null = null;
  private readonly list = element("div", { class: "take-list" });

  // `buttons` make takes.
  constructor(buttons: HTMLElement[], private readonly actions: TakeActions) {
    this.root.append(element("div", { class: "take-tools" }, ...buttons), this.list);
  }

  add(take: Take) {
    const numbered = this.all.filter(({ name }) => name.startsWith(take.name)).length;
    if (numbered > 0) take.name += ` ${numbered + 1}`;
    this.all.push(take);
    this.show();
  }

  play(take: Take | null) {
    this.playing = take;
    this.actions.play(take);
    this.show();
  }

  compare(take: Take | null) {
    this.compared = take;
    this.actions.compare?.(take);
    this.show();
  }

  private remove(take: Take) {
    if (this.playing === take) this.play(null);
    if (this.compared === take) this.compare(null);
    this.all.splice(this.all.indexOf(take), 1);
    this.show();
  }

  private show() {
    this.list.replaceChildren(...this.all.map((take) => {
      const button = (text: string, title: string, act: () => void, pressed?: boolean) => {
        const made = element("button", { type: "button", title }, text);
        if (pressed !== undefined) made.setAttribute("aria-pressed", String(pressed));
        made.addEventListener("click", act);
        return made;
      };
      const is_played = this.playing === take;
      const is_compared = this.compared === take;
      const times = times_of(take.report);
      const length = (times.at(-1) ?? 0) - (times[0] ?? 0);
      return element("div", { class: "take" },
        element("span", { class: "name" }, take.name),
        element("span", { class: "length" }, `${Number(length.toPrecision(3))} s`),
        button("Replay", "Play it in the picture", () => this.play(is_played ? null : take), is_played),
        ...(this.actions.compare
          ? [button("Overlay", "Show it with what runs: dashed curves, and a shadow in the picture",
            () => this.compare(is_compared ? null : take), is_compared)] : []),
        ...(can_save_reports()
          ? [button("Report", "Save it as a page", () => void save_report(take))] : []),
        button("CSV", "Save its columns", () => save(`${take.name}.csv`, csv_of(take.report))),
        button("×", "Remove it", () => this.remove(take)));
    }));
  }
}

function save(name: string, text: string, type = "text/csv") {
  const url = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: url, download: name.replaceAll(" ", "_") }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function csv_of({ columns, data }: Report): string {
  const rows = (data[0] ?? []).map((_, i) => data.map((column) => column[i] ?? "nan").join(","));
  return [columns.map(({ name }) => name).join(","), ...rows, ""].join("\n");
}

let template: Promise<string> | null = null;

// Where the page of a run is to be had; see server.hpp. A page that is one file has none.
function can_save_reports(): boolean {
  return location.protocol.startsWith("http");
}

async function save_report({ name, report }: Take) {
  template ??= fetch("report.html").then((answer) => answer.text());
  const json = JSON.stringify(report, (_, value) =>
    typeof value === "number" ? Number(value.toPrecision(8)) : value);
  const page = (await template).replace(/\/\*DATA\*\/null/, () => json.replaceAll("<", "\\u003c"));
  save(`${report.title || "koppel"} ${name}.html`, page, "text/html");
}

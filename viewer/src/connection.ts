// The connection to the program: messages as JSON, modules as bytes. It comes back by itself when
// the program is started again.

import type { Mechanism } from "./mechanism";
import type { Scene } from "./data";

export interface Mistake {
  line: number; // 0: nowhere in the text
  column: number;
  id: string;
  message: string;
  hint: string;
}

export type FromProgram =
  | { kind: "hello"; file: string; gallery: { name: string; description: string }[] }
  | { kind: "text"; name: string; text: string; can_save: boolean }
  | { kind: "errors"; number: number; errors: Mistake[] }
  | { kind: "mechanism"; number: number; mechanism: Mechanism; doctor: [string, string][];
      redundant: string[]; present: number[] | null; studies: string[] }
  | { kind: "still"; number: number; scene: Scene; studies: string[] }
  | { kind: "singular"; number: number; texts: string[] }
  | { kind: "report"; of: string; number: number; report: unknown }
  | { kind: "picture"; name: string; scene: Scene }
  | { kind: "saved" }
  | { kind: "failed"; message: string };

export type ToProgram =
  | { kind: "open"; name: string }
  | { kind: "edit"; number: number; name: string; text: string; set: Record<string, number>;
      pose: Record<string, number> }
  | { kind: "study"; of: string; number: number; name: string; text: string;
      set: Record<string, number> }
  | { kind: "picture"; name: string }
  | { kind: "save"; text: string };

const kRetry = 1000; // milliseconds

export class Connection {
  on_message: (message: FromProgram) => void = () => {};
  on_module: (bytes: ArrayBuffer) => void = () => {};
  on_state: (connected: boolean, reason: string) => void = () => {};
  private socket: WebSocket | null = null;

  open() {
    const url = new URL("socket", location.href);
    url.protocol = "ws:";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.addEventListener("open", () => {
      this.socket = socket;
      this.on_state(true, "");
    });
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.on_message(JSON.parse(data));
      else this.on_module(data);
    });
    socket.addEventListener("close", ({ reason }) => {
      this.socket = null;
      this.on_state(false, reason);
      setTimeout(() => this.open(), kRetry);
    });
  }

  // Whether it could be sent.
  send(message: ToProgram): boolean {
    if (this.socket?.readyState !== WebSocket.OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }
}

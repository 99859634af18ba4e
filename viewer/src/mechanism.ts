// A mechanism that runs: the contract with the program that writes it, and a check of it.

import { expect, list, numbers, record, string } from "./check";
import { check_scene, type Column, type End, type Scene } from "./data";

export interface Input {
  name: string;
  unit: string;
  start: number;
  min: number | null; // null: no limit
  max: number | null;
}

export interface Parameter {
  name: string;
  start: number;
  settable: boolean; // while it runs
  free: boolean; // else it follows from others; free but not settable: the picture depends on it
}

// A force on a point of a body; its components are among the outputs.
export interface Load extends End {
  name: string;
}

export interface Mechanism {
  title: string;
  description: string;
  method: string;
  step: number; // seconds
  end: number; // of the run that the model is meant for, seconds
  conserves_energy: boolean; // while no hand acts, with the parameters it starts with
  inputs: Input[];
  parameters: Parameter[];
  outputs: Column[];
  state: Column[]; // coordinates, velocities, further states, multipliers
  notes: string[];
  loads: Load[];
  scene: Scene; // without frames: the module computes them
}

// Throws an error that names the first entry that breaks the contract.
export function check_mechanism(value: unknown): Mechanism {
  const top = record(value, "the mechanism");
  for (const key of ["title", "description", "method"]) string(top[key], key);
  for (const key of ["step", "end"]) expect((top[key] as number) > 0, key, "a positive number");
  expect(typeof top.conserves_energy === "boolean", "conserves_energy", "true or false");
  const named = (key: string, more: (entry: Record<string, unknown>, where: string) => void) =>
    list(top[key], key).forEach((entry, i) => {
      const where = `${key}[${i}]`;
      const found = record(entry, where);
      string(found.name, `${where}.name`);
      more(found, where);
    });
  const number = (x: unknown, where: string) => expect(typeof x === "number", where, "a number");
  named("inputs", ({ start }, where) => number(start, `${where}.start`));
  named("parameters", ({ start }, where) => number(start, `${where}.start`));
  for (const key of ["outputs", "state"]) {
    named(key, ({ unit, group }, where) => {
      string(unit, `${where}.unit`);
      string(group, `${where}.group`);
    });
  }
  list(top.notes, "notes").forEach((note, i) => string(note, `notes[${i}]`));
  check_scene(record(top.scene, "scene"));
  const bodies = (top.scene as Scene).bodies.length;
  named("loads", ({ body, point }, where) => {
    expect((body as number) < bodies, `${where}.body`, "the number of a body");
    numbers(point, `${where}.point`, 3);
  });
  return value as Mechanism;
}

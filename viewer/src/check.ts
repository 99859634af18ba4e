// Checks of data that came from elsewhere. They throw an error that names the entry.

export function expect(holds: boolean, where: string, what: string) {
  if (!holds) throw new Error(`${where} must be ${what}`);
}

export function record(value: unknown, where: string): Record<string, unknown> {
  expect(typeof value === "object" && value !== null && !Array.isArray(value), where, "an object");
  return value as Record<string, unknown>;
}

export function list(value: unknown, where: string, length?: number): unknown[] {
  expect(Array.isArray(value), where, "an array");
  const array = value as unknown[];
  expect(length === undefined || array.length === length, where,
         `an array of ${length} entries; it has ${array.length}`);
  return array;
}

export function string(value: unknown, where: string) {
  expect(typeof value === "string", where, "a string");
}

export function numbers(value: unknown, where: string, length: number) {
  const good = list(value, where, length).every((x) => typeof x === "number" || x === null);
  expect(good, where, "an array of numbers or null");
}

// Many numbers may come as one string: floats of 4 bytes, the least first, in base64; what is not a
// number is null.
export function unpacked(value: unknown, where: string): unknown {
  if (typeof value !== "string") return value;
  let bytes = new Uint8Array();
  try {
    bytes = Uint8Array.from(atob(value), (c) => c.charCodeAt(0));
  } catch {
    expect(false, where, "numbers, or floats in base64");
  }
  expect(bytes.length % 4 === 0, where, "whole floats");
  return Array.from(new Float32Array(bytes.buffer), (x) => (Number.isNaN(x) ? null : x));
}

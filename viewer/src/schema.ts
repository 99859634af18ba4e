// What the schema of model files says about a place in a text: the keys that can stand there, the
// words a value can be, and what a key means.

export interface Schema {
  $ref?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  if?: Schema;
  then?: Schema;
  $defs?: Record<string, Schema>;
}

// Where in a text: the keys above it, "" for the entries of a list, and what is being written.
export interface Place {
  path: string[];
  is_key: boolean; // else the value of the last key of the path
  word: string; // what there is of it before the place
  type: string | null; // of the element that it belongs to, where it is said
}

// Lines by their indentation, then braces and brackets of the line itself.
export function place_at(before: string, after: string): Place {
  const lines = before.split("\n");
  const line = lines.pop()!;
  const path = keys_above(lines, indent_of(line));
  const here = read_line(line);
  const word = here.rest.trimStart();
  const type = type_of(lines, line + after.slice(0, after.indexOf("\n") >>> 0), indent_of(line));
  return { path: [...path, ...here.path], is_key: here.is_key, word, type };
}

function indent_of(line: string): number {
  return /^ *(- +)*/.exec(line)![0].length;
}

// From the outermost to the innermost.
function keys_above(lines: string[], indent: number): string[] {
  const found: string[] = [];
  let limit = indent;
  for (const line of lines.toReversed()) {
    const key = /^( *(?:- +)*)([\w.-]+) *:/.exec(line);
    if (!key || key[1]!.length >= limit) continue;
    found.unshift(...(/- /.test(key[1]!) ? ["", key[2]!] : [key[2]!]));
    limit = key[1]!.indexOf("-") < 0 ? key[1]!.length : key[1]!.indexOf("-");
    if (limit === 0) break;
  }
  return found;
}

// Keys that are open at the end of a line.
function read_line(line: string): { path: string[]; is_key: boolean; rest: string } {
  const frames: { key: string | null; is_list: boolean }[] = [{ key: null, is_list: false }];
  let from = indent_of(line);
  for (let i = from; i < line.length; ++i) {
    const c = line[i]!;
    const top = frames.at(-1)!;
    if (c === "#" && /\s/.test(line[i - 1] ?? " ")) break;
    if (c === "{" || c === "[") frames.push({ key: null, is_list: c === "[" });
    else if ((c === "}" || c === "]") && frames.length > 1) frames.pop();
    else if (c === "," && frames.length > 1) top.key = null;
    else if (c === ":" && !top.is_list && /[\s]|^$/.test(line[i + 1] ?? ""))
      top.key = line.slice(from, i).trim();
    else continue;
    from = i + 1;
  }
  const top = frames.at(-1)!;
  const path = frames.flatMap(({ key, is_list }) =>
    is_list ? [""] : key === null ? [] : [key]);
  return { path, is_key: top.key === null && !top.is_list, rest: line.slice(from) };
}

// `type: NAME` of the same element: in the line, or in those of the same indentation around it.
function type_of(lines: string[], line: string, indent: number): string | null {
  const said = (text: string) => /(?:^|[\s{,])type: *([\w-]+)/.exec(text)?.[1] ?? null;
  if (said(line)) return said(line);
  for (const other of lines.toReversed()) {
    if (indent_of(other) < indent) return said(other);
    if (indent_of(other) === indent && said(other)) return said(other);
  }
  return null;
}

export class Guide {
  constructor(private readonly root: Schema) {}

  // Keys with what they mean.
  keys(place: Place): { name: string; about: string }[] {
    const found = new Map<string, string>();
    for (const schema of this.at(place.path, place.type)) {
      for (const [name, about] of Object.entries(schema.properties ?? {}))
        if (!found.get(name)) found.set(name, this.about(about));
    }
    return [...found].map(([name, about]) => ({ name, about }));
  }

  // The words that a value can be.
  values(place: Place): string[] {
    const found = new Set<string>();
    for (const schema of this.at(place.path, place.type)) {
      for (const value of schema.enum ?? (schema.const === undefined ? [] : [schema.const]))
        found.add(String(value));
      if (schema.type === "boolean") found.add("true").add("false");
    }
    return [...found];
  }

  // What the key at the end of a path means.
  meaning(path: string[], type: string | null): string {
    const last = path.at(-1)!;
    for (const schema of this.at(path.slice(0, -1), type)) {
      const own = schema.properties?.[last];
      if (own) return this.about(own);
    }
    return "";
  }

  private about(schema: Schema): string {
    return schema.description ?? this.resolve(schema).description ?? "";
  }

  private resolve(schema: Schema): Schema {
    const name = schema.$ref?.split("/").at(-1);
    return name ? this.root.$defs?.[name] ?? schema : schema;
  }

  // All that the schema allows at a path.
  private at(path: string[], type: string | null): Schema[] {
    let now = this.alternatives(this.root, type);
    for (const key of path) {
      now = now.flatMap(({ properties, additionalProperties, items }) => {
        const next = key === "" ? items : properties?.[key] ??
          (typeof additionalProperties === "object" ? additionalProperties : undefined);
        return next ? this.alternatives(next, type) : [];
      });
    }
    return now;
  }

  // Of an element with types, the one that is said, or what all have.
  private alternatives(schema: Schema, type: string | null): Schema[] {
    const here = this.resolve(schema);
    const fits = ({ if: condition }: Schema) =>
      !condition || (type !== null && condition.properties?.type?.const === type);
    return [here,
      ...(here.anyOf ?? []).flatMap((one) => this.alternatives(one, type)),
      ...(here.allOf ?? []).filter(fits).flatMap((one) => this.alternatives(one.then ?? one, type))];
  }
}

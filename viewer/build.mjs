// node build.mjs FOLDER SCHEMA: bundles src/ into HTML pages that need nothing else. SCHEMA is that of
// model files, for the editor.
//
// A page holds the text /*DATA*/null once; whoever fills it puts its data there, as JSON in which
// every "<" is written \u003c.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateSync } from "node:zlib";
import { build } from "esbuild";

const marker = "/*DATA*/null";
const source = fileURLToPath(new URL("src/", import.meta.url));

// What a page may do: nothing but show itself; run WebAssembly in a worker that it has made.
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
const quiet = `${policy}; script-src 'unsafe-inline'`;
const running = `${policy}; script-src 'unsafe-inline' 'wasm-unsafe-eval'; worker-src blob:`;
const pages = [
  { name: "report", policy: quiet },
  { name: "sweep", policy: quiet },
  { name: "mechanism", entry: "mechanism_page", policy: running, is_packed: true },
  { name: "workbench", policy: `${running}; connect-src 'self'` },
];

async function bundle(entry, define = {}) {
  const result = await build({
    entryPoints: [source + entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    charset: "utf8",
    legalComments: "eof",
    logLevel: "warning",
    define,
  });
  return result.outputFiles[0].text.trim();
}

// A script that unpacks another: a third of its size. Notices of licences stay readable.
function pack(script) {
  const notices = script.match(/\/\*![\s\S]*?\*\/|\/\*\*?[^*]*@license[\s\S]*?\*\//g) ?? [];
  const bytes = deflateSync(script, { level: 9 }).toString("base64");
  return `${notices.join("\n")}
void (async () => {
  const bytes = Uint8Array.from(atob("${bytes}"), (c) => c.charCodeAt(0));
  const text = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const script = document.createElement("script");
  script.textContent = await new Response(text).text();
  document.body.append(script);
})();`;
}

// A replacement function, because "$" means something in a replacement string.
function fill(page, place, text) {
  if (page.split(place).length !== 2) throw new Error(`src/page.html must hold ${place} once`);
  return page.replace(place, () => text);
}

const folder = process.argv[2];
if (process.argv.length !== 4) throw new Error("usage: node build.mjs FOLDER SCHEMA");
await mkdir(folder, { recursive: true });
const template = await readFile(source + "page.html", "utf8");
const style = await bundle("style.css");
const schema = JSON.parse(await readFile(process.argv[3], "utf8"));
const define = {
  WORKER_TEXT: JSON.stringify(await bundle("worker.ts")),
  SCHEMA_TEXT: JSON.stringify(JSON.stringify(schema)),
};
for (const { name, entry = name, policy: allowed, is_packed = false } of pages) {
  let page = fill(template, "/*POLICY*/", allowed);
  page = fill(page, "/*STYLE*/", style);
  const script = await bundle(`${entry}.ts`, define);
  page = fill(page, "/*SCRIPT*/", is_packed ? pack(script) : script);
  if (page.split(marker).length !== 2) throw new Error(`${name} must hold ${marker} once`);
  await writeFile(join(folder, `${name}.html`), page);
}

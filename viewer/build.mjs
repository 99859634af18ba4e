// node build.mjs OUTPUT: bundles src/ into one HTML page that needs nothing else.
//
// The page holds the text /*DATA*/null once; whoever makes a report puts its data there, as JSON
// in which every "<" is written \u003c.

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const marker = "/*DATA*/null";
const source = fileURLToPath(new URL("src/", import.meta.url));

async function bundle(entry) {
  const result = await build({
    entryPoints: [source + entry],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "eof",
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

// A replacement function, because "$" means something in a replacement string.
function fill(page, place, text) {
  if (page.split(place).length !== 2) throw new Error(`src/page.html must hold ${place} once`);
  return page.replace(place, () => text);
}

const output = process.argv[2];
if (!output) throw new Error("usage: node build.mjs OUTPUT");
let page = await readFile(source + "page.html", "utf8");
page = fill(page, "/*STYLE*/", await bundle("style.css"));
page = fill(page, "/*SCRIPT*/", await bundle("main.ts"));
if (page.split(marker).length !== 2) throw new Error(`the page must hold ${marker} once`);
await mkdir(dirname(output), { recursive: true });
await writeFile(output, page);

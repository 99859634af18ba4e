// A step of exported models: WebAssembly that koppel writes, in Node and in Chromium, against the
// exported C, compiled by gcc and clang, and by clang to WebAssembly. Needs gcc, clang, wasm-ld.
//
//   node benchmarks/export/wasm.mjs build/release/bin/koppel build/release/viewer [MODEL ...]
//
// All are timed in turns, in batches; the fastest batch counts. Prints a table in Markdown.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const [koppel, viewer, ...chosen] = process.argv.slice(2);
const models = chosen.length > 0 ? chosen
  : ["slider_crank", "rotary_crane", "bricard", "mcpherson", "vehicle_trailer"];
const kBatchMilliseconds = 1, kBatches = 300;  // short ones: some are not interrupted
const folder = mkdtempSync(join(tmpdir(), "koppel-wasm-benchmark-"));
const flags = ["-std=c99", "-O2", "-ffp-contract=off"];

// A model that is reset before every batch, so that all of them take the same steps.
const wasm_main = `#include "model.h"
static model_state state; static model_parameters parameters; static model_prepared prepared;
static model_inputs inputs;
void reset(void) { model_init(&state, &parameters, &prepared); }
int steps(int n) {
  int k = 0;
  while (k < n && model_step(&state, &inputs, &prepared) == 0) ++k;
  return k;
}
`;
const native_main = `#define _POSIX_C_SOURCE 199309L
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "model.h"
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}
int main(int argc, char** argv) {
  const int n = atoi(argv[argc - 1]);
  static model_state state; static model_parameters parameters; static model_prepared prepared;
  static model_inputs inputs;
  double best = 1e300;
  int batch, k;
  for (batch = 0; batch < 100; ++batch) {
    double start;
    model_init(&state, &parameters, &prepared);
    start = now();
    for (k = 0; k < n; ++k) if (model_step(&state, &inputs, &prepared) != 0) return 1;
    if ((now() - start) / n < best) best = (now() - start) / n;
  }
  printf("%.17g\\n", best);
  return 0;
}
`;

// What C needs of a library that is not there.
function write_headers(at) {
  mkdirSync(join(at, "include"));
  writeFileSync(join(at, "include/math.h"),
                "double fabs(double); double sqrt(double); double sin(double); double cos(double);\n");
  writeFileSync(join(at, "include/string.h"),
                "void* memcpy(void*, const void*, __SIZE_TYPE__);\n" +
                "void* memset(void*, int, __SIZE_TYPE__);\n");
}

function build(model) {
  const at = join(folder, model), run = (...command) => execFileSync(command[0], command.slice(1));
  mkdirSync(at);
  write_headers(at);
  for (const kind of ["c", "wasm"]) {
    run(koppel, "export", model, "--to", kind, "--name", "model", "--out", join(at, kind));
  }
  writeFileSync(join(at, "wasm.c"), wasm_main);
  writeFileSync(join(at, "native.c"), native_main);
  const source = join(at, "c/model.c"), include = `-I${join(at, "c")}`;
  for (const compiler of ["gcc", "clang"]) {
    run(compiler, ...flags, include, "-o", join(at, compiler), join(at, "native.c"), source, "-lm");
  }
  run("clang", "--target=wasm32", ...flags, "-mbulk-memory", "-nostdlib", `-I${join(at, "include")}`,
      include, "-Wl,--no-entry", "-Wl,--export=steps", "-Wl,--export=reset", "-Wl,--strip-all",
      "-o", join(at, "clang.wasm"), join(at, "wasm.c"), source);
  return at;
}

// Nanoseconds a step of modules, in turns.
async function time_modules(modules, num_steps, num_batches) {
  const best = modules.map(() => Infinity), instances = [];
  for (const bytes of modules) instances.push((await WebAssembly.instantiate(bytes)).instance.exports);
  for (let batch = 0; batch < num_batches; ++batch) {
    for (const [i, { reset, steps }] of instances.entries()) {
      reset();
      const start = performance.now();
      if (steps(num_steps) !== num_steps) throw new Error("a step failed");
      best[i] = Math.min(best[i], 1e6 * (performance.now() - start) / num_steps);
    }
  }
  return best;
}

async function time_in_browser(browser, modules, num_steps) {
  const page = await browser.newPage();
  const texts = modules.map((bytes) => bytes.toString("base64"));
  const best = await page.evaluate(([time, all, steps, batches]) => {
    const bytes = all.map((text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
    return (0, eval)(`(${time})`)(bytes, steps, batches);
  }, [time_modules.toString(), texts, num_steps, kBatches]);
  await page.close();
  return best;
}

const { chromium } = createRequire(join(resolve(viewer), "package.json"))("playwright-core");
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
console.log("| model | bytes, koppel | bytes, clang | gcc, ns | clang, ns | Node: koppel, ns | " +
            "clang, ns | ratio | Chromium: koppel, ns | clang, ns | ratio |");
console.log(`| --- |${" ---: |".repeat(10)}`);
try {
  for (const model of models) {
    const at = build(model), files = [join(at, "wasm/model.wasm"), join(at, "clang.wasm")];
    const modules = files.map((file) => readFileSync(file));
    const [rough] = await time_modules(modules, 200, 200);
    const num_steps = Math.max(20, Math.floor(1e6 * kBatchMilliseconds / rough));
    const native = { gcc: Infinity, clang: Infinity };
    const node = [Infinity, Infinity];
    for (let turn = 0; turn < 3; ++turn) {
      for (const compiler of ["gcc", "clang"]) {
        const found = Number(execFileSync(join(at, compiler), [String(num_steps)]));
        native[compiler] = Math.min(native[compiler], found);
      }
      (await time_modules(modules, num_steps, Math.ceil(kBatches / 3)))
        .forEach((found, i) => { node[i] = Math.min(node[i], found); });
    }
    const page = await time_in_browser(browser, modules, num_steps);
    const ns = (value) => value.toPrecision(3);
    const row = [
      model, ...files.map((file) => statSync(file).size), ns(native.gcc), ns(native.clang),
      ns(node[0]), ns(node[1]), (node[0] / node[1]).toFixed(2),
      ns(page[0]), ns(page[1]), (page[0] / page[1]).toFixed(2),
    ];
    console.log(`| ${row.join(" | ")} |`);
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true });
}

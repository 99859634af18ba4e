// A model exported as WebAssembly in a browser: the same bits as in Node; and the types of its
// wrapper. KOPPEL names the program.

import assert from "node:assert";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { launch } from "./browser.mjs";

const models = [["slider_crank", 1000], ["rotary_crane", 1000], ["bricard", 300]];

let folder, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "koppel-wasm-"));
  writeFileSync(join(folder, "package.json"), "{\"type\": \"module\"}");
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

function export_model(model) {
  execFileSync(process.env.KOPPEL, [
    "export", model, "--to", "wasm", "--name", model, "--step", "1e-3", "--integrator", "rattle",
    "--out", folder,
  ]);
  return {
    text: readFileSync(join(folder, `${model}.js`), "utf8"),
    bytes: readFileSync(join(folder, `${model}.wasm`)).toString("base64"),
  };
}

// The bits of all that is saved after steps, as text.
async function run(wrapper, bytes, num_steps) {
  const model = await wrapper.create(bytes);
  if (model.steps(num_steps) !== num_steps) throw new Error("a step failed");
  const outputs = wrapper.variables.outputs.map((variable) => model.outputs[variable.name]);
  const numbers = new Float64Array([...model.save(), ...outputs]);
  return [...new BigUint64Array(numbers.buffer)].map(String);
}

for (const [model, num_steps] of models) {
  test(`${model} has the same bits in the browser and in Node`, async () => {
    const { text, bytes } = export_model(model);
    const wrapper = await import(pathToFileURL(join(folder, `${model}.js`)));
    const expected = await run(wrapper, Buffer.from(bytes, "base64"), num_steps);
    const page = await browser.newPage();
    const found = await page.evaluate(async ([wrapper_text, base64, steps, run_text]) => {
      const url = URL.createObjectURL(new Blob([wrapper_text], { type: "text/javascript" }));
      const module = await fetch(`data:application/wasm;base64,${base64}`);
      return (0, eval)(`(${run_text})`)(await import(url), module, steps);
    }, [text, bytes, num_steps, run.toString()]);
    await page.close();
    assert.deepStrictEqual(found, expected);
    assert.ok(expected.length > 5);
  });
}

test("the types of the wrapper are those that a program sees", () => {
  export_model("slider_crank");
  // What the compiler says of a program.
  const check = (text) => {
    writeFileSync(join(folder, "use.ts"), text);
    return spawnSync(join(process.env.KOPPEL_VIEWER, "node_modules/.bin/tsc"), [
      "--noEmit", "--strict", "--target", "es2022", "--module", "es2022",
      "--moduleResolution", "bundler", "--types", "", "--skipLibCheck", "false",
      join(folder, "use.ts"),
    ], { encoding: "utf8" }).stdout;
  };
  const start = "import { create, variables, type Model } from './slider_crank.js';\n" +
    "const model: Model = await create(fetch('slider_crank.wasm'));\n" +
    "export const unit: string = variables.state[0].unit;\n";
  const use = "if (model.step()) { const n: number = model.steps(5) + model.t; model.reset(); }\n";
  assert.equal(check(start + use), "");
  const mistakes = check(`${start}model.outputs.nothing;\nmodel.t = 3;\n`);
  assert.match(mistakes, /Property 'nothing' does not exist on type 'Outputs'/);
  assert.match(mistakes, /Cannot assign to 't' because it is a read-only property/);
});

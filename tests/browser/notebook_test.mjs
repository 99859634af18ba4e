// A run in a Jupyter notebook: the cell is executed in the page, and its output is the report with the moving mechanism.
// PYTHON names the interpreter with Jupyter and the module koppel.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { count_coloured, count_different, launch } from "./browser.mjs";

const python = process.env.PYTHON;
if (spawnSync(python, ["-c", "import notebook, ipykernel"]).status !== 0) {
  console.log("there is no Jupyter: bin/koppel notebook installs it.");
  process.exit(0);
}

const cells = [
  'import koppel as kp\nm = kp.Model("double pendulum", gravity=(0, -9.81))\n' +
    'a = m.rod("upper", mass=1, length=1)\nb = m.rod("lower", mass=1, length=1)\n' +
    'm.revolute("hip", m.ground, a.start)\nm.revolute("knee", a.end, b.start, start=0.3)',
  "m.simulate(end=10)",
];
const code_cell = (text, i) =>
  ({ cell_type: "code", id: `cell-${i}`, metadata: {}, source: text, execution_count: null, outputs: [] });

// Jupyter does not say which port it found.
const free_port = () => new Promise((found) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => found(port));
  });
});

let browser, server, address, folder;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "koppel-notebook-"));
  writeFileSync(join(folder, "pendulum.ipynb"), JSON.stringify({
    cells: cells.map(code_cell), nbformat: 4, nbformat_minor: 5,
    metadata: { kernelspec: { display_name: "Python 3", language: "python", name: "python3" } },
  }));
  server = spawn(python, ["-m", "notebook", "--no-browser", "--ip=127.0.0.1", `--port=${await free_port()}`, "--allow-root", folder],
                 { env: { ...process.env, HOME: folder, JUPYTER_RUNTIME_DIR: join(folder, "runtime") } });
  address = await new Promise((found, fail) => {
    let said = "";
    server.stderr.on("data", (data) => {
      said += data;
      const match = said.match(/http:\/\/127\.0\.0\.1:\d+\/\S*token=\w+/);
      if (match) found(new URL(match[0]));
    });
    server.once("exit", () => fail(new Error(said)));
    setTimeout(() => fail(new Error(`no address: ${said}`)), 60000).unref();
  });
  browser = await launch();
});

after(async () => {
  await browser?.close();
  if (server) {
    const ended = new Promise((resolve) => server.once("exit", resolve));
    server.kill("SIGTERM");
    await ended;
  }
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test("a run in a cell shows the mechanism moving", async () => {
  const page = await browser.newPage({ viewport: { width: 1200, height: 1400 } });
  page.setDefaultTimeout(60000);
  const token = address.searchParams.get("token");
  await page.goto(`${address.origin}/notebooks/pendulum.ipynb?token=${token}`);
  await page.waitForFunction(() => globalThis.Jupyter?.notebook?.kernel?.is_connected?.());
  await page.evaluate(() => globalThis.Jupyter.notebook.execute_all_cells());
  const frame = page.frameLocator(".output iframe").first();
  const stage = frame.locator(".stage canvas");
  await stage.waitFor();
  await stage.scrollIntoViewIfNeeded();
  assert.equal(await frame.locator("h1").textContent(), "double pendulum");

  const slider = frame.locator("input[type=range]").first();
  const show_at = async (part) => {
    await slider.evaluate((element, share) => {
      element.value = Number(element.min) + share * (Number(element.max) - Number(element.min));
      element.dispatchEvent(new Event("input", { bubbles: true }));
    }, part);
    await page.waitForTimeout(400);
    return stage.screenshot();
  };
  const first = await show_at(0.1);
  assert.ok((await count_coloured(page, first)) > 100, "nothing is drawn");
  assert.ok((await count_different(page, first, await show_at(0.5))) > 100, "the mechanism does not move");
  if (process.env.KOPPEL_PICTURE) await page.screenshot({ path: process.env.KOPPEL_PICTURE });
  assert.equal(await page.locator(".output_error, .output_stderr").count(), 0);
  await page.close();
});

// The workbench in a browser. KOPPEL names the program.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { count_coloured, count_different, launch } from "./browser.mjs";
import { find_bodies, open, start, stop, time, type, until } from "./workbench.mjs";

const kModel = "name: swing\ndimension: 2\ngravity: [0, -9.81]\n" +
  "bodies: {bob: {point_mass: 1, position: [1, 0]}}\n" +
  "joints: {rope: {type: distance, between: [ground, bob]}}\n" +
  "outputs: {x: bob.x, y: bob.y}\nrun: {end: 2}\n";

let folder, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "koppel-play-"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

test("the gallery shows the mechanisms, and one that is chosen runs", async () => {
  const server = await start();
  const page = await open(browser, server.url);
  await page.locator(".card img").first().waitFor();
  assert.ok((await page.locator(".card").count()) > 30);
  await page.locator(".card[data-name=slider_crank]").click();
  await until(async () => (await time(page)) > 0.2, "it does not run");
  const canvas = page.locator(".animation .stage canvas");
  assert.ok((await count_coloured(page, await canvas.screenshot())) > 300, "no picture");
  assert.match(await page.locator(".doctor:not(.vitals)").textContent(), /freedoms1index3/);
  assert.ok(await page.getByRole("button", { name: "Save" }).isHidden());
  assert.deepEqual(page.faults, []);
  await page.close();
  assert.equal(await stop(server), 0);
});

test("the address of the page may name a mechanism of the gallery", async () => {
  const server = await start();
  const page = await open(browser, `${server.url}#pendulum`);
  await until(async () => (await page.locator("h1").textContent()) === "pendulum", "not opened");
  await until(async () => (await time(page)) > 0.1, "it does not run");
  const other = await open(browser, `${server.url}#nonsense`);
  await other.locator(".card").first().waitFor();
  await page.close();
  await other.close();
  assert.equal(await stop(server), 0);
});

test("a mistake is told at its line, and the mechanism comes back after its repair", async () => {
  const file = join(folder, "swing.yaml");
  writeFileSync(file, kModel);
  const server = await start(file);
  const page = await open(browser, server.url);
  await until(async () => (await time(page)) > 0.1, "it does not run");
  await type(page, kModel.replace("between: [ground, bob]", "between: [ground, bop]"));
  await page.locator(".mistakes button").waitFor();
  assert.match(await page.locator(".mistakes").textContent(),
    /^line 5: .*'bop'; there is none\..*Did you mean 'bob'\?/);
  await page.locator(".cm-lint-marker-error").waitFor();
  assert.equal(readFileSync(file, "utf8"), kModel, "nothing is saved by itself");
  await type(page, kModel.replace("name: swing", "name: repaired"));
  await until(async () => (await page.locator("h1").textContent()) === "repaired", "not repaired");
  assert.equal(await page.locator(".mistakes button").count(), 0);
  await page.getByRole("button", { name: "Save" }).click();
  await until(async () => (await page.locator(".state").textContent()) === "saved", "not saved");
  assert.match(readFileSync(file, "utf8"), /^name: repaired/);
  assert.deepEqual(page.faults, []);
  await page.close();
  assert.equal(await stop(server), 0);
});

test("the page finds the program again", async () => {
  const file = join(folder, "swing.yaml");
  writeFileSync(file, kModel);
  const first = await start(file);
  const page = await open(browser, first.url);
  await until(async () => (await time(page)) > 0.1, "it does not run");
  assert.equal(await stop(first), 0);
  await until(async () => /not there/.test(await page.locator(".state").textContent()),
    "it does not say that the program is gone");
  const before_stop = await time(page);
  await until(async () => (await time(page)) > before_stop, "the mechanism stopped with it");
  const second = await start(file, "--port", new URL(first.url).port);
  await until(async () => (await page.locator(".state").textContent()) === "", "no connection");
  await type(page, kModel.replace("name: swing", "name: again"));
  await until(async () => (await page.locator("h1").textContent()) === "again", "no new mechanism");
  await page.close();
  assert.equal(await stop(second), 0);
});

// The step that hands need damps; a mechanism without friction must not come to rest in silence.
// Its spring is too stiff for the step: what keeps energy is not stable there.
const kStiff = kModel.replace("run: {end: 2}", "run: {end: 2, step: 1e-3}") +
  "forces: {rod: {type: spring, between: [{ground: [0, -2]}, bob], stiffness: 1e8, free_length: 2.23}}\n";

test("a step that loses energy says so, where none may be lost", async () => {
  const file = join(folder, "stiff.yaml");
  writeFileSync(file, kStiff);
  const server = await start(file);
  const page = await open(browser, server.url);
  const alarm = page.locator(".alarm-area");
  await until(async () => (await time(page)) > 3, "it does not run");
  await until(async () => (await alarm.textContent()) !== "", "it does not say so");
  await page.locator(".vitals dd.bad").first().waitFor();
  const told = await alarm.textContent();
  const bad = await page.locator(".vitals dd.bad").allTextContents();
  // Back at the start, again and again while it runs, the energy before does not count...
  const anew = [];
  for (let i = 0; i < 20; ++i) {
    await page.locator("body").press("r");
    anew.push(await alarm.textContent());
  }
  // ... and where it stands, nothing is lost.
  await page.locator("body").press("Space");
  await page.locator("body").press("r");
  await until(async () => (await alarm.textContent()) === "", "the alarm outlives the start");
  await page.close();
  assert.equal(await stop(server), 0);
  assert.match(told,
    /^The step loses energy: [0-9.]+ % of what moved since t = 0 s\. `step: 0\.0001` under `run` loses less\.$/);
  assert.doesNotMatch(anew.join("\n"), /gains/);
  assert.match(bad.join("\n"), /^[0-9.]+ % lost of what moved; it should be kept$/);
});

test("a damper may take energy, and a mechanism that nobody holds keeps its own", async () => {
  const file = join(folder, "damped.yaml");
  const damped = "forces: {air: {type: damper, between: [{ground: [0, -2]}, bob], damping: 0.5}}\n";
  for (const text of [kModel, kModel + damped, kModel.replace("run: {", "run: {integrator: rattle, ")]) {
    writeFileSync(file, text);
    const server = await start(file);
    const page = await open(browser, server.url);
    await until(async () => (await time(page)) > 4, "it does not run");
    const told = await page.locator(".alarm-area").textContent();
    await page.close();
    assert.equal(await stop(server), 0);
    assert.equal(told, "");
  }
});

// All that is drawn, not the bob alone: the pivot is the middle of its circle.
test("a pendulum is seen with its pivot", async () => {
  const server = await start();
  const page = await open(browser, `${server.url}#pendulum`);
  await until(async () => (await time(page)) > 0.1, "it does not run");
  const scale = await page.locator(".scale").textContent();
  const places = await find_bodies(page);
  const box = await page.locator(".animation .stage canvas").boundingBox();
  await page.close();
  assert.equal(await stop(server), 0);
  assert.equal(scale, "grid 0.2 m"); // for a rod of 1 m
  const width = Math.max(...places.map(({ x }) => x)) - Math.min(...places.map(({ x }) => x));
  assert.ok(places.length > 0 && width < 0.1 * box.width, `the bob is ${width} pixels wide`);
});

test("the camera goes with a car", async () => {
  const server = await start();
  const page = await open(browser, `${server.url}#vehicle_trailer`);
  await until(async () => (await time(page)) > 1.5, "it does not run", 120000);
  await page.locator("body").press("Space");
  const names = new Set((await find_bodies(page)).map(({ name }) => name));
  await page.close();
  assert.equal(await stop(server), 0);
  assert.ok(names.has("car") && names.has("trailer"), `in view: ${[...names].join(", ")}`);
});

test("the doctor reads energies, violation and reactions while it runs", async () => {
  const server = await start();
  const page = await open(browser, `${server.url}#slider_crank`);
  await until(async () => (await time(page)) > 3, "it does not run");
  const rows = await page.locator(".vitals dd").allTextContents();
  const bad = await page.locator(".vitals dd.bad").allTextContents();
  await page.close();
  assert.equal(await stop(server), 0);
  assert.match(rows.join("\n"), /^[0-9.]+ J: kinetic .+, potential .+\n.+\n.+ of positions\nnot known of O, A, B$/);
  assert.deepEqual(bad, []);
});

test("forces of springs are drawn, and reactions that are not known are named", async () => {
  const file = join(folder, "sprung.yaml");
  writeFileSync(file, kModel + "forces: {pull: {type: spring, between: [{ground: [0, -2]}, bob], " +
    "stiffness: 20, free_length: 1}}\n");
  for (const model of [file, "slider_crank"]) {
    const server = await start(model);
    const page = await open(browser, server.url);
    await until(async () => (await time(page)) > 0.1, "it does not run");
    await page.locator("body").press("Space");
    await page.waitForTimeout(500);
    const canvas = page.locator(".animation .stage canvas");
    const without = await canvas.screenshot();
    await page.locator("body").press("a");
    await page.waitForTimeout(500);
    const pixels = await count_different(page, without, await canvas.screenshot());
    const note = await page.locator(".force-note:not([hidden])").allTextContents();
    await page.close();
    assert.equal(await stop(server), 0);
    if (model === file) assert.ok(pixels > 100 && note.length === 0, `${pixels} pixels, ${note}`);
    else assert.match(note[0] ?? "", /^Not known: the reactions of O, A, B\. `coordinates: absolute`/);
  }
});

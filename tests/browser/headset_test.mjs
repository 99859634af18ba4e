// The workbench in an emulated headset: both hands take hold of bodies and carry them. KOPPEL names the
// program.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { launch } from "./browser.mjs";
import { open, start, stop, time, until, value_of } from "./workbench.mjs";

const kEmulator = join(process.env.KOPPEL_VIEWER, "node_modules/iwer/build/iwer.min.js");

// Two boxes side by side, 2 m apart; shown a metre large, they stand at the height of the chest.
const kModel = "bodies:\n" +
  "  a: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [-1, 0, 0], shape: {box: {size: [1, 1, 1]}}}\n" +
  "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [1, 0, 0], shape: {box: {size: [1, 1, 1]}}}\n" +
  "outputs: {az: a.z, bz: b.z, ax: a.x}\nrun: {end: 0.1}\n";

test("two hands take hold of two bodies and lift them", async () => {
  const folder = mkdtempSync(join(tmpdir(), "koppel-headset-"));
  const file = join(folder, "boxes.yaml");
  writeFileSync(file, kModel);
  const browser = await launch();
  const server = await start(file);
  try {
    const page = await open(browser, server.url, { prepare: async (fresh) => {
      await fresh.addInitScript({ content: readFileSync(kEmulator, "utf8") + `
        window.headset = new IWER.XRDevice(IWER.metaQuest3);
        window.headset.installRuntime({ forceInstall: true });
        window.headset.position.set(0, 1.6, 0);` });
    } });
    await until(async () => (await time(page)) > 0.05, "it does not run");
    await page.locator(".headset").click();
    await until(() => page.evaluate(() => window.headset.activeSession !== undefined), "no session");
    // Both point forwards, each at one box; then press, and rise by 0.2 m.
    const hands = (height) => page.evaluate((y) => {
      const { left, right } = window.headset.controllers;
      left.position.set(-0.26, y, 0);
      right.position.set(0.26, y, 0);
      for (const hand of [left, right]) hand.quaternion.set(0, 0, 0, 1);
    }, height);
    const press = (value) => page.evaluate((x) => {
      const { left, right } = window.headset.controllers;
      for (const hand of [left, right]) hand.updateButtonValue("trigger", x);
    }, value);
    await hands(1.2);
    await page.waitForTimeout(200);
    await press(1);
    await page.waitForTimeout(200);
    for (let k = 1; k <= 10; ++k) {
      await hands(1.2 + 0.02 * k);
      await page.waitForTimeout(30);
    }
    // 0.2 m of the hands are 0.66 m of the mechanism, of 3.3 m, which is shown a metre large; the boxes
    // turn a little, because they are held before their centres.
    let heights = [];
    await until(async () => {
      heights = [await value_of(page, "az"), await value_of(page, "bz")];
      return heights.every((z) => Math.abs(z - 0.66) < 0.15);
    }, `they are not lifted: ${heights}`);
    await press(0);
    await page.evaluate(() => window.headset.activeSession.end());
    await until(async () => page.evaluate(() => window.headset.activeSession === undefined), "no end");
    assert.deepEqual(page.faults, []);
  } finally {
    await browser.close();
    await stop(server);
    rmSync(folder, { recursive: true });
  }
});

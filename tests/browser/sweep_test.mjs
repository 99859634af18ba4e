// The page that shows a sweep. KOPPEL is the program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { launch, open_file } from "./browser.mjs";

let browser, folder;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "koppel-sweep-"));
  execFileSync(process.env.KOPPEL, ["sweep", "pendulum", "--vary", "l=0.5:1.5:5", "--vary", "g=1,5,9.81", "--output",
    "y:min", "--end", "0.5", "--bands", "21", "--out", join(folder, "out"), "--quiet"]);
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function with_page(use) {
  const page = await open_file(browser, join(folder, "out", "report.html"));
  try {
    await use(page);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
}

const picture = (page, selector) =>
  page.locator(selector).first().evaluate((canvas) => canvas.toDataURL());

test("shows all variants in both plots", () => with_page(async (page) => {
  assert.equal(await page.title(), "pendulum – Koppel");
  assert.deepEqual(await page.locator(".summary dd").allTextContents(), ["15", "grid", "l=0.5:1.5:5, g=1,5,9.81"]);
  assert.equal(await page.locator(".read").textContent(), "all 15 variants");
  assert.equal(await page.locator(".scatter").count(), 3);
  assert.deepEqual(await page.locator(".band").evaluateAll((all) => all.map((band) => band.getAttribute("aria-label"))),
    ["y over time: median, half and nine tenths of the variants"]);
  assert.deepEqual(await page.locator(".diagonal").allTextContents(), ["l", "g", "y:min"]);
}));

// The axis of l is 60 pixels from the left; the upper half of it are the lengths 1 (at its middle), 1.25 and 1.5.
test("a range of an axis chooses variants in all plots, and gives them back", () => with_page(async (page) => {
  const before_parallel = await picture(page, ".parallel"), before_scatter = await picture(page, ".scatter");
  const box = await page.locator(".parallel").boundingBox();
  await page.mouse.move(box.x + 60, box.y + 28);
  await page.mouse.down();
  await page.mouse.move(box.x + 60, box.y + 0.45 * box.height, { steps: 4 });
  await page.mouse.up();
  assert.equal(await page.locator(".read").textContent(), "6 of 15 variants");
  assert.notEqual(await picture(page, ".parallel"), before_parallel);
  assert.notEqual(await picture(page, ".scatter"), before_scatter);
  await page.locator(".reset").click();
  assert.equal(await page.locator(".read").textContent(), "all 15 variants");
  assert.equal(await picture(page, ".parallel"), before_parallel);
}));

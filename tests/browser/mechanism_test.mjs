// A mechanism in one file, opened from disk: it runs, offline, and can be touched. KOPPEL names the
// program.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { count_coloured, count_different, launch, open_file } from "./browser.mjs";

const kMostBytes = 1_000_000;

let folder, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "koppel-page-"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

// With an integrator that is named nothing is tried out, which takes time; and there is no hand.
const kNamed = ["--integrator", "rattle"];

function export_page(model, options) {
  const path = join(folder, "page.html");
  execFileSync(process.env.KOPPEL, ["export", model, "--to", "html", "--out", path, ...options]);
  return path;
}

// Opens a model's page, uses it, and checks that nothing was complained about or asked for.
async function with_page(model, use, { view, options = kNamed } = {}) {
  const page = await open_file(browser, export_page(model, options), view);
  try {
    await page.locator(".stage canvas, .stage .note").first().waitFor();
    await use(page);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
}

const shot = (page) => page.locator(".stage canvas").screenshot();
const number = (text) => Number(text.replace("\u2212", "-"));
const time = async (page) => Number.parseFloat(await page.locator(".readout").textContent());
const value_of = async (page, name) => number(await page.locator(".entry", { hasText: name })
  .first().locator(".value").textContent());

async function until(is_so, claim) {
  const end = Date.now() + 30000;
  while (!(await is_so())) {
    assert.ok(Date.now() < end, claim);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

// What is shown follows what runs with some delay.
async function settled(read) {
  for (let last = await read(); ;) {
    await new Promise((resolve) => setTimeout(resolve, 400));
    const now = await read();
    if (now === last) return now;
    last = now;
  }
}

async function pause(page) {
  await page.locator(".play").click();
  let before_wait = -1, stands = 0;
  await until(async () => { // what was asked for before has arrived, on a busy machine too
    const now = await time(page);
    stands = now === before_wait ? stands + 1 : 0;
    before_wait = now;
    return stands > 15;
  }, "it does not stop");
}

test("a slider crank runs, stops, steps and starts over", () =>
  with_page("slider_crank", async (page) => {
    assert.ok(statSync(join(folder, "page.html")).size < kMostBytes, "the file is too large");
    assert.equal(await page.locator("h1").textContent(), "slider crank");
    const first = await shot(page);
    assert.ok((await count_coloured(page, first)) > 500, "the picture is blank");
    await until(async () => (await time(page)) > 0.3, "time stands still");
    // On a busy machine the first picture is late, and the second may follow at once.
    await until(async () => (await count_different(page, first, await shot(page))) > 200,
      "nothing moved");
    assert.match(await page.locator(".cost").textContent(), /^step [0-9.e+]+ (µs|ms)/);
    await pause(page);
    const stopped = await time(page);
    await page.locator(".step").click();
    await until(async () => Math.abs((await time(page)) - stopped - 1e-3) < 1e-9, "no single step");
    await page.locator("body").press("r");
    await until(async () => (await time(page)) === 0, "it is not back at the start");
  }));

test("its constraints hold, and the plots say so", () => with_page("slider_crank", async (page) => {
  await until(async () => (await time(page)) > 0.5, "time stands still");
  await pause(page);
  const violation = await value_of(page, "position_violation");
  assert.ok(violation < 1e-10, `violated by ${violation}`);
  assert.equal(await page.locator(".alarms").count(), 0);
  assert.equal(await page.locator(".plot canvas").count() >= 3, true);
}));

test("an input moves what it drives", () => with_page("mass_on_car", async (page) => {
  await page.locator(".sliders .field").first().fill("10");
  await page.locator(".sliders .field").first().press("Enter");
  // 10 N on 3 kg: it leaves its place to the right; without the force it would stay.
  await until(async () => (await value_of(page, "x")) > 1, "the force does nothing");
}));

test("without it, the same stays", () => with_page("mass_on_car", async (page) => {
  await until(async () => (await time(page)) > 0.5, "time stands still");
  assert.equal(await value_of(page, "x"), 0.5);
}));

test("a parameter counts from the next step on", () => with_page("heavy_top", async (page) => {
  await page.locator(".sliders summary").first().waitFor();
  await until(async () => (await time(page)) > 0.1, "time stands still");
  await page.locator("body").press("r");
  await pause(page);
  const potential = () => value_of(page, "potential_energy");
  const before_change = await settled(potential);
  await page.locator(".sliders", { hasText: "Parameters" })
    .evaluate((section) => { section.open = true; });
  const field = page.locator(".row", { has: page.locator(".name", { hasText: /^g$/ }) })
    .locator(".field");
  await field.fill(String(2 * number(await field.inputValue())));
  await field.press("Enter");
  await until(async () => Math.abs((await potential()) / before_change - 2) < 1e-3,
    "gravity did not change");
}));

// A box that nothing holds: it is where its outputs say, and follows the hand.
test("a body that is taken hold of follows the pointer", async () => {
  const model = join(folder, "box.yaml");
  writeFileSync(model, "dimension: 2\nbodies: {b: {mass: 1, inertia: 0.1, " +
    "shape: {box: {size: [1, 1]}}}}\noutputs: {x: b.x, y: b.y}\nrun: {end: 0.1}\n");
  await with_page(model, async (page) => {
    const box = await page.locator(".stage canvas").boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 10, y, { steps: 2 });
    await page.mouse.move(x + 120, y, { steps: 8 });
    await until(async () => (await value_of(page, "x")) > 0.1, "it does not follow");
    // The view holds 1.12 times the box of 1 m; 120 pixels are that share of it.
    const expected = (120 / Math.min(box.width, box.height)) * 1.12;
    let last = NaN;
    const is_there = async () => {
      last = await value_of(page, "x");
      return Math.abs(last / expected - 1) < 0.05;
    };
    await until(is_there, `it does not come to rest at ${expected} m`);
    await page.waitForTimeout(500);
    assert.ok(await is_there(), `${last} m instead of ${expected} m`);
    assert.ok(Math.abs(await value_of(page, "y")) < 0.02 * last, "it leaves the line of the pull");
    await page.mouse.up();
  }, { options: [] });
});

test("a loop stays closed while it is pulled about", () => with_page("slider_crank", async (page) => {
  const box = await page.locator(".stage canvas").boundingBox();
  let held = false;
  for (let k = 1; k < 20 && !held; ++k) { // somewhere on a body
    await page.mouse.move(box.x + (k / 20) * box.width, box.y + box.height / 2);
    held = (await page.locator(".label:not([hidden])").count()) > 0;
  }
  assert.ok(held, "no body under the pointer");
  await page.mouse.down();
  for (let k = 0; k < 12; ++k)
    await page.mouse.move(box.x + (k % 2 ? 0.8 : 0.2) * box.width, box.y + (0.2 + 0.05 * k) * box.height);
  const violation = await value_of(page, "position_violation");
  assert.ok(violation < 1e-8, `open by ${violation} m`);
  await page.mouse.up();
  assert.equal(await page.locator(".alarms").count(), 0);
}, { options: [] }));

test("models without bodies are drawn", () => with_page("rotary_crane", async (page) => {
  assert.ok((await count_coloured(page, await shot(page))) > 500, "the picture is blank");
  assert.equal(await page.locator(".messages").count(), 0);
}));

test("outputs with functions beyond sums and products are shown", () =>
  with_page("rotary_crane_winches", async (page) => {  // phi is an atan2
    assert.equal(await page.locator(".messages").count(), 0);
    assert.equal(await page.locator(".entry", { hasText: /^phi/ }).count(), 1);
  }));

test("slow motion, theme and keys", () => with_page("slider_crank", async (page) => {
  await page.locator(".speed").selectOption("0.01");
  await until(async () => (await time(page)) > 0, "time stands still");
  const light = await shot(page);
  await page.locator("body").press("d");
  const { width, height } = await page.locator(".stage").boundingBox();
  await until(async () =>
    (await count_different(page, light, await shot(page))) > 0.8 * width * height, "it stays light");
  await page.locator("body").press("?");
  assert.match(await page.locator(".help").textContent(), /Space.*run or pause/);
  await page.locator(".help button").click();
  assert.ok(await page.locator(".help").isHidden());
}));

test("fits a phone", () => with_page("slider_crank", async (page) => {
  const overflow = await page.evaluate(() =>
    document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.equal(overflow, 0);
  assert.ok((await count_coloured(page, await shot(page))) > 300);
}, { view: { width: 390, height: 844 } }));

test("a step that fails is told", async () => {
  const model = join(folder, "blow_up.yaml");
  writeFileSync(model, "coordinates: {x: {start: 1, rate: 1}}\nkinetic: x'^2/2\n" +
    "potential: -x^4\nrun: {end: 0.1}\n");
  await with_page(model, async (page) => {
    // First that the energy jumps, then that the step fails.
    const says = /^The step failed at t = [0-9.]+ s: a value would not be finite\. Press R\.$/;
    await until(async () => says.test(await page.locator(".alarm-area").textContent()), "nothing is told");
  });
});

// What the workbench keeps and computes: recordings, accurate runs, inverse dynamics, reports; poses
// that survive an edit; hands. KOPPEL names the program.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { count_different, launch, open_file } from "./browser.mjs";
import { find_body, open, start, stop, time, type, until, value_of } from "./workbench.mjs";

let folder, browser;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), "koppel-results-"));
  browser = await launch();
});
after(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

// Opens a model (a name, or a text that is put into a file), uses its page, and checks that nothing
// was complained about.
async function with_workbench(model, use, view) {
  let name = model;
  if (model.includes("\n")) {
    name = join(folder, "model.yaml");
    writeFileSync(name, model);
  }
  const server = await start(name);
  const page = await open(browser, server.url, view);
  try {
    await until(async () => (await time(page)) > 0.05, "it does not run");
    await use(page, server);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.context().close();
    await stop(server);
  }
}

const stage = (page) => page.locator(".animation .stage canvas");
const button = (page, name) => page.getByRole("button", { name, exact: true });
const take = (page, name) => page.locator(".take", { hasText: name });

// How many pixels have the colour of alarms.
function count_reddish(page, image) {
  return page.evaluate(async (address) => {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    context.drawImage(picture, 0, 0);
    const { data } = context.getImageData(0, 0, picture.width, picture.height);
    let count = 0;
    for (let i = 0; i < data.length; i += 4)
      if (Math.abs(data[i] - 0xb3) < 12 && Math.abs(data[i + 1] - 0x26) < 12 && Math.abs(data[i + 2] - 0x1e) < 12) ++count;
    return count;
  }, `data:image/png;base64,${image.toString("base64")}`);
}

// What a download has.
async function download(page, press) {
  const [file] = await Promise.all([page.waitForEvent("download"), press()]);
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  return path;
}

test("what was recorded is played again, and saved", () => with_workbench("slider_crank", async (page) => {
  const begun = await time(page);
  await button(page, "Record").click();
  await until(async () => (await time(page)) > begun + 0.5, "it does not run");
  await button(page, "Stop recording").click();
  await take(page, "recording").getByRole("button", { name: "Replay" }).click();
  const slider = page.locator(".transport .slider");
  const first = Number(await slider.getAttribute("min"));
  assert.ok(first > begun, `from ${first}, begun after ${begun}`);
  await until(async () => (await slider.inputValue()) > first + 0.1, "the replay stands still");
  await page.keyboard.press("Space");
  const seek = (to) => slider.evaluate((range, value) => {
    range.valueAsNumber = value;
    range.dispatchEvent(new Event("input"));
  }, to);
  await seek(0.5 * (first + Number(await slider.getAttribute("max"))));
  await page.waitForTimeout(300);
  const before_jump = await stage(page).screenshot();
  await seek(first);
  await until(async () => (await count_different(page, before_jump, await stage(page).screenshot())) > 100,
    "the picture does not follow the replay");
  const csv = readFileSync(await download(page, () => take(page, "recording")
    .getByRole("button", { name: "CSV" }).click()), "utf8").trim().split("\n");
  assert.match(csv[0], /^t,.*position_violation/);
  assert.ok(csv.length > 10, "hardly any rows");
  const times = csv.slice(1).map((row) => Number(row.split(",")[0]));
  assert.equal(times[0], first);
  // However slow the display: a sample every 20 ms, and of rounding a step.
  const gap = Math.max(...times.slice(1).map((t, i) => t - times[i]));
  assert.ok(gap < 0.0215, `nothing for ${gap} s`);
  const report = await download(page, () => take(page, "recording")
    .getByRole("button", { name: "Report" }).click());
  const shown = await open_file(browser, report);
  await shown.locator(".stage canvas").waitFor();
  assert.equal(await shown.locator("h1").textContent(), "slider crank");
  assert.deepEqual(shown.faults, []);
  await shown.close();
  const live = await page.locator(".transport").count();
  assert.equal(live, 1);
  await button(page, "Live").click();
  const stopped = await time(page);
  await page.locator("body").press("Space");
  await until(async () => (await time(page)) > stopped, "it does not go on");
}));

test("an accurate run lies beside what runs", () => with_workbench("four_bar", async (page) => {
  await button(page, "Accurate run").click();
  await take(page, "accurate run").waitFor();
  await until(async () => (await time(page)) > 0.3, "it does not start over");
  const pressed = take(page, "accurate run").getByRole("button", { name: "Overlay" });
  assert.equal(await pressed.getAttribute("aria-pressed"), "true");
  // Dashed curves and the shadow: without them the picture is another.
  await page.locator("body").press("Space");
  await page.waitForTimeout(300);
  const plots = page.locator(".plots");
  const compared = await plots.screenshot();
  await pressed.click();
  assert.ok((await count_different(page, compared, await plots.screenshot())) > 20, "no curve is laid over");
  await take(page, "accurate run").getByRole("button", { name: "Replay" }).click();
  // All joints have their reactions there.
  await page.locator(".chooser summary").click();
  assert.ok((await page.locator(".chooser label", { hasText: ".force.x" }).count()) > 3);
}));

test("inverse dynamics gives inputs and motion", () => with_workbench("overhead_crane", async (page) => {
  await button(page, "Inverse dynamics").click();
  await take(page, "inverse dynamics").waitFor();
  const slider = page.locator(".transport .slider");
  await until(async () => (await slider.inputValue()) > 0, "it is not played");
  const names = await page.locator(".curves .entry .name").allTextContents();
  assert.ok(names.some((name) => /^F/.test(name)), `no input among ${names}`);
}));

const kSwing = (length) => "name: swing\ndimension: 2\ngravity: [0, -9.81]\n" +
  `parameters: {l: ${length}}\n` +
  "bodies: {bob: {point_mass: 1, position: [l, 0]}}\n" +
  "joints: {rope: {type: distance, between: [ground, bob]}}\n" +
  "outputs: {x: bob.x, y: bob.y}\nrun: {end: 2}\n";

test("an edit does not put the mechanism back to its start", () => with_workbench(kSwing(1), async (page) => {
  // Swings below the pivot; the start is beside it, at y = 0.
  await until(async () => (await value_of(page, "y")) < -0.5, "it does not swing");
  await page.locator("body").press("Space");
  await page.waitForTimeout(300);
  const [x, y] = [await value_of(page, "x"), await value_of(page, "y")];
  await type(page, kSwing(1).replace("name: swing", "name: again"));
  await until(async () => (await page.locator("h1").textContent()) === "again", "not made");
  await until(async () => Math.abs((await value_of(page, "y")) - y) < 1e-3, "it is elsewhere");
  assert.ok(Math.abs((await value_of(page, "x")) - x) < 1e-3);
  // A longer rope: assembled anew, next to where it was, in the same direction.
  await type(page, kSwing(1.5));
  await until(async () => (await page.locator("h1").textContent()) === "swing", "not made");
  await until(async () => Math.abs(Math.hypot(await value_of(page, "x"), await value_of(page, "y")) - 1.5) < 1e-3,
    "the rope is not longer");
  const angle = Math.atan2(await value_of(page, "y"), await value_of(page, "x"));
  assert.ok(Math.abs(angle - Math.atan2(y, x)) < 5e-3, `${angle}, before ${Math.atan2(y, x)}`);
}));

test("a length on a slider makes the mechanism anew", () => with_workbench(kSwing(1), async (page) => {
  const section = page.locator(".sliders", { hasText: "Geometry" });
  await section.locator("summary").click();
  await section.locator(".field").fill("2");
  await section.locator(".field").press("Enter");
  await until(async () => Math.abs(Math.hypot(await value_of(page, "x"), await value_of(page, "y")) - 2) < 1e-3,
    "the rope is not longer");
  assert.match(await page.locator(".cm-content").textContent(), /l: 1/); // the text is as it was
}));

// One section of sliders makes the mechanism anew; what the other has set stays, until the text is edited.
test("sliders stay where they are when a length makes the mechanism anew", () => {
  const text = kSwing(1).replace("-9.81]", "-g]").replace("{l: 1}", "{l: 1, g: 9.81}");
  return with_workbench(text, async (page) => {
    const field = (title) => page.locator(".sliders", { hasText: title }).locator(".field");
    await field("Parameters").fill("2");
    await field("Parameters").press("Enter");
    await page.locator(".sliders", { hasText: "Geometry" }).locator("summary").click();
    await field("Geometry").fill("2");
    await field("Geometry").press("Enter");
    await until(async () => Math.abs(Math.hypot(await value_of(page, "x"), await value_of(page, "y")) - 2) < 1e-3,
      "the rope is not longer");
    assert.equal(await field("Parameters").inputValue(), "2");
    assert.ok(await field("Geometry").isVisible(), "the section is folded");
    // It is what the step has, too: m g y is the potential energy.
    await page.locator("body").press("Space");
    await page.waitForTimeout(300);
    await page.locator(".chooser summary").click();
    await page.locator(".chooser label", { hasText: /^potential_energy/ }).locator("input").check();
    await page.locator(".chooser summary").click();
    const [energy, y] = [await value_of(page, "potential_energy"), await value_of(page, "y")];
    assert.ok(Math.abs(energy - 2 * y) < 1e-3 * Math.abs(y) + 1e-3, `${energy} J at ${y} m`);
    await type(page, text.replace("name: swing", "name: again"));
    await until(async () => (await page.locator("h1").textContent()) === "again", "not made");
    await until(async () => (await field("Parameters").inputValue()) === "9.81", "the text does not count");
  });
});

test("keys are completed and explained from the schema", () => with_workbench(kSwing(1), async (page) => {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.type("tra");
  await page.locator(".cm-tooltip-autocomplete li", { hasText: "tracking" }).waitFor();
  await page.keyboard.press("Escape");
  for (let i = 0; i < 3; ++i) await page.keyboard.press("Backspace");
  await page.locator(".cm-line", { hasText: "gravity" }).locator("span", { hasText: "gravity" }).first().hover();
  await page.locator(".about", { hasText: "the acceleration of gravity" }).waitFor();
}));

// A loop of six hinges in space that moves: one of its equations repeats the others.
test("redundant joints are named, and stand out", () => with_workbench("bricard", async (page) => {
  const found = page.locator(".doctor dd.bad");
  assert.ok((await found.count()) > 0, "none is named");
  const red = await count_reddish(page, await stage(page).screenshot());
  assert.ok(red > 30, `${red} pixels are red`);
}));

test("two fingers pull at two bodies", () => with_workbench(
  "dimension: 2\nbodies:\n  a: {mass: 1, inertia: 0.1, position: [-1, 0], shape: {box: {size: [1, 1]}}}\n" +
  "  b: {mass: 1, inertia: 0.1, position: [1, 0], shape: {box: {size: [1, 1]}}}\n" +
  "outputs: {ay: a.y, by: b.y}\nrun: {end: 0.1}\n", async (page) => {
    const [a, b] = [await find_body(page, "a"), await find_body(page, "b")];
    const client = await page.context().newCDPSession(page);
    const touch = (kind, by) => client.send("Input.dispatchTouchEvent", {
      type: kind,
      touchPoints: kind === "touchEnd" ? []
        : [{ x: a.x, y: a.y - by, id: 1 }, { x: b.x, y: b.y + by, id: 2 }],
    });
    await touch("touchStart", 0);
    for (let k = 1; k <= 10; ++k) {
      await touch("touchMove", 6 * k);
      await page.waitForTimeout(20);
    }
    await until(async () => (await value_of(page, "ay")) > 0.1 && (await value_of(page, "by")) < -0.1,
      "one of them does not follow");
    await touch("touchEnd", 0);
  }, { touch: true }));

test("a pull along an axis leaves the others alone", () => with_workbench(
  "dimension: 2\nbodies: {b: {mass: 1, inertia: 0.1, shape: {box: {size: [1, 1]}}}}\n" +
  "outputs: {x: b.x, y: b.y}\nrun: {end: 0.1}\n", async (page) => {
    const box = await stage(page).boundingBox();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]; // its centre: it does not turn
    await page.locator("body").press("y");
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 60, y - 60, { steps: 6 });
    await until(async () => (await value_of(page, "y")) > 0.1, "it does not follow");
    assert.ok(Math.abs(await value_of(page, "x")) < 0.02, "it leaves the axis");
    assert.match(await page.locator(".cost").textContent(), /pointer \d+ frames/);
    await page.mouse.up();
  }));

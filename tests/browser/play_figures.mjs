// node play_figures.mjs FOLDER [NAME...]: the pictures of docs/play.md, all or those of these names. KOPPEL
// names the program, KOPPEL_VIEWER the folder that the viewer is built in.

import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { find_bodies, find_body, open, start, stop, time, type, until } from "./workbench.mjs";

const [folder, ...wanted] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();

// Opens a model's page, uses it, and takes its picture.
async function picture(name, model, use, view) {
  if (wanted.length > 0 && !wanted.includes(name)) return;
  const server = await start(...(model ? [model] : []));
  const page = await open(browser, server.url, view);
  const is_stopped = await use(page, server);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.context().close();
  if (!is_stopped) await stop(server);
  console.log(name);
}

const runs = (page) => until(async () => (await time(page)) > 0.3, "it does not run", 120000);
const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

async function pull(page, by) {
  const box = await page.locator(".animation .stage canvas").boundingBox();
  const places = await find_bodies(page);
  const { x, y } = places[places.length >> 1];
  await page.mouse.move(box.x + x, box.y + y);
  await page.mouse.down();
  await page.mouse.move(box.x + x + by[0], box.y + y + by[1], { steps: 10 });
  await page.waitForTimeout(700);
}

const all_pictures = (page) => until(async () => {
  const [cards, shown] = [await page.locator(".card").count(), await page.locator(".card img").count()];
  return cards > 0 && shown === cards;
}, "a picture is missing", 120000);

await picture("play_gallery", "", async (page) => {
  await page.locator(".card img").nth(14).waitFor();
}, { dark: true });
await picture("play_models", "", all_pictures, { width: 1600, height: 2110 });
await picture("play", "five_link", async (page) => {
  await runs(page);
  await pull(page, [30, -60]);
});
await picture("play_mistake", "slider_crank", async (page) => {
  await runs(page);
  const text = await page.locator(".cm-content").innerText();
  await type(page, text.replace("between: [crank.A, rod]", "between: [crank.A, rood]"));
  await page.locator(".mistakes button").waitFor();
});
await picture("play_repaired", "slider_crank", async (page) => {
  await runs(page);
  const text = await page.locator(".cm-content").innerText();
  await type(page, text.replace("between: [crank.A, rod]", "between: [crank.A, rood]"));
  await page.locator(".mistakes button").waitFor();
  await type(page, text.replace("a: 0.4, b: 1", "a: 0.4, b: 0.8"));
  await until(async () => (await page.locator(".mistakes button").count()) === 0, "it is not repaired");
  await page.waitForTimeout(2500);
});
await picture("play_results", "four_bar", async (page) => {
  await runs(page);
  await press(page, "Accurate run");
  await page.locator(".take").waitFor();
  await press(page, "Record");
  await until(async () => (await time(page)) > 2.9, "it stands still");
  await press(page, "Stop recording");
  await page.locator("body").press("Space");
  await page.waitForTimeout(500);
});
await picture("play_inverse", "overhead_crane", async (page) => {
  await runs(page);
  await press(page, "Inverse dynamics");
  await page.locator(".take").waitFor();
  await page.waitForTimeout(1500);
  await page.keyboard.press("Space");
});
await picture("play_redundant", "bricard", async (page) => {
  await runs(page);
  await page.locator("body").press("a");
  await page.waitForTimeout(1000);
}, { dark: true });
// Far beyond what it reaches: the rods stretch towards the pointer.
await picture("play_drag", "slider_crank", async (page) => {
  await runs(page);
  await page.locator("body").press("Space"); // it does not stand still by itself
  await page.waitForTimeout(300);
  const { x, y } = await find_body(page, "rod");
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.keyboard.press("Space");
  await page.mouse.move(x + 40, y - 60, { steps: 10 });
  await page.waitForTimeout(1500);
});
await picture("play_sliders", "four_bar", async (page) => {
  await runs(page);
  const field = (title) => page.locator(".sliders", { hasText: title }).locator(".field").last();
  await field("Parameters").fill("1.62");
  await field("Parameters").press("Enter");
  await page.locator(".sliders", { hasText: "Geometry" }).locator("summary").click();
  await field("Geometry").fill("0.6");
  await field("Geometry").press("Enter");
  await page.waitForTimeout(1000);
  await until(async () => (await time(page)) > 4, "it stands still", 120000);
});
await picture("play_replay", "slider_crank", async (page) => {
  await runs(page);
  await press(page, "Record");
  await page.waitForTimeout(3000);
  await press(page, "Stop recording");
  await page.locator(".take").getByRole("button", { name: "Replay" }).click();
  await page.waitForTimeout(1200);
  await page.keyboard.press("Space");
});
await picture("play_reconnect", "slider_crank", async (page, server) => {
  await runs(page);
  await stop(server);
  await until(async () => /not there/.test(await page.locator(".state").textContent()), "it is not told");
  await page.waitForTimeout(500);
  return true;
});
// What one eye sees in an emulated headset: each hand holds a box, and a spring pulls at both.
const kBoxes = join(mkdtempSync(join(tmpdir(), "koppel-figures-")), "boxes.yaml");
const box = (x) => `{mass: 1, inertia: [0.2, 0.2, 0.2], position: [${x}, 0, 0], shape: {box: {size: [1, 1, 1]}}}`;
writeFileSync(kBoxes, `name: two boxes on a spring\nbodies:\n  left: ${box(-1)}\n  right: ${box(1)}\n` +
  "forces: {coil: {type: spring, between: [left, right], stiffness: 5, free_length: 2, damping: 1}}\nrun: {end: 0.1}\n");
await picture("play_headset", kBoxes, async (page) => {
  await runs(page);
  await page.locator(".headset").click();
  await until(() => page.evaluate(() => window.headset.activeSession !== undefined), "no session");
  const hands = (left_at, right_at) => page.evaluate(([a, b]) => {
    const { left, right } = window.headset.controllers;
    left.position.set(-0.26, a, -0.4);
    right.position.set(0.26, b, -0.4);
    for (const hand of [left, right]) hand.quaternion.set(0, 0, 0, 1);
  }, [left_at, right_at]);
  await hands(1.2, 1.2);
  await page.waitForTimeout(500);
  await page.evaluate(() => {
    const { left, right } = window.headset.controllers;
    for (const hand of [left, right]) hand.updateButtonValue("trigger", 1);
  });
  await page.waitForTimeout(500);
  for (let k = 1; k <= 10; ++k) {
    await hands(1.2 + 0.02 * k, 1.2 - 0.01 * k);
    await page.waitForTimeout(100);
  }
  await page.waitForTimeout(1000);
}, { prepare: (page) => page.addInitScript({ content: readFileSync(
  join(process.env.KOPPEL_VIEWER, "node_modules/iwer/build/iwer.min.js"), "utf8") + `
    window.headset = new IWER.XRDevice(IWER.metaQuest3);
    window.headset.installRuntime({ forceInstall: true });
    window.headset.position.set(0, 1.6, 0);` }) });
await picture("play_phone", "slider_crank", async (page) => {
  await runs(page);
  await page.locator(".animation").scrollIntoViewIfNeeded();
}, { width: 390, height: 844 });
await picture("play_wide", "vehicle_trailer", async (page) => {
  await runs(page);
  await page.waitForTimeout(2000);
}, { width: 2560, height: 1080 });
await browser.close();

// node play_figures.mjs FOLDER: the pictures of docs/play.md. KOPPEL names the program, KOPPEL_VIEWER the
// folder that the viewer is built in.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { launch } from "./browser.mjs";
import { find_bodies, open, start, stop, time, type, until } from "./workbench.mjs";

const folder = process.argv[2];
mkdirSync(folder, { recursive: true });
const browser = await launch();

// Opens a model's page, uses it, and takes its picture.
async function picture(name, model, use, view) {
  const server = await start(...(model ? [model] : []));
  const page = await open(browser, server.url, view);
  await use(page);
  await page.screenshot({ path: join(folder, `${name}.png`) });
  await page.context().close();
  await stop(server);
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

await picture("play_gallery", "", async (page) => {
  await page.locator(".card img").nth(8).waitFor();
  await page.waitForTimeout(3000);
}, { dark: true });
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
await picture("play_phone", "slider_crank", async (page) => {
  await runs(page);
  await page.locator(".animation").scrollIntoViewIfNeeded();
}, { width: 390, height: 844 });
await picture("play_wide", "vehicle_trailer", async (page) => {
  await runs(page);
  await page.waitForTimeout(2000);
}, { width: 2560, height: 1080 });
await browser.close();

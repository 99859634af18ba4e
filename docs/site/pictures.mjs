// pictures.mjs LIST.json: pictures of pages in a browser. LIST has objects {page, out, width, height, at, of}:
// the file to open, the picture to write, the window, how far the slider of time is moved (0 to 1), and what
// of the page is taken (all of the window unless given).

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { launch } from "../../tests/browser/browser.mjs";

const list = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await launch();
for (const { page: path, out, width = 1000, height = 720, at = 0, of } of list) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: "light" });
  page.setDefaultTimeout(20000);
  await page.goto(pathToFileURL(resolve(path)).href);
  await page.locator(".stage canvas, .stage .note").first().waitFor();
  if (at > 0) {
    await page.locator("input[type=range]").first().evaluate((slider, part) => {
      slider.value = Number(slider.min) + part * (Number(slider.max) - Number(slider.min));
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    }, at);
  }
  await page.waitForTimeout(400);
  await (of ? page.locator(of).first() : page).screenshot({ path: out });
  await page.close();
}
await browser.close();

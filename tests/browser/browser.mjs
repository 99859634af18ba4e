// A browser that opens reports from files. KOPPEL_VIEWER names the folder the viewer is built in.

import { accessSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const viewer = process.env.KOPPEL_VIEWER;
if (!viewer) throw new Error("KOPPEL_VIEWER must name the folder that the viewer is built in.");
const { chromium } = createRequire(join(viewer, "package.json"))("playwright-core");

const names = ["chromium", "chromium-browser", "google-chrome"];
const options = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update",
];
// Chromium's own software renderer gives WebGL on machines without a graphics card.
const software_gl = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const without_gl = ["--disable-3d-apis"];

function find_browser() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        continue;
      }
    }
  }
  throw new Error(`These tests need a browser; none of ${names.join(", ")} is in PATH. ` +
                  "On Debian: apt-get install chromium");
}

export function launch({ webgl = true } = {}) {
  return chromium.launch({
    executablePath: find_browser(),
    args: [...options, ...(webgl ? software_gl : without_gl)],
  });
}

// Opens a file, and notes what a page must never do: complain, or ask for anything but itself.
export async function open_file(browser, path, { width = 1280, height = 800, dark = false } = {}) {
  const url = pathToFileURL(resolve(path)).href;
  const page = await browser.newPage({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light",
  });
  page.setDefaultTimeout(15000);
  page.faults = [];
  page.on("console", (message) => {
    // A software renderer finds screenshots slow and says so.
    const from_driver = message.text().includes("GL Driver Message");
    const is_bad = ["error", "warning"].includes(message.type());
    if (is_bad && !from_driver) page.faults.push(message.text());
  });
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("request", (request) => {
    const own = request.url() === url || /^(data|blob):/.test(request.url());
    if (!own) page.faults.push(`asked for ${request.url()}`);
  });
  await page.goto(url);
  return page;
}

// Opens a report of this data, made as the program makes it; null gives the page without data.
export async function open_report(browser, report, view) {
  const folder = mkdtempSync(join(tmpdir(), "koppel-report-"));
  const path = join(folder, "report.html");
  let text = readFileSync(join(viewer, "report.html"), "utf8");
  if (report !== null) {
    const json = JSON.stringify(report).replaceAll("<", "\\u003c");
    text = text.replace("/*DATA*/null", () => json);
  }
  writeFileSync(path, text);
  try {
    return await open_file(browser, path, view);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

// How many pixels of a screenshot have a colour of their own, neither grey nor black nor white.
export async function count_coloured(page, image) {
  return (await count_pixels(page, [image])).coloured;
}

export async function count_different(page, image, other) {
  return (await count_pixels(page, [image, other])).different;
}

// The page does the work, because it can decode images.
function count_pixels(page, images) {
  const urls = images.map((image) => `data:image/png;base64,${image.toString("base64")}`);
  return page.evaluate(async (addresses) => {
    const pixels = await Promise.all(addresses.map(async (address) => {
      const picture = new Image();
      picture.src = address;
      await picture.decode();
      const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
      context.drawImage(picture, 0, 0);
      return context.getImageData(0, 0, picture.width, picture.height).data;
    }));
    const [first, second = pixels[0]] = pixels;
    const count = { coloured: 0, different: 0 };
    for (let i = 0; i < first.length; i += 4) {
      const [r, g, b] = first.subarray(i, i + 3);
      const off = (k) => Math.abs(first[i + k] - second[i + k]);
      if (Math.max(r, g, b) - Math.min(r, g, b) > 40) ++count.coloured;
      if (off(0) + off(1) + off(2) > 60) ++count.different;
    }
    return count;
  }, urls);
}

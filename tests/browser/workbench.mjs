// `koppel play` and its page, for tests. KOPPEL names the program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { after } from "node:test";

// A test that fails leaves its server behind, which would keep the program of the tests running.
const started = [];
after(() => {
  for (const child of started) child.kill("SIGKILL");
});

// A server and the address that it prints.
export async function start(...options) {
  const child = spawn(process.env.KOPPEL, ["play", "--no-browser", ...options]);
  started.push(child);
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) resolve(text.trim());
    });
    child.once("exit", (code) => reject(new Error(`koppel play ended with ${code}`)));
  });
  return { child, url };
}

// As by Ctrl-C; the exit code.
export const stop = ({ child }) => new Promise((resolve) => {
  child.removeAllListeners("exit");
  child.once("exit", resolve);
  child.kill("SIGINT");
});

// Notes what a page must never do: complain. `prepare` gets the page before it is loaded.
export async function open(browser, url, { width = 1280, height = 720, dark = false, touch = false, prepare } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: dark ? "dark" : "light", hasTouch: touch,
    acceptDownloads: true,
  });
  const page = await context.newPage();
  await prepare?.(page);
  page.setDefaultTimeout(30000);
  page.faults = [];
  page.on("console", (message) => {
    const from_driver = message.text().includes("GL Driver Message");
    if (["error", "warning"].includes(message.type()) && !from_driver)
      page.faults.push(message.text());
  });
  page.on("pageerror", (error) => page.faults.push(error.message));
  await page.goto(url);
  return page;
}

export async function until(is_so, claim, patience = 30000) {
  const end = Date.now() + patience;
  while (!(await is_so())) {
    assert.ok(Date.now() < end, claim);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export const time = async (page) =>
  Number.parseFloat((await page.locator(".readout").allTextContents())[0] ?? "0");

// Replaces all of the text.
export async function type(page, text) {
  await page.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

// Columns of the live plots: the value that the legend shows.
export const value_of = async (page, name) => {
  const entry = page.locator(".entry", { has: page.locator(".name", { hasText: new RegExp(`^${name.replaceAll(".", "\\.")}$`) }) });
  return Number((await entry.first().locator(".value").textContent()).replace("\u2212", "-"));
};

// Where the pointer finds bodies: places on the canvas, all over it, with the names that the label
// says. The page itself moves the pointer, which is quick.
export const find_bodies = (page) => page.evaluate(() => {
  const canvas = document.querySelector(".animation .stage canvas");
  const label = document.querySelector(".animation .label");
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const found = [];
  const n = 64;
  for (let j = 1; j < n; ++j) {
    for (let i = 1; i < n; ++i) {
      const [x, y] = [(i / n) * width, (j / n) * height];
      canvas.dispatchEvent(new PointerEvent("pointermove",
        { clientX: left + x, clientY: top + y, bubbles: true }));
      if (!label.hidden) found.push({ x, y, name: label.textContent });
    }
  }
  return found;
});

// The middle one of the places of a body, on the page.
export async function find_body(page, name) {
  const found = (await find_bodies(page)).filter((place) => place.name === name);
  if (found.length === 0) throw new Error(`no body ${name} is found`);
  const box = await page.locator(".animation .stage canvas").boundingBox();
  const { x, y } = found[found.length >> 1];
  return { x: box.x + x, y: box.y + y };
}

// `koppel play` and its page, for tests. KOPPEL names the program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";

// A server and the address that it prints.
export async function start(...options) {
  const child = spawn(process.env.KOPPEL, ["play", "--no-browser", ...options]);
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

// A place on the canvas where a body is, as the label says; of this name, if one is given.
export async function find_body(page, name = "") {
  const box = await page.locator(".animation .stage canvas").boundingBox();
  for (let j = 1; j < 24; ++j) {
    for (let i = 1; i < 24; ++i) {
      const [x, y] = [box.x + (i / 24) * box.width, box.y + (j / 24) * box.height];
      await page.mouse.move(x, y);
      const label = page.locator(".animation .label:not([hidden])");
      if ((await label.count()) === 0) continue;
      const found = await label.textContent();
      if (name === "" || found === name) return { x, y, name: found, box };
    }
  }
  throw new Error(`no body ${name} is found`);
}

// The documentation as a site, opened from files: it is complete, searches, and its mechanism runs. KOPPEL_SITE names its
// folder.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const site = resolve(process.env.KOPPEL_SITE);
const url = (page) => pathToFileURL(join(site, page)).href;

if (!existsSync(join(site, "index.html"))) {
  console.log("there is no site: bin/koppel docs makes it, and installs what it needs.");
  process.exit(0);
}

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

function html_files(folder = site) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith("_") || entry.name === "mechanisms" ? [] : html_files(path);
    return entry.name.endsWith(".html") ? [path] : [];
  });
}

async function until(is_so, claim) {
  const end = Date.now() + 60000; // a busy machine takes its time
  while (!(await is_so())) {
    assert.ok(Date.now() < end, claim);
    await new Promise((done) => setTimeout(done, 50));
  }
}

async function open(page_name, view = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...view });
  page.setDefaultTimeout(60000);
  page.faults = [];
  page.on("pageerror", (error) => page.faults.push(error.message));
  page.on("requestfailed", (request) => page.faults.push(`missing ${request.url()}`));
  page.on("request", (request) => {
    if (/^https?:/.test(request.url())) page.faults.push(`asked the network for ${request.url()}`);
  });
  await page.goto(url(page_name));
  return page;
}

test("the mechanism on the first page moves", async () => {
  const page = await open("index.html");
  const frame = page.frameLocator("iframe.mechanism").first();
  const time = async () => Number.parseFloat(await frame.locator(".readout").textContent());
  await until(async () => (await time()) > 0.3, "time stands still");
  const stage = frame.locator(".stage canvas");
  const first = await stage.screenshot();
  await until(async () => !first.equals(await stage.screenshot()), "nothing moved");
  assert.deepEqual(page.faults, []);
  await page.close();
});

test("search finds the page on redundant joints", async () => {
  const page = await open("index.html");
  await page.locator("input[name=q]").first().fill("redundant hinge door");
  await page.keyboard.press("Enter");
  await page.locator("ul.search li a").first().waitFor();
  const found = await page.locator("ul.search li a").allTextContents();
  assert.ok(found.some((title) => title.includes("redundant joints")), found.join("; "));
  await page.close();
});

test("the C++ reference has the classes of the library, and search finds them", async () => {
  const page = await open("cpp/model.html");
  assert.ok(await page.locator('dt[id*="Mechanism"]').count() > 20);
  assert.ok(await page.getByText("A quantity of the motion: an expression, with a rate and a value at the start.").count() > 0);
  assert.equal(await page.getByText("Private Functions").count(), 0);
  await page.locator("input[name=q]").first().fill("RodHandle");
  await page.keyboard.press("Enter");
  await page.locator("ul.search li a").first().waitFor();
  assert.match((await page.locator("ul.search li a").allTextContents()).join("; "), /RodHandle/);
  await page.close();
});

test("dark where the system is dark, and nothing is wider than a telephone", async () => {
  for (const name of ["index.html", "tutorials/crane.html", "theory/formulations.html", "model-format.html",
    "cpp/model.html", "errors.html"]) {
    const page = await open(name, { viewport: { width: 400, height: 800 }, colorScheme: "dark" });
    const [background, width] = await page.evaluate(() =>
      [getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth]);
    assert.ok(background.match(/\d+/g).slice(0, 3).every((part) => Number(part) < 60), `${name}: ${background}`);
    assert.ok(width <= 400, `${name} is ${width} wide`);
    const cut = await page.locator("article h1, article h2, article h3").evaluateAll((all) =>
      all.filter((heading) => heading.scrollWidth > heading.clientWidth).map((heading) => heading.textContent));
    assert.deepEqual(cut, [], `headings of ${name} are cut off`);
    await page.close();
  }
});

test("formulas are whole, and fit the page of a desktop", async () => {
  const page = await open("theory/index.html", { viewport: { width: 1280, height: 900 } });
  let count = 0;
  for (const file of html_files()) {
    if (!/class="math/.test(readFileSync(file, "utf8"))) continue;
    await page.goto(pathToFileURL(file).href);
    await page.locator(".katex").first().waitFor();
    const [shown, wrong] = await page.evaluate(() => [document.querySelectorAll(".katex").length,
      [...document.querySelectorAll(".katex-display")].filter((formula) => formula.scrollWidth > formula.clientWidth + 1)
        .concat([...document.querySelectorAll(".katex-error")]).map((formula) => formula.textContent.slice(0, 80))]);
    count += shown;
    assert.deepEqual(wrong, [], relative(site, file));
  }
  assert.ok(count > 100, `${count} formulas`);
  await page.close();
});

test("every picture loads, and says what it shows", async () => {
  const page = await open("index.html");
  let count = 0;
  for (const file of html_files()) {
    if (!/<img\s/.test(readFileSync(file, "utf8"))) continue;
    await page.goto(pathToFileURL(file).href);
    const broken = await page.evaluate(async () => {
      const wrong = [];
      for (const image of document.querySelectorAll("img")) {
        image.loading = "eager";
        await image.decode().catch(() => {});
        if (!image.naturalWidth) wrong.push(image.src);
        if (!image.hasAttribute("alt")) wrong.push(`${image.src} has no text`);
      }
      return [document.querySelectorAll("img").length, wrong];
    });
    count += broken[0];
    assert.deepEqual(broken[1], [], relative(site, file));
  }
  assert.ok(count > 100, `${count} pictures`);
  await page.close();
});

test("every link within the site leads somewhere", () => {
  const ids = new Map();
  const ids_of = (file) => {
    if (!ids.has(file)) ids.set(file, new Set([...readFileSync(file, "utf8").matchAll(/\sid="([^"]+)"/g)].map((m) => m[1])));
    return ids.get(file);
  };
  let count = 0;
  for (const file of html_files()) {
    for (const [, target] of readFileSync(file, "utf8").matchAll(/<a\s[^>]*?href="([^"]+)"/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [path, anchor] = target.replaceAll("&amp;", "&").split("#");
      const there = path ? join(dirname(file), decodeURIComponent(path)) : file;
      assert.ok(existsSync(there), `${relative(site, file)}: ${target}`);
      if (anchor && there.endsWith(".html") && statSync(there).isFile()) {
        assert.ok(ids_of(there).has(decodeURIComponent(anchor)), `${relative(site, file)}: ${target}`);
      }
      ++count;
    }
  }
  assert.ok(count > 1000);
});

test("formulas are set, and none is wrong", () => {
  let count = 0;
  for (const file of html_files()) {
    const text = readFileSync(file, "utf8");
    count += (text.match(/class="katex"/g) ?? []).length;
    assert.ok(!text.includes("katex-error"), file);
  }
  assert.ok(count > 300, `${count} formulas`);
});

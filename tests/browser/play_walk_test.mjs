// Every built-in mechanism in the workbench: it is drawn and moves, what is picked under the pointer
// is what is drawn there, a pull keeps its loops closed, and the page says nothing bad. Mechanisms are
// opened by the address, which spares drawing the gallery for each of them. KOPPEL names the program;
// KOPPEL_WALK, where it is given, the models, and KOPPEL_SHOTS a folder for pictures.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { count_coloured, count_different, launch } from "./browser.mjs";
import { find_bodies, open, start, stop, time, until } from "./workbench.mjs";

// Without inputs nothing determines the motion of their massless parts: the page says so and shows them
// standing still; their inverse dynamics can be computed.
const kRefused = ["navy_crane_2d_massless", "navy_crane_3d_massless"];

// How far loops may open while they are pulled.
const kClosed = 1e-10;

let server, browser, names;
before(async () => {
  server = await start();
  browser = await launch();
  const page = await open(browser, server.url);
  await page.locator(".card").first().waitFor();
  names = await page.locator(".card").evaluateAll((cards) => cards.map((card) => card.dataset.name));
  await page.context().close();
});
after(async () => {
  await browser?.close();
  if (server) await stop(server);
});

// The colours of pixels around places of an image, as hues in degrees, without what is grey. Thin bodies
// are taken hold of from some pixels beside them (kNear of viewer/src/scene.ts), and at joints one is
// drawn over the other: what is as near as that counts.
const kNear = 6;
function hues_at(page, image, places) {
  return page.evaluate(async ([address, all, near]) => {
    const picture = new Image();
    picture.src = address;
    await picture.decode();
    const context = new OffscreenCanvas(picture.width, picture.height).getContext("2d", { willReadFrequently: true });
    context.drawImage(picture, 0, 0);
    return all.map(([x, y]) => {
      const { data } = context.getImageData(Math.round(x) - near, Math.round(y) - near, 2 * near + 1, 2 * near + 1);
      return Array.from({ length: data.length / 4 }, (_, i) => {
        const [r, g, b] = data.subarray(4 * i, 4 * i + 3);
        const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
        if (most - least < 30) return null;
        const sector = most === r ? ((g - b) / (most - least) + 6) % 6
          : most === g ? (b - r) / (most - least) + 2 : (r - g) / (most - least) + 4;
        return 60 * sector;
      }).filter((hue) => hue !== null);
    });
  }, [`data:image/png;base64,${image.toString("base64")}`, places, kNear]);
}

// Hues of the colours that bodies have in turn.
const series_hues = (page) => page.evaluate(() => Array.from({ length: 8 }, (_, i) => {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.color = `var(--series-${i + 1})`;
  const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g).map(Number);
  probe.remove();
  const [most, least] = [Math.max(r, g, b), Math.min(r, g, b)];
  const sector = most === r ? ((g - b) / (most - least) + 6) % 6
    : most === g ? (b - r) / (most - least) + 2 : (r - g) / (most - least) + 4;
  return 60 * sector;
}));

const apart = (a, b) => Math.min(Math.abs(a - b), 360 - Math.abs(a - b));

async function check_picks(page, bodies) {
  const found = await find_bodies(page);
  await page.mouse.move(2, 2);
  const image = await page.locator(".animation .stage canvas").screenshot();
  const hues = await hues_at(page, image, found.map(({ x, y }) => [x, y]));
  const series = await series_hues(page);
  const coloured = found.flatMap(({ name }, i) => (hues[i].length === 0 ? [] : [{ name, around: hues[i] }]));
  const right = coloured.filter(({ name, around }) =>
    around.some((hue) => apart(hue, series[(bodies.indexOf(name) - 1) % series.length]) < 25));
  return { found: found.length, coloured: coloured.length, right: right.length };
}

test("every built-in mechanism", { timeout: 3600000 }, async (t) => {
  const walked = process.env.KOPPEL_WALK?.split(",") ?? names;
  for (const name of walked) {
    await t.test(name, async () => {
      let bodies = [];
      const page = await open(browser, `${server.url}#${name}`, { prepare: (fresh) => {
        fresh.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
          if (typeof payload !== "string" || !payload.startsWith('{"doctor"')) return;
          bodies = JSON.parse(payload).mechanism.scene.bodies.map((body) => body.name);
        }));
      } });
      try {
        const mistake = page.locator(".mistakes button");
        await until(async () => (await time(page)) > 0.1 || (await mistake.count()) > 0,
          "it neither runs nor says why not", 120000);
        if (await mistake.count()) {
          const why = await mistake.first().textContent();
          assert.ok(kRefused.includes(name), `refused: ${why}`);
          const still = await page.locator(".animation .stage canvas").screenshot();
          assert.ok((await count_coloured(page, still)) > 150, "the picture is blank");
          await page.getByRole("button", { name: "Inverse dynamics" }).click();
          await page.locator(".take").waitFor();
          return;
        }
        const canvas = page.locator(".animation .stage canvas");
        const first = await canvas.screenshot();
        assert.ok((await count_coloured(page, first)) > 150, "the picture is blank");
        await page.waitForTimeout(600);
        const moved = await count_different(page, first, await canvas.screenshot());
        await page.locator("body").press("Space"); // it stands still to be looked at
        await page.waitForTimeout(300);
        let picks = { found: 0, coloured: 0, right: 0 };
        if (bodies.length > 1) {
          picks = await check_picks(page, bodies);
          assert.ok(picks.found > 0, "no body is found by the pointer");
          assert.ok(picks.right >= 0.85 * picks.coloured, `picked wrong: ${JSON.stringify(picks)}`);
          if ((await page.locator("canvas.can-hold").count()) && picks.found)
            await pull(page, kClosed);
        }
        const folder = process.env.KOPPEL_SHOTS;
        if (folder) {
          mkdirSync(folder, { recursive: true });
          await page.screenshot({ path: join(folder, `${name}.png`) });
        }
        console.log(`${name}: ${moved} pixels moved, picks ${JSON.stringify(picks)}`);
        assert.deepEqual(page.faults, []);
      } finally {
        await page.context().close();
      }
    });
  }
});

// Takes hold of a body and pulls it about; loops stay closed meanwhile.
async function pull(page, limit) {
  const box = await page.locator(".animation .stage canvas").boundingBox();
  const [{ x: left, y: top }] = await find_bodies(page);
  const [x, y] = [box.x + left, box.y + top];
  await page.locator("body").press("Space");
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let k = 0; k < 8; ++k) {
    const angle = (2 * Math.PI * k) / 8;
    await page.mouse.move(x + 0.08 * box.width * Math.cos(angle), y + 0.08 * box.height * Math.sin(angle));
    await page.waitForTimeout(40);
  }
  const entry = page.locator(".entry", { hasText: "position_violation" }).locator(".value");
  if (await entry.count()) {
    const violation = Number((await entry.textContent()).replace("\u2212", "-"));
    assert.ok(violation < limit, `open by ${violation}`);
  }
  await page.mouse.up();
}

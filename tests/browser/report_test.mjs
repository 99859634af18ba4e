// The page that shows a run, as a user meets it: in a browser, opened from a file.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { count_coloured, count_different, launch, open_report } from "./browser.mjs";
import { drawn_crane, edge_mill, failed_run, packed, slider_crank } from "./samples.mjs";

let browser;
before(async () => { browser = await launch(); });
after(() => browser?.close());

// Opens a report, uses it, and checks that nothing was complained about or asked for.
async function with_report(report, use, view) {
  const page = await open_report(browser, report, view);
  try {
    await use(page);
    assert.deepEqual(page.faults, []);
  } finally {
    await page.close();
  }
}

const shot = (page, selector = ".stage canvas") => page.locator(selector).screenshot();
const series_names = (page) => page.locator(".entry .name").allTextContents();
const set_slider = (page, time) => page.locator(".slider").fill(String(time));
const value_of = (page, name) =>
  page.locator(".entry", { hasText: name }).first().locator(".value").textContent();
const cursor_x = (page) =>
  page.locator(".time-cursor").first().evaluate((line) => line.getBoundingClientRect().x);
const time_read = async (page) =>
  number((await page.locator(".read").textContent()).match(/^t = (\S+) s$/)[1]);
const kPixels = 0.01; // of a plot's width: some pixels, and the way to the next sample
const number = (text) => Number(text.replace("\u2212", "-"));
const first_plot = (page) =>
  page.locator(".plot canvas").first().evaluate((canvas) => canvas.toDataURL());

// The page answers when the browser gets to it; on a busy machine that takes a while.
async function until(is_so, claim) {
  const end = Date.now() + 10000;
  while (!(await is_so())) {
    assert.ok(Date.now() < end, claim);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function over_plot(page) {
  const box = await page.locator(".u-over").first().boundingBox();
  return (share) => [box.x + share * box.width, box.y + box.height / 2];
}

describe("header", () => {
  test("has title, description and summary", () => with_report(slider_crank(), async (page) => {
    assert.equal(await page.title(), "slider_crank – Koppel");
    assert.equal(await page.locator("h1").textContent(), "slider_crank");
    assert.match(await page.locator(".description").textContent(), /^A crank/);
    assert.equal(await page.locator(".summary dt").first().textContent(), "degrees of freedom");
    assert.equal(await page.locator(".summary dd").first().textContent(), "1");
  }));

  test("shows text as text, whatever it holds", () => {
    const title = "</script><script>alert(1)</script><!-- & $& `";
    return with_report({ ...slider_crank(), title, messages: [title] }, async (page) => {
      assert.equal(await page.locator("h1").textContent(), title);
      assert.equal(await page.locator(".messages li").textContent(), title);
    });
  });
});

describe("animation", () => {
  for (const report of [slider_crank(), edge_mill(), drawn_crane()]) {
    test(`draws the ${report.title} and moves it`, () => with_report(report, async (page) => {
      const still = await shot(page);
      assert.ok((await count_coloured(page, still)) > 500, "the picture is blank");
      await page.keyboard.press("Space");
      await page.waitForFunction(() => document.querySelector(".slider").valueAsNumber > 0.3);
      await page.keyboard.press("Space");
      const stopped = await page.locator(".slider").inputValue();
      assert.ok((await count_different(page, still, await shot(page))) > 200, "nothing moved");
      assert.equal(await page.locator(".slider").inputValue(), stopped);
    }));
  }

  test("puts labels of a drawing beside their points", () =>
    with_report(drawn_crane(), async (page) => {
      const place = () => page.locator(".drawn-label").boundingBox();
      assert.equal(await page.locator(".drawn-label").textContent(), "the load");
      const before_move = await place();
      await set_slider(page, 0.785); // about a quarter of a swing: the load is at its lowest
      await until(async () => Math.abs((await place()).x - before_move.x) > 20, "it stays");
      assert.ok((await place()).y > before_move.y, "the load is lower now");
    }));

  test("shows up as what gravity points away from", async () => {
    // The same picture with z down and the mechanism turned by half a turn about x.
    const shots = [];
    for (const turned of [false, true]) {
      const report = edge_mill();
      if (turned) {
        report.scene.up = [0, 0, -1];
        report.scene.frames = report.scene.frames.map((frame) => frame.map((x, i) => {
          const at = i % 7; // (x, y, z) -> (x, -y, -z), q -> (0, 1, 0, 0) q
          const q = frame.slice(i - at + 3, i - at + 7);
          return at < 1 ? x : at < 3 ? -x : [-q[1], q[0], -q[3], q[2]][at - 3];
        }));
      }
      await with_report(report, async (page) => { shots.push(await shot(page)); });
    }
    await with_report(edge_mill(), async (page) => {
      // A half turn about another horizontal axis remains: the same heights, seen from the side.
      const [upright, turned] = await Promise.all(shots.map((image) => count_coloured(page, image)));
      assert.ok(Math.abs(upright - turned) < 0.5 * upright, `${upright} and ${turned} pixels`);
    });
  });

  test("goes with a mechanism that moves far", () => {
    const report = edge_mill();
    const far = 200;
    const last = report.scene.frames.length - 1;
    report.scene.frames = report.scene.frames.map((frame, i) => frame.map((x, k) =>
      (k >= 7 && k % 7 === 0 ? x + (far * i) / last : x)));
    return with_report(report, async (page) => {
      const coloured = async () => count_coloured(page, await shot(page));
      assert.ok((await coloured()) > 2000, "it is small at the start");
      await set_slider(page, 8);
      await until(async () => (await coloured()) > 2000, "it is small or gone at the end");
    });
  });

  test("starts over at the end", () => with_report(slider_crank(), async (page) => {
    await set_slider(page, 4.9);
    await page.locator(".speed").selectOption("10");
    await page.locator(".play").click();
    await page.waitForFunction(() => document.querySelector(".slider").valueAsNumber < 2);
  }));

  test("is in step with the plots", () => with_report(slider_crank(), async (page) => {
    const at_start = await cursor_x(page);
    await set_slider(page, 2.5);
    const { width } = await page.locator(".u-over").first().boundingBox();
    assert.ok(Math.abs((await cursor_x(page)) - at_start - width / 2) < 2);
    const expected = slider_crank().data[1][200];
    assert.ok(Math.abs(number(await value_of(page, "slider.x")) - expected) < 1e-4);
    const at = await over_plot(page);
    await page.mouse.click(...at(0.8));
    assert.ok(Math.abs((await page.locator(".slider").inputValue()) - 4) < 0.02);
  }));

  test("shows numbers in base64 as those in digits", async () => {
    const seen = [];
    for (const report of [slider_crank(), packed(slider_crank())]) {
      await with_report(report, async (page) => {
        await set_slider(page, 2.5);
        seen.push([await value_of(page, "slider.x"), await count_coloured(page, await shot(page))]);
      });
    }
    assert.deepEqual(seen[1], seen[0]);
    assert.ok(seen[0][1] > 2000, "nothing to see");
  });

  test("names numbers in base64 that are broken", () => {
    const report = packed(slider_crank());
    report.data[1] = "A";
    return with_report(report, async (page) => {
      await page.getByText("data[1] must be").waitFor();
    });
  });

  test("steps from frame to frame by the arrow keys", () =>
    with_report(slider_crank(), async (page) => {
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowLeft");
      assert.equal(Number(await page.locator(".slider").inputValue()), 0.0125);
    }));

  test("can be zoomed and fitted again", () => with_report(slider_crank(), async (page) => {
    const whole = await shot(page);
    const box = await page.locator(".stage").boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.wheel(0, -600);
    await page.mouse.move(box.x + 2, box.y + 2);
    const changed = async () => count_different(page, whole, await shot(page));
    await until(async () => (await changed()) > 500, "the wheel changes nothing");
    await page.locator(".fit").click();
    await until(async () => (await changed()) < 50, "the whole is not in view again");
  }));

  test("names the body under the pointer and traces the point that is clicked", () =>
    with_report(slider_crank(), async (page) => {
      const [x, y] = await find_body(page, "slider");
      const untraced = await shot(page);
      assert.ok(await page.locator(".clear").isHidden());
      await page.mouse.click(x, y);
      await page.locator(".clear").waitFor();
      assert.ok((await count_different(page, untraced, await shot(page))) > 50);
      await page.locator(".clear").click();
      assert.ok(await page.locator(".clear").isHidden());
      await page.mouse.move(x, y);
      assert.ok((await count_different(page, untraced, await shot(page))) < 50);
    }));

  test("follows light and dark", () => with_report(slider_crank(), async (page) => {
    const light = await shot(page);
    await page.emulateMedia({ colorScheme: "dark" });
    const { width, height } = await page.locator(".stage").boundingBox();
    await until(async () =>
      (await count_different(page, light, await shot(page))) > 0.9 * width * height,
    "the picture stays light");
    assert.ok((await count_coloured(page, await shot(page))) > 500);
  }));
});

// Moves the pointer over the picture until it names this body; returns the place.
async function find_body(page, name) {
  const box = await page.locator(".stage").boundingBox();
  for (let y = 0.3 * box.height; y < 0.7 * box.height; y += 12) {
    for (let x = box.width - 2; x > 0; x -= 24) {
      await page.mouse.move(box.x + x, box.y + y);
      const label = await page.locator(".label:not([hidden])").allTextContents();
      if (label[0] === name) return [box.x + x, box.y + y];
    }
  }
  throw new Error(`no body is named ${name}`);
}

describe("plots", () => {
  test("show the outputs at first, by unit, then energy and violation", () =>
    with_report(slider_crank(), async (page) => {
      const units = await page.locator(".axis-unit").allTextContents();
      assert.deepEqual(units, ["m", "rad", "N", "J", ""]);
      assert.deepEqual(await series_names(page), [
        "slider.x", "rod.tip.y", "crank.angle", "slider.force",
        "kinetic", "potential", "total", "position", "velocity"]);
      const titles = await page.locator("h3").allTextContents();
      assert.deepEqual(titles, ["Energy", "Constraint violation"]);
    }));

  test("show coordinates where there are no outputs", () =>
    with_report(edge_mill(), async (page) => {
      const names = await series_names(page);
      assert.deepEqual(names, ["arm.angle", "wheel.angle", "wheel.x", "wheel.y"]);
    }));

  test("show inputs before outputs where there are some", () => {
    const report = slider_crank();
    report.columns.push({ name: "torque", unit: "N m", group: "inputs" });
    report.data.push(report.data[1]);
    return with_report(report, async (page) => {
      assert.equal((await series_names(page))[0], "torque");
    });
  });

  test("show at most six outputs at first", () => {
    const report = slider_crank();
    const more = Array.from({ length: 9 }, (_, i) =>
      ({ name: `y${i}`, unit: "m", group: "outputs" }));
    report.columns.push(...more);
    report.data.push(...more.map(() => report.data[1]));
    return with_report(report, async (page) => {
      const fixed = 5; // of energy and violation
      assert.equal((await series_names(page)).length, 6 + fixed);
    });
  });

  test("add and remove what is chosen", () => with_report(slider_crank(), async (page) => {
    const count = (await series_names(page)).length;
    await page.locator(".chooser summary").click();
    await page.locator(".chooser input:focus").waitFor(); // the search gets the focus by itself
    await page.keyboard.type("rod ang");
    const rows = page.locator(".chooser label:visible");
    assert.deepEqual((await rows.allTextContents()), ["rod.anglerad", "rod.angle'rad/s"]);
    await rows.first().click();
    assert.equal((await series_names(page)).length, count + 1);
    assert.ok((await series_names(page)).includes("rod.angle"));
    assert.match(await page.locator(".count").textContent(), /^5 of 15$/);
    await page.getByRole("button", { name: "None" }).click();
    assert.equal((await series_names(page)).length, 5);
    assert.match(await page.locator(".plots .note").textContent(), /No column/);
    await page.getByRole("button", { name: "Default" }).click();
    assert.equal((await series_names(page)).length, count);
    await page.keyboard.press("Escape");
    assert.ok(await page.locator(".chooser .panel").isHidden());
  }));

  test("show the values under the pointer", () => with_report(slider_crank(), async (page) => {
    const at = await over_plot(page);
    await page.mouse.move(...at(0.5));
    const { data } = slider_crank();
    const time = await time_read(page);
    assert.ok(Math.abs(time - 2.5) <= kPixels * 5);
    const i = data[0].findIndex((t) => Math.abs(t - time) < 1e-4);
    assert.ok(Math.abs(number(await value_of(page, "slider.x")) - data[1][i]) < 1e-4);
    assert.ok(Math.abs(number(await value_of(page, "crank.angle")) - data[3][i]) < 1e-3);
    await page.mouse.move(5, 5);
    assert.equal(await page.locator(".read").textContent(), "t = 0 s");
  }));

  test("zoom together by a drag, and back", () => with_report(slider_crank(), async (page) => {
    const at = await over_plot(page);
    const whole = await first_plot(page);
    await page.mouse.move(...at(0.4));
    await page.mouse.down();
    await page.mouse.move(...at(0.5));
    await page.mouse.move(...at(0.6));
    await page.mouse.up();
    await page.locator(".reset").waitFor();
    await until(async () => (await first_plot(page)) !== whole, "the plot is as before");
    // Times 2 to 3 are in view now, in all plots: also in one that is added later.
    await page.locator(".chooser summary").click();
    await page.getByLabel("slider.x'").click();
    await page.keyboard.press("Escape");
    for (const i of [0, 3, 5]) {
      await page.locator(".plot").nth(i).scrollIntoViewIfNeeded();
      const box = await page.locator(".u-over").nth(i).boundingBox();
      await page.mouse.move(box.x + 0.999 * box.width, box.y + 40);
      assert.ok(Math.abs((await time_read(page)) - 3) < 2 * kPixels);
    }
    assert.ok(await page.locator(".time-cursor").first().isHidden()); // it is at 0
    await page.locator(".reset").click();
    assert.ok(await page.locator(".reset").isHidden());
    await page.mouse.move(5, 5);
    assert.ok(await page.locator(".time-cursor").first().isVisible());
  }));

  test("hide a series by its legend", () => with_report(slider_crank(), async (page) => {
    const before_click = await first_plot(page);
    await page.locator(".entry").first().click();
    assert.equal(await page.locator(".entry").first().getAttribute("aria-pressed"), "false");
    await until(async () => (await first_plot(page)) !== before_click, "the plot is as before");
  }));

  test("fit a narrow window", () => with_report(slider_crank(), async (page) => {
    const overflow = await page.evaluate(() =>
      document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.equal(overflow, 0);
    await page.setViewportSize({ width: 900, height: 700 });
    await page.waitForFunction(() => document.querySelector(".u-over").clientWidth > 600);
  }, { width: 360, height: 700 }));
});

describe("unusual reports", () => {
  test("a failed run, one sample, unknown values", () => with_report(failed_run(), async (page) => {
    assert.match(await page.locator(".alarms").textContent(), /Newton did not converge/);
    assert.ok(await page.locator(".play").isDisabled());
    assert.equal(await value_of(page, "crank.angle"), "–");
    assert.equal(await value_of(page, "slider.x"), "1.3043");
    assert.ok((await count_coloured(page, await shot(page))) > 200);
  }));

  test("no scene", () => with_report({ ...slider_crank(), scene: null }, async (page) => {
    assert.equal(await page.locator(".animation").count(), 0);
    assert.equal(await page.locator(".plot").count(), 5);
    const at = await over_plot(page);
    await page.mouse.click(...at(0.5));
    assert.ok(Math.abs((await time_read(page)) - 2.5) <= kPixels * 5);
  }));

  test("two scenes side by side move together", () => {
    const beside = { label: "before", scene: edge_mill().scene };
    const report = { ...slider_crank(), label: "after", beside };
    return with_report(report, async (page) => {
      assert.deepEqual(await page.locator(".stages figcaption").allTextContents(),
                       ["before", "after"]);
      const canvases = page.locator(".stages canvas");
      assert.equal(await canvases.count(), 2);
      const [left, right] = [await canvases.nth(0).boundingBox(), await canvases.nth(1).boundingBox()];
      assert.ok(left.x + left.width <= right.x + 1, "one is left of the other");
      const earlier = [await canvases.nth(0).screenshot(), await canvases.nth(1).screenshot()];
      await set_slider(page, 0.7);
      for (const i of [0, 1]) {
        await until(async () =>
          (await count_different(page, earlier[i], await canvases.nth(i).screenshot())) > 50,
          `scene ${i} moves with the slider`);
      }
    });
  });

  test("a scene without frames", () => {
    const report = slider_crank();
    Object.assign(report.scene, { times: [], frames: [] });
    return with_report(report, async (page) => {
      assert.match(await page.locator(".stage").textContent(), /no poses/);
      assert.equal(await page.locator(".plot").count(), 5);
    });
  });

  test("nothing but the time", () => {
    const report = { ...slider_crank(), scene: null, summary: [], description: "" };
    report.columns = report.columns.slice(0, 1);
    report.data = report.data.slice(0, 1);
    return with_report(report, async (page) => {
      assert.match(await page.locator(".plots").textContent(), /nothing but the time/);
    });
  });

  test("no samples at all", () => {
    const report = slider_crank();
    report.data = report.data.map(() => []);
    report.scene = null;
    return with_report(report, async (page) => {
      assert.equal(await value_of(page, "slider.x"), "–");
    });
  });

  test("a column of nulls, and violations that are all zero", () => {
    const report = slider_crank();
    report.data[1] = report.data[1].map(() => null);
    report.data[14] = report.data[14].map(() => 0);
    report.data[15] = report.data[15].map(() => 0);
    return with_report(report, async (page) => {
      assert.equal(await value_of(page, "slider.x"), "–");
      assert.equal(await value_of(page, "position"), "0");
    });
  });

  test("a hundred thousand samples", () =>
    with_report(slider_crank({ samples: 100001 }), async (page) => {
      await set_slider(page, 2.5);
      assert.equal(await page.locator(".plot").count(), 5);
    }));

  test("data that break the contract are named", () => {
    const report = slider_crank();
    report.scene.frames[3] = [1, 2, 3];
    return with_report(report, async (page) => {
      assert.equal(await page.locator(".failure").textContent(),
        "This page has no data that it can show. " +
        "scene.frames[3] must be an array of 28 entries; it has 3");
    });
  });

  test("the page without data says so", () => with_report(null, async (page) => {
    assert.match(await page.locator(".failure").textContent(), /^This page has no data/);
  }));
});

test("without WebGL the page says so, and plots work", async () => {
  const plain = await launch({ webgl: false });
  try {
    const page = await open_report(plain, slider_crank());
    assert.match(await page.locator(".stage").textContent(), /no WebGL/);
    assert.equal(await page.locator(".plot").count(), 5);
    await set_slider(page, 2.5);
    assert.equal(await page.locator(".read").textContent(), "t = 2.5000 s");
    assert.deepEqual(page.faults, []);
  } finally {
    await plain.close();
  }
});

// As the page of a comparison: all columns are violations, which are plotted anyway.
test("a table without anything to choose from has no list of columns", () => {
  const report = slider_crank();
  const kept = report.columns.flatMap(({ group }, i) => (["time", "constraints"].includes(group) ? [i] : []));
  const only = { ...report, scene: null, columns: kept.map((i) => report.columns[i]), data: kept.map((i) => report.data[i]) };
  return with_report(only, async (page) => {
    await page.locator(".plot canvas").first().waitFor();
    assert.equal(await page.locator(".chooser").count(), 0);
    assert.equal(await page.getByText("No column is chosen.").count(), 0);
  });
});

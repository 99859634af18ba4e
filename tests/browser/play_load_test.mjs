// The workbench under load and under attack, while a page drives a mechanism: 200 connections that
// ask, floods, broken frames, wrong origins, peers that do not read. The page keeps its rate, and the
// memory of the program does not grow. KOPPEL names the program.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { test } from "node:test";
import { launch } from "./browser.mjs";
import { frame } from "./frame.mjs";
import { open, start, stop, time, until } from "./workbench.mjs";

const kConnections = 200;
const kSeconds = Number(process.env.KOPPEL_LOAD_SECONDS ?? 20);

const memory_of = ({ child }) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024;

// Seconds of the processor that the program has used, of all its threads.
const kTicks = 100; // a second, on Linux
function processor_of({ child }) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / kTicks;
}

const wait = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

// A raw connection after the upgrade. `bytes` counts what came back.
function peer(url, { origin = url.origin, reads = true } = {}) {
  const socket = connect(Number(url.port), url.hostname);
  socket.on("error", () => {});
  socket.setNoDelay(true);
  socket.bytes = 0;
  socket.on("data", (data) => { socket.bytes += data.length; });
  socket.write(`GET /socket HTTP/1.1\r\nHost: ${url.host}\r\nConnection: Upgrade\r\n` +
    "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
    `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nOrigin: ${origin}\r\n\r\n`);
  if (!reads) socket.pause();
  return socket;
}

const message = (content) => frame(Buffer.from(JSON.stringify(content)));
const asking = message({ kind: "open", name: "" });
const editing = (number) => message({ kind: "edit", number, name: "", text: "bodies: 3" });
const drawing = message({ kind: "picture", name: "five_link" });

// Motion a second of the clock, and frames a second, of the page.
async function rate(page, seconds) {
  const frames = page.evaluate((length) => new Promise((done) => {
    let count = 0;
    const end = performance.now() + 1000 * length;
    const next = (now) => (now < end ? (++count, requestAnimationFrame(next)) : done(count));
    requestAnimationFrame(next);
  }), seconds);
  const [from, began] = [await time(page), performance.now()];
  await wait(seconds);
  const motion = ((await time(page)) - from) / ((performance.now() - began) / 1000);
  return { motion, frames: (await frames) / seconds };
}

// Each is called ten times a second.
const attacks = {
  "200 connections that ask": (url, crowd) => {
    while (crowd.length < kConnections) crowd.push(peer(url));
    crowd.forEach((socket, i) => { if (i % 10 === 0) socket.write(asking); });
  },
  "edits from 200 connections": (url, crowd) => {
    while (crowd.length < kConnections) crowd.push(peer(url));
    crowd.forEach((socket, i) => { if (i % 20 === 0) socket.write(editing(i)); });
  },
  "floods": (url, crowd) => {
    const socket = peer(url);
    crowd.push(socket);
    socket.write(Buffer.concat(Array.from({ length: 2000 }, () => asking)));
  },
  "broken frames": (url, crowd) => {
    for (const bytes of [frame(Buffer.from("{}"), { masked: false }), frame(Buffer.from("{}"), { opcode: 5 }),
      frame(Buffer.from([0xff, 0xfe])), frame(Buffer.from(""), { size: 2 ** 31 - 1 }), Buffer.alloc(5000, 0xaa)]) {
      const socket = peer(url);
      crowd.push(socket);
      socket.write(bytes);
    }
  },
  "wrong origins": (url, crowd) => {
    for (let i = 0; i < 10; ++i) crowd.push(peer(url, { origin: "http://evil.example" }));
  },
  "peers that do not read": (url, crowd) => {
    while (crowd.length < 50) crowd.push(peer(url, { reads: false }));
    for (const socket of crowd) if (!socket.writableNeedDrain) socket.write(drawing);
  },
};

test("the driving page keeps its rate, and memory stays", { timeout: 1200000 }, async () => {
  const server = await start("slider_crank");
  const url = new URL(server.url);
  const browser = await launch();
  const page = await open(browser, server.url);
  try {
    await until(async () => (await time(page)) > 1, "it does not run");
    const alone = await rate(page, 5);
    const rows = [["nothing", alone, memory_of(server), memory_of(server), 0]];
    const first = memory_of(server);
    for (const [name, attack] of Object.entries(attacks)) {
      const crowd = [];
      const before_it = memory_of(server);
      const timer = setInterval(() => attack(url, crowd), 100);
      await wait(2);
      const [used, began] = [processor_of(server), performance.now()];
      const under = await rate(page, kSeconds);
      const share = (processor_of(server) - used) / ((performance.now() - began) / 1000);
      const during = memory_of(server);
      clearInterval(timer);
      for (const socket of crowd) socket.destroy();
      rows.push([name, under, before_it, during, share]);
      await wait(1);
    }
    for (const [name, { motion, frames }, before_it, during, share] of rows) {
      console.log(`| ${name} | ${motion.toFixed(2)} | ${frames.toFixed(0)} | ${(100 * share).toFixed(1)} | ` +
        `${before_it.toFixed(0)}, ${during.toFixed(0)} |`);
    }
    // Once more the first attack: what memory was needed is used again.
    const crowd = [];
    const timer = setInterval(() => attacks["peers that do not read"](url, crowd), 100);
    await wait(kSeconds);
    clearInterval(timer);
    const last = memory_of(server);
    for (const socket of crowd) socket.destroy();
    const most = Math.max(...rows.map((row) => row[3]));
    console.log(`memory at first ${first.toFixed(0)} MB, at most ${most.toFixed(0)} MB, again ${last.toFixed(0)} MB`);
    // Attackers, program and browser share the processor here: compared with the page alone.
    const after_all = await rate(page, 5);
    const least = 0.75 * Math.min(alone.motion, after_all.motion);
    for (const [name, { motion }, , , share] of rows) {
      assert.ok(motion > least, `${name}: ${motion} times real time`);
      // What the program itself takes from the page: 0.03 of a core were seen, and before pictures were kept 0.6.
      assert.ok(share < 0.2, `${name}: the program takes ${share} of a core`);
    }
    assert.ok(last < 1.1 * most + 10, "memory grows");
    assert.deepEqual(page.faults, []);
  } finally {
    await browser.close();
    assert.equal(await stop(server), 0);
  }
});

// The workbench and those who mean it harm: wrong hosts and origins, broken, oversized and flooding
// messages. Each is refused or closed with a reason, and others do not notice. KOPPEL names the
// program.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { frame } from "./frame.mjs";

let server, url;
async function start(...options) {
  const child = spawn(process.env.KOPPEL, ["play", "--no-browser", ...options]);
  const text = await new Promise((resolve) => child.stdout.once("data", resolve));
  return { child, url: new URL(String(text).trim()) };
}
before(async () => { ({ child: server, url } = await start("pendulum")); });
after(() => server?.kill("SIGKILL"));

// Everything that comes back for these bytes, and for the `later` ones after the first answer, until the other
// side ends or nothing comes for long.
function send(bytes, { at = url, patience = 3000, later = null } = {}) {
  return new Promise((resolve) => {
    const socket = connect(Number(at.port), at.hostname);
    const parts = [];
    const end = () => {
      socket.destroy();
      resolve(Buffer.concat(parts));
    };
    socket.setTimeout(patience, end);
    socket.on("data", (data) => {
      if (parts.length === 0 && later) socket.write(later);
      parts.push(data);
    });
    socket.on("close", end);
    socket.on("error", end);
    socket.on("connect", () => socket.write(bytes));
  });
}

const request = ({ method = "GET", path = "/", host = url.host, more = "" } = {}) =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${more}\r\n`;
const upgrade = (origin, { path = "/socket", host = url.host } = {}) => request({ path, host, more:
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + (origin ? `Origin: ${origin}\r\n` : "") });
const status = async (bytes, at) => String(await send(bytes, { at })).match(/^HTTP\/1.1 (\d+)/)?.[1];

// The code and the reason of the close frame that these frames are answered with.
async function closed_by(...frames) {
  const answer = await send(upgrade(url.origin), { later: Buffer.concat(frames) });
  const at = answer.lastIndexOf(0x88);
  if (at < 0) return null;
  const length = answer[at + 1] & 127;
  return { code: answer.readUInt16BE(at + 2), reason: String(answer.subarray(at + 4, at + 2 + length)) };
}

// A page that is well-behaved gets its answer, whatever was done before.
async function check_others() {
  const edit = JSON.stringify({ kind: "edit", number: 7, name: "", text: "bodies: 3" });
  const answer = String(await send(upgrade(url.origin), { later: frame(edit), patience: 1500 }));
  assert.match(answer, /"kind":"hello"/);
  assert.match(answer, /"kind":"errors","number":7/);
}

test("the page is there, and nothing else", async () => {
  assert.equal(await status(request()), "200");
  assert.equal(await status(request({ path: "/../../etc/passwd" })), "404");
  assert.equal(await status(request({ method: "POST" })), "405");
  assert.equal(await status(upgrade(url.origin, { path: "/other" })), "404");
});

test("other hosts and origins are refused", async () => {
  assert.equal(await status(request({ host: "evil.example" })), "403");
  assert.equal(await status(upgrade("http://evil.example")), "403");
  assert.equal(await status(upgrade("null")), "403");
  assert.equal(await status(upgrade(`https://${url.host}`)), "403");
  assert.equal(await status(upgrade(url.origin)), "101");
});

test("messages that no page sends close their connection with a reason", async () => {
  const policy = (reason) => ({ code: 1008, reason });
  assert.deepEqual(await closed_by(frame("hello")), policy("the message is not a JSON object"));
  assert.deepEqual(await closed_by(frame("{}")), policy("the message has no proper 'kind'"));
  assert.deepEqual(await closed_by(frame('{"kind": "format"}')),
    policy("no message is of this kind"));
  assert.deepEqual(await closed_by(frame('{"kind": "open", "name": "../secret"}')),
    policy("there is no model of this name"));
  assert.deepEqual(await closed_by(frame('{"kind": "save", "text": ""}')),
    policy("no file is opened to be saved")); // a built-in model
  assert.deepEqual(await closed_by(frame("x", { opcode: 2 })), policy("messages are text"));
  await check_others();
});

test("broken frames and oversized messages close it too", async () => {
  assert.equal((await closed_by(frame("{}", { masked: false })))?.code, 1002);
  assert.equal((await closed_by(frame("{}", { opcode: 5 })))?.code, 1002);
  assert.equal((await closed_by(frame(Buffer.from([0xff, 0xfe]))))?.code, 1007);
  assert.equal((await closed_by(frame("", { size: 2 ** 31 - 1 })))?.code, 1009);
  await check_others();
});

test("a flood is cut off", async () => {
  const asking = frame(JSON.stringify({ kind: "open", name: "" }));
  const closed = await closed_by(...Array.from({ length: 400 }, () => asking));
  assert.deepEqual(closed, { code: 1008, reason: "too many messages" });
  await check_others();
});

test("files beside the opened one are not read", async () => {
  for (const text of ["include: {a: {file: /etc/hostname}}", "include: {a: {urdf: /etc/hostname}}",
    "signals: {a: {type: held, file: /etc/hostname, column: x}}"]) {
    const edit = JSON.stringify({ kind: "edit", number: 1, name: "", text });
    const answer = String(await send(upgrade(url.origin), { later: frame(edit), patience: 1500 }));
    assert.match(answer, /"id":"play.include"/);
    assert.match(answer, /'\/etc\/hostname' is not among the files that the opened model reads\./);
  }
});

test("saving a text that names a file does not make it known", async () => {
  const folder = mkdtempSync(join(tmpdir(), "koppel-"));
  writeFileSync(join(folder, "m.yaml"), "coordinates: {x: 0}\nkinetic: x'^2/2\n");
  const other = await start(join(folder, "m.yaml"));
  const { host, origin } = other.url;
  const ask = async (message) => String(await send(upgrade(origin, { host }),
    { at: other.url, later: frame(JSON.stringify(message)), patience: 1500 }));
  const text = "signals: {a: {type: held, file: /etc/hostname, column: x}}";
  assert.match(await ask({ kind: "save", text }), /"kind":"saved"/);
  assert.match(await ask({ kind: "edit", number: 1, name: "", text }), /"id":"play.include"/);
  other.child.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

test("two hundred connections that say nothing do not keep others out", async () => {
  const idle = Array.from({ length: 200 }, () => connect(Number(url.port), url.hostname));
  await Promise.all(idle.map((socket) => new Promise((done) => socket.once("connect", done))));
  await check_others();
  for (const socket of idle) socket.destroy();
});

test("another address has a token, without which there is nothing", async () => {
  const other = await start("pendulum", "--address", "127.0.0.2");
  assert.match(other.url.pathname, /^\/[0-9a-f]{32}\/$/);
  const { host } = other.url;
  assert.equal(await status(request({ host }), other.url), "404");
  assert.equal(await status(upgrade(other.url.origin, { host }), other.url), "404");
  assert.equal(await status(request({ host, path: other.url.pathname }), other.url), "200");
  other.child.kill("SIGKILL");
});

test("all addresses of the machine are its own, foreign names are not", async () => {
  const other = await start("pendulum", "--address", "0.0.0.0");
  const path = other.url.pathname, port = other.url.port, at = { port, hostname: "127.0.0.1" };
  for (const name of ["127.0.0.1", "localhost", "192.0.2.2", other.url.hostname]) {
    assert.equal(await status(request({ host: `${name}:${port}`, path }), at), "200", name);
  }
  assert.equal(await status(request({ host: `elsewhere.example:${port}`, path }), at), "403");
  assert.equal(await status(request({ host: `127.0.0.1:${port}` }), at), "404");
  other.child.kill("SIGKILL");
});

test("Ctrl-C ends it with 0", async () => {
  const other = await start();
  const code = new Promise((resolve) => other.child.once("exit", resolve));
  other.child.kill("SIGINT");
  assert.equal(await code, 0);
});

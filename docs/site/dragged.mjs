// node dragged.mjs PROGRAM [OUT]: the moving picture of README.md, docs/figures/dragged.svg. The first model of the
// README is exported as a page, the module of that page takes its steps here as it does in the browser, and a hand pulls,
// throws and catches the linkage. What is drawn is what was computed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";

const kRoot = fileURLToPath(new URL("../..", import.meta.url));
const [program, out = join(kRoot, "docs/figures/dragged.svg")] = process.argv.slice(2);

// What the hand does with the point P of the coupler: it holds, turns the crank once, tugs it back and forth, throws, and
// catches it again. Where it goes is a place on the path of P, by the angle of the crank.
const kHeld = [0.5, 0.6]; // P in the frame of the coupler
const kEnd = 13, kRate = 50; // seconds; pictures a second
const kLetGo = 6.2, kCatch = 9.6, kStill = 12; // seconds
const kTurns = [[0, 0], [0.5, 0], [3.2, 1], [3.4, 1], [4.2, 0.72], [5.0, 1.1], [5.2, 1.1], [kLetGo, 2.0]]; // time, turns
const kAway = [1.55, 0.95]; // where it waits
const kPull = 0.14; // how far from P it pulls at most, m

// ---- the motion

function mechanism_of_readme() {
  const folder = mkdtempSync(join(tmpdir(), "koppel-dragged-"));
  try {
    const text = readFileSync(join(kRoot, "README.md"), "utf8");
    const [, name, model] = text.match(/`(\w+\.yaml)`:\n+```yaml\n(.*?)```/s);
    writeFileSync(join(folder, name), model);
    execFileSync(program, ["export", join(folder, name), "--to", "html", "--out", join(folder, "page.html")]);
    const page = readFileSync(join(folder, "page.html"), "utf8");
    const data = JSON.parse(page.match(/<script id="koppel-data" type="application\/json">(.*?)<\/script>/s)[1]);
    return { ...data.mechanism, model, module: inflateSync(Buffer.from(data.module, "base64")) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

class Machine {
  constructor(mechanism) {
    this.mechanism = mechanism;
    this.wasm = new WebAssembly.Instance(new WebAssembly.Module(mechanism.module)).exports;
    this.numbers = new Float64Array(this.wasm.memory.buffer);
  }
  place(part, name) {
    const index = this.mechanism[part].findIndex((item) => item.name === name);
    if (index < 0) throw new Error(`${part} have no ${name}`);
    return this.wasm[part].value / 8 + index;
  }
  set(part, name, value) {
    this.numbers[this.place(part, name)] = value;
    if (part === "parameters") this.wasm.derive(), this.wasm.prepare();
  }
  hold(body, [x, y]) { // body −1: let go
    this.set("parameters", "grip.body", body);
    this.set("parameters", "grip.x", x);
    this.set("parameters", "grip.y", y);
  }
  target([x, y]) {
    this.set("inputs", "grip.target_x", x);
    this.set("inputs", "grip.target_y", y);
  }
  advance(steps) {
    if (this.wasm.steps(steps) >>> 0 !== steps) throw new Error("a step failed");
  }
  // Of each body where its frame is and how it is turned; and what is observed.
  look() {
    this.wasm.observe();
    this.wasm.locate();
    const value = (part, name) => this.numbers[this.place(part, name)];
    const first = this.wasm.frame.value / 8;
    return {
      poses: this.mechanism.scene.bodies.map((_, i) => {
        const [x, y, , c, s] = this.numbers.subarray(first + 12 * i, first + 12 * i + 5);
        return { x, y, angle: Math.atan2(s, c) };
      }),
      violation: value("outputs", "position_violation"),
      energy: value("outputs", "energy"),
      force: Math.hypot(value("state", "grip.force_1"), value("state", "grip.force_2")),
    };
  }
}

const place_of = ({ x, y, angle }, [a, b]) =>
  [x + a * Math.cos(angle) - b * Math.sin(angle), y + a * Math.sin(angle) + b * Math.cos(angle)];

// The path of P, of the linkage in the README: two circles meet at B.
function path(crank) {
  const [a, b, c, d] = [0.4, 1, 0.9, 1.2]; // crank, coupler, rocker, frame
  const A = [a * Math.cos(crank), a * Math.sin(crank)];
  const [x, y] = [d - A[0], -A[1]], s = Math.hypot(x, y);
  const angle = Math.atan2(y, x) + Math.acos((b * b + s * s - c * c) / (2 * b * s));
  return place_of({ x: A[0], y: A[1], angle }, kHeld);
}

// From a to b with the rates at both ends, along the cubic.
function cubic(t, [t0, a, rate_a], [t1, b, rate_b]) {
  const h = t1 - t0, s = Math.min(1, Math.max(0, (t - t0) / h));
  return a + rate_a * h * s * (1 - s) ** 2 - rate_b * h * s * s * (1 - s) + (b - a) * s * s * (3 - 2 * s);
}

function play(mechanism) {
  const machine = new Machine(mechanism);
  const body = mechanism.scene.bodies.findIndex(({ name }) => name === "coupler");
  const state = () => {
    const pose = machine.look().poses[body];
    return { P: place_of(pose, kHeld), crank: Math.atan2(pose.y, pose.x) };
  };
  const first = state().crank;
  const throwing = 2 * Math.PI * 1.5; // rad/s at the end of the throw
  const crank_at = (t) => {
    const k = Math.max(1, kTurns.findIndex(([at]) => at >= t));
    const [from, to] = [kTurns[k - 1], kTurns[k]].map(([at, turns], i) =>
      [at, first + 2 * Math.PI * turns, i === 1 && at === kLetGo ? throwing : 0]);
    return cubic(t, from, to);
  };
  // Where P shall be, and from there outwards and ahead, the more the faster it goes.
  const pulled = (crank_at, t) => {
    const [p, q] = [path(crank_at(t)), path(crank_at(t + 1e-3))];
    const speed = [(q[0] - p[0]) / 1e-3, (q[1] - p[1]) / 1e-3], size = Math.hypot(...speed);
    const by = kPull * Math.tanh(2 * size) / Math.max(size, 1e-9), side = Math.sign(crank_at(t + 1e-3) - crank_at(t));
    return [p[0] + by * (0.5 * speed[0] + side * speed[1]), p[1] + by * (0.5 * speed[1] - side * speed[0])];
  };
  const hold = () => machine.hold(body - 1, kHeld); // the ground is not counted
  const frames = [];
  let caught = null, left = null;
  let last = first, before = first; // the angle of the crank, with its turns
  const per_frame = Math.round(1 / kRate / mechanism.step);
  for (let k = 0; k <= kEnd * kRate; ++k) {
    const t = k / kRate;
    const { P, crank } = state();
    before = last;
    last += crank - last - 2 * Math.PI * Math.round((crank - last) / (2 * Math.PI));
    let hand = null;
    if (k === 0) hold();
    if (t < kLetGo) hand = left = pulled(crank_at, t);
    else if (t < kCatch) {
      if (frames.at(-1).is_held) machine.hold(-1, [0, 0]);
    } else {
      if (!caught) {
        const rest = first + 2 * Math.PI * (Math.ceil((last - first) / (2 * Math.PI)) + 1);
        caught = { P, from: [t, last, (last - before) * kRate], to: [kStill, rest, 0] };
        hold();
      }
      hand = pulled((at) => cubic(at, caught.from, caught.to), t);
    }
    const is_held = hand !== null;
    if (is_held) machine.target(hand);
    frames.push({ t, ...machine.look(), hand, is_held });
    machine.advance(per_frame);
  }
  // The free hand goes to its place, and to where it catches P.
  for (const frame of frames.filter(({ is_held }) => !is_held)) {
    const goes = frame.t < kLetGo + 1 ? [left, kAway, frame.t - kLetGo] : [kAway, caught.P, 1 + frame.t - kCatch];
    const s = Math.min(1, Math.max(0, goes[2]));
    frame.hand = goes[0].map((a, i) => a + s * s * (3 - 2 * s) * (goes[1][i] - a));
  }
  return { frames, body };
}

// ---- the picture

const kWidth = 880, kHeight = 400, kScale = 234, kOrigin = [175, 286];
const px = ([x, y]) => [kOrigin[0] + kScale * x, kOrigin[1] - kScale * y];
const text_of = (x) => String(Number(x.toFixed(1)));
const pair = (place) => px(place).map(text_of).join(",");
const animate = (name, values, more = "") =>
  `<animate attributeName="${name}" values="${values.join(";")}" dur="${kEnd}s" repeatCount="indefinite"${more}/>`;
const turn = (type, values) =>
  `<animateTransform attributeName="transform" type="${type}" values="${values.join(";")}" dur="${kEnd}s" repeatCount="indefinite" additive="sum"/>`;

// Without jumps by a turn.
function unwrapped(angles) {
  let last = angles[0];
  return angles.map((angle) => (last = angle - 2 * Math.PI * Math.round((angle - last) / (2 * Math.PI))));
}

// The plate between the points of a body that are held by joints or by the hand.
function plate(joints, i) {
  const points = joints.flatMap((joint) => [joint, joint.other]).filter((end) => end.body === i).map(({ point }) => point);
  return `<polygon class="plate" points="${[...points, kHeld].map(([x, y]) => `${text_of(kScale * x)},${text_of(-kScale * y)}`).join(" ")}"/>`;
}

function draw(mechanism, { frames, body }) {
  const { scene } = mechanism;
  const pose = (i) => frames.map(({ poses }) => poses[i]);
  const end = ({ body: i, point }) => pose(i).map((p) => place_of(p, point));
  const parts = [];
  // The path of the held point grows, and fades at the end.
  const trace = pose(body).map((p) => px(place_of(p, kHeld)));
  const lengths = [0];
  for (let k = 1; k < trace.length; ++k) lengths.push(lengths[k - 1] + Math.hypot(trace[k][0] - trace[k - 1][0], trace[k][1] - trace[k - 1][1]));
  const whole = Math.ceil(lengths.at(-1)) + 1;
  parts.push(`<polyline class="trace" points="${trace.map((p) => p.map(text_of).join(",")).join(" ")}" stroke-dasharray="${whole}">` +
    animate("stroke-dashoffset", lengths.map((s) => text_of(whole - s))) +
    `<animate attributeName="opacity" values="1;1;0" keyTimes="0;0.95;1" dur="${kEnd}s" repeatCount="indefinite"/></polyline>`);
  // Joints that are rods, then bodies.
  for (const joint of scene.joints.filter(({ kind }) => kind === "distance")) {
    const [a, b] = [end(joint), end(joint.other)];
    const ends = [a.map((p) => px(p)[0]), a.map((p) => px(p)[1]), b.map((p) => px(p)[0]), b.map((p) => px(p)[1])];
    parts.push(`<line class="link">${["x1", "y1", "x2", "y2"].map((name, i) => animate(name, ends[i].map(text_of))).join("")}</line>`);
  }
  scene.bodies.forEach((_, i) => {
    if (i === 0) return;
    const angles = unwrapped(pose(i).map(({ angle }) => angle));
    parts.push(`<g>${turn("translate", pose(i).map(({ x, y }) => pair([x, y])))}<g>` +
      `${turn("rotate", angles.map((a) => text_of(-a * 180 / Math.PI)))}` +
      plate(scene.joints, i) +
      `<circle class="held" cx="${text_of(kScale * kHeld[0])}" cy="${text_of(-kScale * kHeld[1])}" r="6"/></g></g>`);
  });
  for (const joint of scene.joints) {
    const places = end(joint.body === 0 ? joint.other : joint).map(px);
    const fixed = joint.body === 0 ? joint : joint.other;
    parts.push(`<circle class="pin" r="5">${animate("cx", places.map(([x]) => text_of(x)))}${animate("cy", places.map(([, y]) => text_of(y)))}</circle>`);
    if (fixed.body === 0) {
      const [x, y] = px(fixed.point).map((v) => Number(text_of(v)));
      parts.push(`<path class="ground" d="M${x - 14},${y + 22} L${x},${y} L${x + 14},${y + 22} Z"/><circle class="pin" cx="${x}" cy="${y}" r="5"/>`);
    }
  }
  // The hand and what it pulls with.
  const hands = frames.map(({ hand }) => px(hand));
  const visible = frames.map(({ is_held }) => (is_held ? 1 : 0)).join(";");
  const pull = ["x1", "y1"].map((name, i) => animate(name, trace.map((p) => text_of(p[i]))))
    .concat(["x2", "y2"].map((name, i) => animate(name, hands.map((p) => text_of(p[i]))))).join("");
  parts.push(`<line class="pull" opacity="0">${pull}<animate attributeName="opacity" calcMode="discrete" values="${visible}" dur="${kEnd}s" repeatCount="indefinite"/></line>`);
  parts.push(`<path class="hand" d="M0,0 V17 L4,13.5 L6.5,19.5 L9.2,18.4 L6.7,12.5 H12 Z">` +
    turn("translate", hands.map((p) => p.map(text_of).join(","))) + `</path>`);
  parts.push(curve(frames, "force", "force of the hand, N", 52));
  parts.push(curve(frames, "energy", "energy, J", 222));
  const most = Math.max(...frames.map(({ violation }) => violation));
  return page(mechanism, parts, most);
}

// A plot on the right, uncovered as time passes.
function curve(frames, name, title, top) {
  const [left, width, height] = [610, 245, 110];
  const values = frames.map((frame) => frame[name]);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const at = (k) => `${text_of(left + width * k / (frames.length - 1))},${text_of(top + height * (high - values[k]) / (high - low))}`;
  const power_of_ten = 10 ** Math.floor(Math.log10((high - low) / 2));
  const step = power_of_ten * [1, 2, 5].find((f) => (high - low) / (f * power_of_ten) <= 5);
  const marks = [];
  for (let v = Math.ceil(low / step) * step; v <= high + 1e-9; v += step) {
    const y = text_of(top + height * (high - v) / (high - low));
    marks.push(`<path class="grid" d="M${left},${y} h${width}"/><text x="${left - 6}" y="${Number(y) + 4}" text-anchor="end">${Number(v.toFixed(6))}</text>`);
  }
  return `<g class="plot"><text x="${left}" y="${top - 12}" class="title">${title}</text>${marks.join("")}` +
    `<clipPath id="${name}"><rect x="${left}" y="${top - 4}" height="${height + 8}" width="${width}">` +
    `<animate attributeName="width" values="0;${width}" dur="${kEnd}s" repeatCount="indefinite"/></rect></clipPath>` +
    `<polyline clip-path="url(#${name})" class="${name}" points="${frames.map((_, k) => at(k)).join(" ")}"/></g>`;
}

function power(x) {
  const [digits, exponent] = x.toExponential(0).split("e");
  return `${digits}·10${[...exponent].map((c) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[c] ?? "⁻").join("")}`;
}

function page(mechanism, parts, most) {
  const style = `
  .paper { fill: #fbfbfa; stroke: #d8d8d4 }
  .grid { stroke: #e3e3df; fill: none } text { fill: #6a6a66; font: 12px system-ui, sans-serif } .title { fill: #33332f; font-weight: 600 }
  .plate { fill: #3b6ea838; stroke: #3b6ea8; stroke-width: 8; stroke-linejoin: round }
  .link { stroke: #8a8f98; stroke-width: 9; stroke-linecap: round }
  .pin { fill: #fbfbfa; stroke: #33332f; stroke-width: 2 } .ground { fill: #c9c9c4 } .held { fill: #d9541e }
  .trace { fill: none; stroke: #d9541e; stroke-opacity: .45; stroke-width: 2 }
  .pull { stroke: #d9541e; stroke-width: 2.5; stroke-dasharray: 5 4 } .hand { fill: #33332f; stroke: #fbfbfa; stroke-width: 1.2 }
  .force, .energy { fill: none; stroke-width: 1.8 } .force { stroke: #d9541e } .energy { stroke: #3b6ea8 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #17191c; stroke: #33373d } .grid { stroke: #2b2f35 } text { fill: #9aa0a8 } .title { fill: #e3e5e8 }
    .pin { fill: #17191c; stroke: #e3e5e8 } .hand { fill: #e3e5e8; stroke: #17191c } .ground { fill: #3d4249 } .link { stroke: #7d848e }
  }`.replace(/\n\s*/g, "\n");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${kWidth} ${kHeight}" width="${kWidth}" height="${kHeight}" role="img">
<title>A four-bar linkage is dragged, thrown and caught</title>
<desc>${mechanism.model.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</desc>
<style>${style}</style>
<rect class="paper" x="0.5" y="0.5" width="${kWidth - 1}" height="${kHeight - 1}" rx="8"/>
${parts.join("\n")}
<text x="856" y="${kHeight - 18}" text-anchor="end">steps of ${1000 * mechanism.step} ms; the loop stays closed to ${power(most)} m</text>
</svg>
`;
}

const mechanism = mechanism_of_readme();
const svg = draw(mechanism, play(mechanism));
writeFileSync(out, svg);
console.log(`${out}: ${(svg.length / 1000).toFixed(0)} kB`);

// Reports of mechanisms whose motion is known by formula.

const identity = [1, 0, 0, 0];

function about(axis, angle) {
  const [x, y, z] = axis.map((component) => component * Math.sin(angle / 2));
  return [Math.cos(angle / 2), x, y, z];
}

function product([a, b, c, d], [e, f, g, h]) {
  return [a * e - b * f - c * g - d * h, a * f + b * e + c * h - d * g,
          a * g - b * h + c * e + d * f, a * h + b * g - c * f + d * e];
}

function times(end, count) {
  return Array.from({ length: count }, (_, i) => (end * i) / (count - 1));
}

// A crank of length a turns at constant speed; a rod of length b moves a slider on the x axis,
// which a spring pulls back. The rod also has a point off its line.
export function slider_crank({ samples = 401 } = {}) {
  const [a, b, speed] = [0.4, 1, 2 * Math.PI / 2.5];
  const t = times(5, samples);
  const crank = t.map((time) => 0.6 + speed * time);
  const rod = crank.map((angle) => -Math.asin((a / b) * Math.sin(angle)));
  const slider = crank.map((angle, i) => a * Math.cos(angle) + b * Math.cos(rod[i]));
  const rate = (values) => values.map((_, i) => {
    const [low, high] = [Math.max(0, i - 1), Math.min(samples - 1, i + 1)];
    return (values[high] - values[low]) / (t[high] - t[low]);
  });
  const kinetic = rate(slider).map((v) => 0.5 * 2 * v * v + 0.4);
  const potential = slider.map((x) => 0.5 * 6 * (x - 1.1) ** 2);
  const tip = crank.map((angle, i) => 0.3 * Math.cos(rod[i]) + a * Math.sin(angle));
  const force = slider.map((x, i) => (i % 97 < 3 && i > 3 ? null : -6 * (x - 1.1)));
  const violation = t.map((_, i) => (i === 0 ? 0 : 1e-13 * (1.2 + Math.sin(0.3 * i)) * i ** 0.5));

  const column = (name, unit, group, values) => [{ name, unit, group }, values];
  const table = [
    column("t", "s", "time", t),
    column("slider.x", "m", "outputs", slider),
    column("rod.tip.y", "m", "outputs", tip),
    column("crank.angle", "rad", "outputs", crank),
    column("slider.force", "N", "outputs", force),
    column("rod.angle", "rad", "coordinates", rod),
    column("rod.x", "m", "coordinates", crank.map((angle) => a * Math.cos(angle))),
    column("rod.y", "m", "coordinates", crank.map((angle) => a * Math.sin(angle))),
    column("slider.x'", "m/s", "velocities", rate(slider)),
    column("rod.angle'", "rad/s", "velocities", rate(rod)),
    column("A.x", "N", "multipliers", rate(rate(slider)).map((x) => -2 * x)),
    column("kinetic", "J", "energy", kinetic),
    column("potential", "J", "energy", potential),
    column("total", "J", "energy", kinetic.map((energy, i) => energy + potential[i])),
    column("position", "m", "constraints", violation),
    column("velocity", "m/s", "constraints", violation.map((value) => 40 * value)),
  ];
  return {
    title: "slider_crank",
    description: "A crank at constant speed drives a slider against a spring.",
    summary: [
      { label: "degrees of freedom", value: "1" },
      { label: "index", value: "3" },
      { label: "coordinates", value: "natural" },
      { label: "formulation", value: "index 1, projected" },
      { label: "integrator", value: "taylor, order 20" },
      { label: "steps", value: "118" },
      { label: "wall time", value: "3.1 ms" },
      { label: "position violation", value: "2.2e\u221212 m" },
    ],
    messages: [],
    alarms: [],
    columns: table.map(([head]) => head),
    data: table.map(([, values]) => values),
    scene: {
      planar: true,
      bodies: [
        { name: "ground", com: [0, 0, 0], points: [[0, 0, 0]],
          shapes: [{ kind: "line", points: [[0.4, -0.1, 0], [1, -0.1, 0], [1.6, -0.1, 0]] }] },
        { name: "crank", com: [a / 2, 0, 0], points: [[0, 0, 0], [a, 0, 0]], shapes: [] },
        { name: "rod", com: [0.4, 0.1, 0], points: [[0, 0, 0], [b, 0, 0], [0.3, 0.3, 0]],
          shapes: [] },
        { name: "slider", com: [0, 0, 0], points: [[0, 0, 0]],
          shapes: [{ kind: "box", size: [0.24, 0.16, 0.1], position: [0, 0, 0],
                     quaternion: identity }] },
      ],
      joints: [
        { name: "O", kind: "revolute", body: 1, point: [0, 0, 0], axis: [0, 0, 1],
          other: { body: 0, point: [0, 0, 0] } },
        { name: "A", kind: "revolute", body: 2, point: [0, 0, 0], axis: [0, 0, 1],
          other: { body: 1, point: [a, 0, 0] } },
        { name: "B", kind: "revolute", body: 3, point: [0, 0, 0], axis: [0, 0, 1],
          other: { body: 2, point: [b, 0, 0] } },
      ],
      springs: [
        { name: "back", a: { body: 3, point: [0.12, 0, 0] }, b: { body: 0, point: [1.9, 0, 0] } },
      ],
      drawing: [],
      up: [0, 1, 0],
      times: t,
      frames: t.map((_, i) => [
        0, 0, 0, ...identity,
        0, 0, 0, ...about([0, 0, 1], crank[i]),
        a * Math.cos(crank[i]), a * Math.sin(crank[i]), 0, ...about([0, 0, 1], rod[i]),
        slider[i], 0, 0, ...identity,
      ]),
    },
  };
}

// An edge mill: an arm turns about the vertical, and the wheel at its end rolls on the floor.
export function edge_mill({ samples = 241 } = {}) {
  const [length, radius, speed] = [0.8, 0.3, Math.PI / 2];
  const t = times(8, samples);
  const turn = t.map((time) => speed * time);
  const roll = turn.map((angle) => (-length / radius) * angle);
  const lying = about([0, 1, 0], Math.PI / 2); // turns the axis of a cylinder from z to x
  return {
    title: "edge_mill",
    description: "",
    summary: [
      { label: "degrees of freedom", value: "1" }, { label: "coordinates", value: "absolute" },
    ],
    messages: [],
    alarms: [],
    columns: [
      { name: "t", unit: "s", group: "time" },
      { name: "arm.angle", unit: "rad", group: "coordinates" },
      { name: "wheel.angle", unit: "rad", group: "coordinates" },
      { name: "wheel.x", unit: "m", group: "coordinates" },
      { name: "wheel.y", unit: "m", group: "coordinates" },
    ],
    data: [t, turn, roll, turn.map((angle) => length * Math.cos(angle)),
           turn.map((angle) => length * Math.sin(angle))],
    scene: {
      planar: false,
      bodies: [
        { name: "ground", com: [0, 0, 0], points: [],
          shapes: [{ kind: "cylinder", size: [0.06, 0.5, 0], position: [0, 0, 0.25],
                     quaternion: identity }] },
        { name: "arm", com: [0.2, 0, 0], points: [[0, 0, 0], [length, 0, 0], [0, 0, 0.3]],
          shapes: [] },
        { name: "wheel", com: [0, 0, 0], points: [[0, 0, 0]], shapes: [
          { kind: "cylinder", size: [radius, 0.12, 0], position: [0, 0, 0], quaternion: lying },
          { kind: "sphere", size: [0.05, 0, 0], position: [0, 0.2, 0], quaternion: identity }] },
      ],
      joints: [
        { name: "post", kind: "revolute", body: 1, point: [0, 0, 0], axis: [0, 0, 1],
          other: { body: 0, point: [0, 0, radius] } },
        { name: "axle", kind: "revolute", body: 2, point: [0, 0, 0], axis: [1, 0, 0],
          other: { body: 1, point: [length, 0, 0] } },
        { name: "stay", kind: "distance", body: 1, point: [0, 0, 0.3], axis: [0, 0, 1],
          other: { body: 1, point: [length, 0, 0] } },
      ],
      springs: [
        { name: "s", a: { body: 1, point: [0, 0, 0.3] }, b: { body: 2, point: [0, 0, 0] } },
      ],
      drawing: [],
      up: [0, 0, 1],
      times: t,
      frames: t.map((_, i) => {
        const arm = about([0, 0, 1], turn[i]);
        return [0, 0, 0, ...identity, 0, 0, radius, ...arm,
                length * Math.cos(turn[i]), length * Math.sin(turn[i]), radius,
                ...product(arm, about([1, 0, 0], roll[i]))];
      }),
    },
  };
}

// A crane by its drawing alone: a trolley, and a load on a cable that swings by a formula.
export function drawn_crane({ samples = 101 } = {}) {
  const t = times(4, samples);
  const [length, speed] = [2, 2];
  const load = t.map((time) => {
    const angle = 0.5 * Math.cos(speed * time);
    return [length * Math.sin(angle), -length * Math.cos(angle)];
  });
  const part = (name, kind, points, more = {}) =>
    ({ name, kind, points, size: [0, 0, 0], text: "", moves: true, ...more });
  return {
    ...edge_mill(),
    title: "drawn_crane",
    columns: [{ name: "t", unit: "s", group: "time" },
      { name: "load.x", unit: "m", group: "outputs" }],
    data: [t, load.map(([x]) => x)],
    scene: {
      planar: true,
      bodies: [{ name: "ground", com: [0, 0, 0], points: [], shapes: [] }],
      joints: [], springs: [],
      drawing: [
        part("rail", "line", 2, { moves: false }), part("rope", "cable", 2),
        part("trolley", "box", 1, { size: [0.5, 0.2, 0] }),
        part("load", "circle", 1, { size: [0.2, 0, 0] }), part("hook", "point", 1),
        part("name", "label", 1, { text: "the load" }),
      ],
      up: [0, 1, 0],
      times: t,
      frames: load.map(([x, y]) => [
        0, 0, 0, ...identity,
        -2, 0.2, 0, 2, 0.2, 0, // rail
        0, 0, 0, x, y, 0, // rope
        0, 0, 0, 0.1, // trolley and its turn
        x, y, 0, x, y, 0, x, y, 0, // load, hook, label
      ]),
    },
  };
}

// The slider crank of a run that failed at its start: one sample, some of it unknown.
export function failed_run() {
  const report = slider_crank();
  report.alarms = [
    "step failed at t = 0 s: Newton did not converge; largest residual: joint 'A', y.\n" +
    "  1 sample up to there is kept. Try --tol 1e-8 or --formulation svd.",
  ];
  report.data = report.data.map(([first]) => [first]);
  report.data[3] = [null];
  report.scene.times = [0];
  report.scene.frames = report.scene.frames.slice(0, 1);
  report.scene.frames[0].fill(null, 14, 21);
  return report;
}

// The same report with its numbers as the program writes many of them: floats in base64.
export function packed(report) {
  const pack = (values) =>
    Buffer.from(Float32Array.from(values, (x) => x ?? NaN).buffer).toString("base64");
  const scene = report.scene && { ...report.scene, frames: report.scene.frames.map(pack) };
  return { ...report, data: report.data.map(pack), scene };
}

"""Dimensional synthesis: the coupler point of a four-bar linkage that passes through given points, by exact gradients.

    bin/koppel python examples/python/coupler_synthesis.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp

# A crank that turns once in a second; the coupler point P shall be at the targets at these times. (They are taken from
# a linkage with a = 0.4, b = 1.5, c = 1.3 that is to be found again.)
times = [0.1, 0.25, 0.4, 0.55, 0.7]
targets = np.array([[0.085, 1.358], [-0.196, 1.351], [-0.486, 1.047], [-0.576, 0.663], [-0.432, 0.469]])
m = kp.Model.from_yaml(f"""
name: coupler point
dimension: 2
parameters: {{a: 0.5, b: 1.4, c: 1.2, px: 0.7, py: 0.6, qx: 1.5, qy: 0.0, phi0: 0.3}}
bodies:
  ground: {{points: {{Q: [qx, qy]}}}}
  crank: {{mass: 1, inertia: 0.1, points: {{A: [a, 0]}}, angle: phi0}}
  coupler: {{mass: 1, inertia: 0.1, points: {{B: [b, 0], P: [px, py]}}, position: [a*cos(phi0), a*sin(phi0)], angle: 0.7}}
  rocker: {{mass: 1, inertia: 0.1, points: {{B: [c, 0]}}, position: [qx, qy], angle: 2}}
joints:
  O: {{type: revolute, between: [ground, crank]}}
  A: {{type: revolute, between: [crank.A, coupler]}}
  B: {{type: revolute, between: [coupler.B, rocker.B]}}
  Q: {{type: revolute, between: [ground.Q, rocker]}}
constraints:
  motor: crank.angle - phi0 - 2*pi*t
outputs: {{x: coupler.P.x, y: coupler.P.y}}
run: {{end: 1}}
""")

# The distance from the targets, counted while the time is near theirs: bells of 10 ms around each.
near = [f"exp(-((t - {t})/0.01)^2)*((x - {x})^2 + (y - {y})^2)" for t, (x, y) in zip(times, targets)]
best = m.optimize(minimize=[f"miss{i}={text}:integral" for i, text in enumerate(near)], end=0.75, starts=6, evaluations=200, tolerance=1e-7,
                  over={"a": (0.2, 0.7), "b": (1.0, 2.0), "c": (0.8, 2.0), "px": (-0.5, 1.5), "py": (-0.5, 1.5),
                        "qx": (0.8, 2.2), "qy": (-0.6, 0.6), "phi0": (-1.0, 1.0)})
print(best)


def path(values):
    for name, value in values.items():
        m.parameters[name] = value
    return m.simulate(end=1, samples=401)


before, after = path(best.before["parameters"]), path(best.parameters)
for run, word in ((before, "before"), (after, "after")):
    miss = [np.hypot(np.interp(t, run.t, run["x"]) - x, np.interp(t, run.t, run["y"]) - y)
            for t, (x, y) in zip(times, targets)]
    print(f"{word}: misses the points by {', '.join(f'{1e3 * d:.1f}' for d in miss)} mm")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(5, 5))
    axis.plot(before["x"], before["y"], label="before", color="0.7")
    axis.plot(after["x"], after["y"], label="after")
    axis.plot(*targets.T, "o", label="targets")
    axis.set(xlabel="x in m", ylabel="y in m", aspect="equal")
    axis.legend()
    figure.savefig(sys.argv[1])

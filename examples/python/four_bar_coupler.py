"""Coupler curves of a four-bar linkage: what points of the coupler draw during a turn of the crank.

    bin/koppel python examples/python/four_bar_coupler.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp

CRANK, COUPLER, ROCKER, BASE = 0.4, 1.0, 0.9, 1.2  # Grashof: 0.4 + 1.2 < 1.0 + 0.9, so the crank turns

m = kp.Model("four-bar linkage", dimension=2)
crank = m.rod("crank", mass=1, length=CRANK, angle="90 deg")
coupler = m.rod("coupler", mass=1, length=COUPLER, position=(0, CRANK), angle="26.5 deg")
rocker = m.rod("rocker", mass=1, length=ROCKER, position=(BASE, 0), angle="110 deg")
m.revolute("A", m.ground, crank.start, drive=kp.pi / 2 + 2 * kp.pi * m.time)  # a turn a second
m.revolute("B", crank.end, coupler.start)
m.revolute("C", coupler.end, rocker.end)
m.revolute("D", m.ground.point(BASE, 0), rocker.start)

points = [(x, y) for x in (0.25, 0.5, 0.75) for y in (0.0, 0.4)]
for i, (x, y) in enumerate(points):
    point = coupler.point(x * COUPLER, y, name=f"P{i}")
    m.output(f"x{i}", point.x)
    m.output(f"y{i}", point.y)

run = m.simulate(end=1, samples=361, tolerance=1e-10)
for i, (x, y) in enumerate(points):
    gap = np.hypot(run[f"x{i}"][-1] - run[f"x{i}"][0], run[f"y{i}"][-1] - run[f"y{i}"][0])
    length = np.hypot(np.diff(run[f"x{i}"]), np.diff(run[f"y{i}"])).sum()
    print(f"point ({x:.2f}, {y:.1f}): a curve of {length:.4f} m, closed to {gap:.0e} m")
swing = np.degrees(np.ptp(run["rocker.angle"]))
print(f"the rocker swings by {swing:.3f} degrees")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 5))
    for i, (x, y) in enumerate(points):
        axis.plot(run[f"x{i}"], run[f"y{i}"], label=f"({x:.2f}, {y:.1f})")
    axis.plot([0, BASE], [0, 0], "k^")
    axis.set(aspect="equal", xlabel="x in m", ylabel="y in m")
    axis.legend(title="on the coupler")
    figure.savefig(sys.argv[1])

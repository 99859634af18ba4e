"""Chaos of the double pendulum: two starts a billionth of a radian apart, and how fast they part.

    bin/koppel python examples/python/double_pendulum_chaos.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp


def pendulum(angle):
    m = kp.Model("double pendulum", gravity=(0, -9.81))
    upper = m.rod("upper", mass=1, length=1)
    lower = m.rod("lower", mass=1, length=1)
    m.revolute("hip", m.ground, upper.start, start=angle)
    m.revolute("knee", upper.end, lower.start, start=0)
    m.output("x", lower.end.x)
    m.output("y", lower.end.y)
    return m


# A tolerance far below the distance of the starts: what grows is the distance, not an error.
one, other = (pendulum(angle).simulate(end=20, tolerance=1e-14, samples=2001) for angle in (2.0, 2.0 + 1e-9))
distance = np.hypot(one["x"] - other["x"], one["y"] - other["y"])

small = (distance > 1e-8) & (distance < 1e-3)  # in between it grows exponentially
rate, _ = np.polyfit(one.t[small], np.log(distance[small]), 1)
print(f"distance at the start {distance[0]:.1e} m, at most {distance.max():.2f} m")
print(f"it grows by e every {1 / rate:.2f} s")
print(f"energy drifts by {max(one.summary['energy_drift'], other.summary['energy_drift']):.0e}")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4))
    left.plot(one["x"], one["y"], lw=0.6)
    left.set(aspect="equal", xlabel="x in m", ylabel="y in m", title="the end of the lower rod")
    right.semilogy(one.t, np.maximum(distance, 1e-16))
    right.set(xlabel="t in s", ylabel="distance in m", title="two starts, 1e-9 rad apart")
    figure.tight_layout()
    figure.savefig(sys.argv[1])

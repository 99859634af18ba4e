"""Thousands of cart-poles at once: a search for feedback gains that keep the pole up, and how many steps a second that is.

    bin/koppel python examples/python/batch_cart_pole.py [picture.png]
"""

import sys
import time

import numpy as np

import koppel as kp

m = kp.Model.from_yaml("""
name: cart-pole
parameters: {M: 1, m: 0.1, l: 0.5, g: 9.81, tilt: 0.1}
inputs: [F]
coordinates: {x: 0, phi: {start: tilt}}
kinetic: M*x'^2/2 + m/2*((x' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2)
potential: m*g*l*cos(phi)
generalized_forces: {x: F}
outputs: {x: x, v: x', phi: phi, w: phi'}
run: {end: 1}
""")

count, step, substeps = 4096, 0.005, 4
batch = kp.Batch(m, count, step=step, integrator="rosenbrock")
random = np.random.default_rng(0)


def returns(gains, steps=150):
    """How long each of the copies keeps its pole up, s, less a little for where the cart goes."""
    state, up, cost = batch.reset(), np.ones(count, bool), np.zeros(count)
    for _ in range(steps):
        force = np.clip(np.einsum("ij,ij->i", gains, np.nan_to_num(state)), -20, 20)
        state = batch.step(force, substeps)
        up &= np.isfinite(state[:, 2]) & (abs(state[:, 2]) < 0.5) & (abs(state[:, 0]) < 2.4)
        cost += np.where(up, step * substeps * (1 - 0.05 * abs(np.nan_to_num(state[:, 0]))), 0)
    return cost


# The cross-entropy method: draw gains, keep the best, draw again about them.
mean, spread = np.zeros(4), np.array([5.0, 5.0, 50.0, 10.0])
began = time.perf_counter()
for generation in range(8):
    gains = mean + spread * random.standard_normal((count, 4))
    value = returns(gains)
    best = gains[np.argsort(value)[-count // 20:]]
    mean, spread = best.mean(axis=0), best.std(axis=0)
    print(f"generation {generation}: best {value.max():.3f} s, mean {value.mean():.3f} s of 3")
seconds = time.perf_counter() - began
steps = 8 * 150 * substeps * count
print(f"gains for x, v, phi, w: {np.round(mean, 2)}; {steps / 1e6:.1f} million steps, {steps / seconds / 1e6:.1f} million a second")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    state, rows = batch.reset(), []
    for _ in range(150):
        state = batch.step(np.clip(state @ mean, -20, 20), substeps)
        rows.append(state[0])
    figure, axis = plt.subplots(figsize=(6, 4))
    axis.plot(step * substeps * np.arange(1, 151), np.array(rows)[:, [0, 2]], label=["x in m", "angle in rad"])
    axis.set(xlabel="t in s")
    axis.legend()
    figure.savefig(sys.argv[1])

"""Parameters from a measurement: the stiffness and the damping of a torsion spring from a noisy swing, by Gauss-Newton.

    bin/koppel python examples/python/identification.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp

m = kp.Model("flap", gravity=(0, -9.81))
stiffness, damping = m.parameter("stiffness", 1.0), m.parameter("damping", 0.1)
flap = m.rod("flap", mass=2, length=0.5)
hinge = m.revolute("hinge", m.ground, flap.start, start=0.4)
m.torsion("spring", hinge, stiffness=stiffness, damping=damping)


def swing(p):
    m.parameters["stiffness"], m.parameters["damping"] = p
    return np.array(m.simulate(end=3, samples=301)["hinge.angle"])


true = np.array([30.0, 0.25])
measured = swing(true) + np.random.default_rng(0).normal(scale=0.01, size=301)

p = np.array([28.0, 0.2])  # a guess, from counting periods
for iteration in range(8):
    now = swing(p)
    steps = 1e-6 * p
    J = np.column_stack([(swing(p + h * e) - now) / h for h, e in zip(steps, np.eye(2))])
    change = np.linalg.lstsq(J, measured - now, rcond=None)[0]
    p = p + change
    print(f"{iteration}: stiffness {p[0]:.5f} N m, damping {p[1]:.6f} N m s")
    if np.all(np.abs(change) < 1e-7 * p):
        break

# How far the estimate can be trusted: the noise, through the Jacobian.
deviation = np.sqrt(np.diag(np.linalg.inv(J.T @ J))) * np.std(measured - swing(p))
print(f"deviation of the estimate {deviation[0]:.3f} N m and {deviation[1]:.4f} N m s; true are {true[0]:g} and {true[1]:g}")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    t = np.linspace(0, 3, 301)
    figure, axis = plt.subplots(figsize=(6, 4))
    axis.plot(t, measured, ".", ms=2, label="measured")
    axis.plot(t, swing(p), label="identified")
    axis.set(xlabel="t in s", ylabel="angle in rad")
    axis.legend()
    figure.savefig(sys.argv[1])

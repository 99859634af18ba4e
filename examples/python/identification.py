"""Parameters from a measurement: the stiffness and the damping of a torsion spring from a noisy swing.

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

t = np.linspace(0, 3, 301)
m.parameters["stiffness"], m.parameters["damping"] = 28.0, 0.2  # a guess, from counting periods
fit = m.fit({"t": t, "hinge.angle": measured}, ["stiffness", "damping"])
print(fit)

# How far the estimate is off, in its own standard deviations.
for name, value in zip(("stiffness", "damping"), true):
    print(f"{name}: true {value:g}, off by {(fit.values[name] - value) / fit.deviations[name]:+.1f} standard deviations")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 4))
    axis.plot(t, measured, ".", ms=2, label="measured")
    axis.plot(t, swing([fit.values["stiffness"], fit.values["damping"]]), label="identified")
    axis.set(xlabel="t in s", ylabel="angle in rad")
    axis.legend()
    figure.savefig(sys.argv[1])

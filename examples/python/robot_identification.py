"""Payload and friction of a six-axis robot, identified from a noisy recording of its axes and motors.

    bin/koppel python examples/python/robot_identification.py [picture.png]

The recording is made by examples/data/robot_recording.py. On the command line the same is
    koppel fit examples/data/robot_motors.yaml --data examples/data/robot_recording.csv --over payload,reach,dry_1,…
"""

import pathlib
import sys

import numpy as np

import koppel as kp

# In the folder beside the scripts; a notebook has a copy beside it.
data = pathlib.Path(__file__).parents[1] / "data" if "__file__" in globals() else pathlib.Path("data")
recording = np.genfromtxt(data / "robot_recording.csv", delimiter=",", names=True)
robot = kp.load(data / "robot_motors.yaml")
over = ["payload", "reach", *(f"{kind}_{i}" for kind in ("dry", "viscous") for i in range(1, 7))]
# What the sheets of encoders and drives say; without it, noise is estimated from what remains.
noise = {f"joint_{i}": 1e-4 for i in range(1, 7)} | {f"motor_{i}": s for i, s in enumerate((8, 8, 5, 1.2, 1.2, 0.6), 1)}
fit = robot.fit({name: recording[name] for name in recording.dtype.names}, over, noise=noise, tolerance=1e-6)
print(fit)

# How far each is off from what the recording was made with, in its own standard deviations.
made = {}
exec((data / "robot_recording.py").read_text(encoding="utf-8").partition("def record")[0], made)
TRUE = made["TRUE"]
off = {name: (fit.values[name] - TRUE[name]) / fit.deviations[name] for name in over}
print("off by", ", ".join(f"{name} {value:+.1f}" for name, value in off.items()), "standard deviations")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    before = robot.simulate(samples=401)
    for name, value in fit.values.items():
        robot.parameters[name] = value
    after = robot.simulate(samples=401)
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.2))
    for axis, name in zip(axes, ("motor_2", "motor_5")):
        axis.plot(recording["t"], recording[name], ".", ms=2.5, color="0.6", label="recorded")
        axis.plot(before.t, before[name], "--", label="model as it was")
        axis.plot(after.t, after[name], label="identified")
        axis.set(xlabel="t in s", ylabel=f"torque of axis {name[-1]} in N m")
    axes[0].legend()
    figure.savefig(sys.argv[1])

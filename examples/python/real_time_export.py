"""A car axle as C for hardware in the loop: what a step costs, how accurate it is, and the exported code beside the run.

    bin/koppel python examples/python/real_time_export.py [picture.png]

Needs a C compiler.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import koppel as kp

axle = kp.load("car_axle")
accurate = axle.simulate(end=3, tolerance=1e-12, samples=3001)

print("step in ms    operations   error of yr")
for step in (0.002, 0.001, 0.0005):
    run = axle.simulate(end=3, integrator="fixed-cost", step=step, samples=3001)
    error = np.abs(run["yr"] - accurate["yr"]).max() / np.ptp(accurate["yr"])
    print(f"{1000 * step:10g}  {axle.budget(step)['operations']['total']:12d}  {error:12.2e}")

with tempfile.TemporaryDirectory() as folder:
    axle.export("c", folder, step=1e-3)
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    program = pathlib.Path(folder, "example")
    subprocess.run([compiler, "-std=c99", "-O2", "-ffp-contract=off", "-o", program, "example.c", "car_axle.c", "-lm"],
                   cwd=folder, check=True)
    lines = subprocess.run([program, "3000"], capture_output=True, text=True, check=True).stdout.splitlines()
exported = {name: np.array(column) for name, column in
            zip(lines[0].split(","), np.loadtxt(lines, delimiter=",", skiprows=1).T)}

same = axle.simulate(end=3, integrator="fixed-cost", step=1e-3, samples="steps")
print(f"exported C and koppel differ by {np.abs(exported['yr'] - same['yr']).max():.1e} after 3000 steps")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(7, 3.5))
    axis.plot(accurate.t, accurate["yr"], label="accurate")
    axis.plot(exported["t"][::25], exported["yr"][::25], ".", label="exported C, 1 ms")
    axis.set(xlabel="t in s", ylabel="height of the right end in m")
    axis.legend()
    figure.savefig(sys.argv[1])

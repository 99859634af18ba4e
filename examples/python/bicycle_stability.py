"""At which speeds does a bicycle stay upright by itself? The benchmark bicycle of Meijaard, Papadopoulos, Ruina &
Schwab (2007): eigenvalues of its steady motion over the speed.

    bin/koppel python examples/python/bicycle_stability.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp

bicycle = kp.load("whipple_bicycle")
speeds = np.array([3.0, 4.0, 4.25, 4.35, 5.0, 6.0, 6.1, 7.0, 8.0])
values = []
for speed in speeds:
    bicycle.parameters["v"] = speed
    modes = bicycle.linearize(coordinates="joint").modes  # about the start, which is a steady motion
    values.append([mode.eigenvalue for mode in modes])

print("speed in m/s   eigenvalues in 1/s                                    upright")
for speed, found in zip(speeds, values):
    text = ", ".join(f"{e.real:.4f}" + (f" ± {e.imag:.4f}i" if e.imag else "") for e in found)
    print(f"{speed:11.2f}    {text:52}  {'yes' if max(e.real for e in found) < 0 else 'no'}")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(6, 4))
    for speed, found in zip(speeds, values):
        axis.plot([speed] * len(found), [e.real for e in found], "k.")
    axis.axhline(0, lw=0.5)
    axis.set(xlabel="speed in m/s", ylabel="real part in 1/s", ylim=(-8, 4))
    figure.savefig(sys.argv[1])

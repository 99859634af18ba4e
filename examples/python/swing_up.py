"""Optimal control by direct shooting: a cart swings its pole up with little effort and comes to rest, by exact gradients.

    bin/koppel python examples/python/swing_up.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp

# The force is piecewise linear: hats of height u0, u1, … at equal distances, each a parameter.
end, count = 2.0, 11
times = np.linspace(0, end, count)
width = times[1]
force = " + ".join(f"u{k}*max(0, 1 - abs(t - {t:.6g})/{width:.6g})" for k, t in enumerate(times))
m = kp.Model.from_yaml(f"""
name: swing-up
parameters: {{M: 1, m: 0.3, l: 0.5, g: 9.81, {", ".join(f"u{k}: {3 * np.cos(5 * t):.4f}" for k, t in enumerate(times))}}}
coordinates: {{x: 0, phi: 0}}        # the pole hangs down at phi = 0
kinetic: M*x'^2/2 + m/2*((x' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2)
potential: -m*g*l*cos(phi)
definitions: {{F: "{force}"}}
generalized_forces: {{x: F}}
outputs: {{x: x, phi: phi, F: F}}
run: {{end: {end}}}
""")

rest = "miss = 100*((phi - pi)^2 + 0.1*phi'^2 + x^2 + 0.1*x'^2):final"
best = m.optimize(minimize=[rest, "effort = 0.01*F^2:integral"], subject_to=["x:max <= 1", "x:min >= -1"],
                  over={f"u{k}": (-20, 20) for k in range(count)}, evaluations=1000, tolerance=1e-7)
print(best)

for name, value in best.parameters.items():
    m.parameters[name] = value
run = m.simulate()
print(f"at the end: angle {run['phi'][-1]:.4f} rad of {np.pi:.4f}, cart at {run['x'][-1]:.4f} m; "
      f"largest force {np.abs(run['F']).max():.1f} N")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(6, 5), sharex=True)
    axes[0].plot(run.t, run["phi"], label="angle in rad")
    axes[0].plot(run.t, run["x"], label="cart in m")
    axes[0].legend()
    axes[1].plot(run.t, run["F"])
    axes[1].set(xlabel="t in s", ylabel="force in N")
    figure.savefig(sys.argv[1])

"""Bushings of a trailing arm against ride comfort: stiffness and damping that shake the car least over a rough road.

    bin/koppel python examples/python/bushing_ride.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp

# A quarter of a car at 20 m/s, seen from its side and carried along with it: the body moves up and down, the arm with the
# wheel hangs on a rubber bushing and on the strut. At the start all springs carry their loads, and nothing moves.
# The road is one of class C [ISO 8608]: sine waves of 0.05 to 2 cycles a metre, whose amplitudes follow from the spectral
# density 256e-6 (n/0.1)^-2 m^3, with random phases. The wheel follows it in a point; its slope pushes the wheel back.
speed, edges = 20.0, np.geomspace(0.05, 2, 17)
waves = np.sqrt(edges[1:] * edges[:-1])
heights = np.sqrt(2 * 256e-6 * (waves / 0.1) ** -2 * np.diff(edges))
phases = np.random.default_rng(5).uniform(0, 2 * np.pi, waves.size)
# Faded in over the first half second.
fade = "min(1, t/0.5)^2"
sines = " + ".join(f"{a:.6g}*sin({2 * np.pi * n * speed:.8g}*t + {p:.5f})" for a, n, p in zip(heights, waves, phases))
slopes = " + ".join(f"{a * 2 * np.pi * n:.6g}*cos({2 * np.pi * n * speed:.8g}*t + {p:.5f})"
                    for a, n, p in zip(heights, waves, phases))
car = kp.Model.from_yaml(f"""
name: trailing arm on a bushing
dimension: 2
parameters:
  {{m: 380, mw: 38, J: 0.9, g: 9.81, k: 24000, c: 1500, kt: 210000, kx: 1.2e6, dx: 800, ky: 1.5e6, dy: 1000, kr: 60, dr: 1}}
gravity: [0, -g]
bodies:
  body: {{mass: m, inertia: 1, points: {{A: [0.42, 0.04], top: [0.03, 0.55]}}}}
  arm: {{mass: mw, inertia: J, points: {{A: [0.42, 0.04], hub: [0, 0]}}, shape: {{rod: {{to: [0.42, 0.04]}}}}}}
joints:
  guide: {{type: prismatic, between: [ground, body], axis: [0, 1]}}
definitions:
  fade: {fade}
  road: fade*({sines})
  slope: fade*({slopes})
  load: (m + mw)*g + kt*(road - arm.hub.y)
  push: kx*(arm.A.x - body.A.x) + dx*(arm.A.x' - body.A.x')     # of the bushing on the body, forward
  lift: ky*(arm.A.y - body.A.y) + dy*(arm.A.y' - body.A.y')
  thrust: k*(free - strut.length) - c*strut.length'
  free: sqrt(0.03^2 + 0.55^2) + m*g/k
forces:
  bushing: {{type: bushing, between: [body.A, arm.A], stiffness: [kx, ky, kr], damping: [dx, dy, dr]}}
  strut: {{type: spring, between: [arm.hub, body.top], stiffness: k, damping: c, free_length: free}}
  tyre: {{type: force, on: arm.hub, force: [-load*slope, load]}}
outputs:
  heave: (lift + thrust*(body.top.y - arm.hub.y)/strut.length)/m - g      # accelerations that the body feels
  surge: (push + thrust*(body.top.x - arm.hub.x)/strut.length)/m
  wheel: arm.hub.x                                                       # how far the wheel is pushed back
  travel: arm.hub.y - body.y
  load: load
run: {{end: 3}}
""")

bounds = {"kx": (1e5, 3e6), "dx": (100, 12000), "ky": (2e5, 4e6), "dy": (100, 6000), "c": (600, 4000)}
best = car.optimize(minimize="ride = heave^2 + surge^2:mean", over=bounds, evaluations=100, xtol=1e-5,
                    subject_to=["wheel:max <= 0.004", "wheel:min >= -0.004", "load:min >= 500"])
print(best)


def drive(values):
    for name, value in values.items():
        car.parameters[name] = value
    return car.simulate(samples=3001)


runs = {"before": drive(best.before["parameters"]), "after": drive(best.parameters)}
for word, run in runs.items():
    rms = [np.sqrt(np.mean(np.square(run[name]))) for name in ("heave", "surge")]
    print(f"{word}: heave {rms[0]:.3f} m/s^2, surge {rms[1]:.3f} m/s^2 (rms); wheel {1e3 * run['wheel'].min():.2f} to "
          f"{1e3 * run['wheel'].max():.2f} mm; least load {run['load'].min():.0f} N")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3))
    for word, run in runs.items():
        part = (run.t > 1.5) & (run.t < 2.5)
        for axis, name, factor in zip(axes, ("heave", "surge", "wheel"), (1, 1, 1e3)):
            axis.plot(run.t[part], factor * run[name][part], label=word)
    for axis, label in zip(axes, ("heave in m/s²", "surge in m/s²", "wheel fore and aft in mm")):
        axis.set(xlabel="t in s", ylabel=label)
    axes[0].legend()
    figure.savefig(sys.argv[1])

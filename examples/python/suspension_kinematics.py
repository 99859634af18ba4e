"""Kinematics of a double wishbone over its travel: camber, toe and motion ratio, for three heights of the track rod.

    bin/koppel python examples/python/suspension_kinematics.py [picture.png]
"""

import sys
import warnings

import numpy as np

import koppel as kp

# Hard points of the front left wheel in m: x forward, y to the left, z up.
LOWER = {"front": (0.18, 0.36, 0.02), "rear": (-0.16, 0.36, 0.01), "ball": (0, 0.72, -0.02)}
UPPER = {"front": (0.11, 0.43, 0.27), "rear": (-0.13, 0.43, 0.26), "ball": (-0.01, 0.69, 0.26)}
TRACK_ROD = {"inner": (-0.13, 0.38, 0.092), "outer": (-0.13, 0.70, 0.07)}
CENTRE, HUB = (0, 0.78, 0.10), (0, 0.88, 0.10)  # of the wheel, and a point on its axis
SEAT, TOP = (0, 0.60, 0.0), (0, 0.48, 0.52)     # of the strut, on the lower wishbone and on the car
TRAVEL = 0.08

warnings.simplefilter("ignore", kp.Note)  # the start is 80 mm below the drawing


def suspension(inner):
    """All bodies are drawn where they are: their frames are the car's at the start."""
    m = kp.Model("double wishbone", gravity=(0, 0, -9.81))
    lower = m.body("lower", mass=3, inertia=(0.05, 0.05, 0.1), com=(0, 0.52, 0))
    upper = m.body("upper", mass=2, inertia=(0.03, 0.03, 0.05), com=(0, 0.55, 0.26))
    upright = m.body("upright", mass=12, inertia=(0.2, 0.25, 0.2), com=(0, 0.74, 0.12))
    for arm, points in ((lower, LOWER), (upper, UPPER)):
        # A ball at one bush, and a point on the line of both at the other: a hinge without a redundant equation.
        line = np.subtract(points["front"], points["rear"])
        m.spherical(f"{arm.name}_front", m.ground.point(*points["front"]), arm.point(*points["front"]))
        m.point_on_line(f"{arm.name}_rear", m.ground.point(*points["rear"]), arm.point(*points["rear"]), axis=tuple(line))
        m.spherical(f"{arm.name}_ball", arm.point(*points["ball"]), upright.point(*points["ball"]))
    m.distance("track_rod", m.ground.point(*inner), upright.point(*TRACK_ROD["outer"]),
               length=float(np.linalg.norm(np.subtract(TRACK_ROD["outer"], TRACK_ROD["inner"]))))
    centre, hub = upright.point(*CENTRE, name="centre"), upright.point(*HUB, name="hub")
    m.spring("strut", between=(m.ground.point(*TOP), lower.point(*SEAT)), stiffness=60000, free_length=0.56)
    m.constraint("travel", centre.z - CENTRE[2] + TRAVEL * kp.cos(kp.pi * m.time))
    m.output("z", centre.z)
    m.output("camber", -kp.atan2(hub.z - centre.z, kp.sqrt((hub.x - centre.x) ** 2 + (hub.y - centre.y) ** 2)))
    m.output("toe", kp.atan2(hub.x - centre.x, hub.y - centre.y))
    m.output("strut", "strut.length")
    return m


curves = {}
print("track rod      camber at -80, 0, +80 mm       toe at -80, 0, +80 mm      motion ratio")
for raised in (-0.01, 0.0, 0.01):
    x, y, z = TRACK_ROD["inner"]
    run = suspension((x, y, z + raised)).simulate(end=1, samples=161, tolerance=1e-10)
    travel, camber, toe = run["z"] - CENTRE[2], np.degrees(run["camber"]), np.degrees(run["toe"])
    ratio = -np.gradient(run["strut"], travel)
    places = [0, 80, 160]
    print(f"{1000 * raised:+6.0f} mm " + " ".join(f"{camber[i]:9.4f}" for i in places) + "  " +
          " ".join(f"{toe[i]:9.4f}" for i in places) + f"  {ratio[80]:10.4f}")
    curves[raised] = (travel, camber, toe, ratio)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(9, 4), sharey=True)
    for raised, (travel, *values) in curves.items():
        for axis, value in zip(axes, values):
            axis.plot(value, 1000 * travel, label=f"{1000 * raised:+.0f} mm")
    for axis, name in zip(axes, ("camber in degrees", "toe in degrees", "motion ratio")):
        axis.set(xlabel=name)
    axes[0].set(ylabel="travel in mm")
    axes[1].legend(title="inner ball raised by")
    figure.savefig(sys.argv[1])

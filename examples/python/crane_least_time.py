"""Optimal control: a crane carries its load over 5 m in the least time that the force of its trolley allows.

    bin/koppel python examples/python/crane_least_time.py [picture.png]
"""

import sys

import numpy as np

import koppel as kp

# The trolley at s is pushed by F; the load hangs at the angle theta, on a cable of constant length.
crane = """
name: crane in least time
parameters: {M: 40, m: 60, l: 4, g: 9.81, T: 6}
inputs: [F]
coordinates: {s: 0, theta: 0}
kinetic: M*s'^2/2 + m/2*((s' + l*theta'*cos(theta))^2 + (l*theta'*sin(theta))^2)
potential: -m*g*l*cos(theta)
generalized_forces: {s: F}
outputs: {s: s, x: s + l*sin(theta), vx: "s' + l*theta'*cos(theta)", theta: theta, F: F}
events: {there: {when: t - T, stop: true}}     # the run ends at T, which is to be found
drawing:
  rail: {line: [[-1, 0.2], [6, 0.2]]}
  cable: {cable: [[s, 0], [s + l*sin(theta), -l*cos(theta)]]}
  trolley: {box: [s, 0], size: [0.6, 0.3]}
  load: {box: [s + l*sin(theta), -l*cos(theta) - 0.2], size: [0.5, 0.4]}
run: {end: 20}
"""
distance, largest, count = 5.0, 60.0, 41
M, m, l, g = 40, 60, 4, 9.81

# With small swings the way of the centre of mass is a double integrator, F/(M + m), and the swing an oscillator beside it.
# The force of least time is +F, -F, +F, -F, odd about the middle: switched at T/2 and sigma before and behind it, where
#   2 cos(w sigma) = 1 + cos(w T/2)          the swing is at rest in the end,
#   distance = F/(M + m) (T^2/4 - 2 sigma^2)   and the load has arrived.
w = np.sqrt(g / l * (M + m) / M)


def miss(T):
    sigma = np.arccos((1 + np.cos(w * T / 2)) / 2) / w
    return largest / (M + m) * (T**2 / 4 - 2 * sigma**2) - distance


low, high = 2 * np.sqrt(distance * (M + m) / largest), 4 * np.pi / w + 2 * np.sqrt(distance * (M + m) / largest)
for _ in range(60):
    middle = (low + high) / 2
    low, high = (middle, high) if miss(middle) < 0 else (low, middle)
bang_bang = high

# The force is linear between samples over the time T; samples and T are found together. At rest in the
# end, to 1 mm and 1 mm/s.
rest = [f"{what}:final {relation} {value}" for what, goal in (("s", distance), ("x", distance), ("s'", 0), ("vx", 0))
        for relation, value in ((">=", goal - 1e-3), ("<=", goal + 1e-3))]
guess = largest / 2 * np.sin(2 * np.pi * np.linspace(0, 1, count))


def fastest(*limits):
    return kp.Model.from_yaml(crane).optimize(
        minimize="there:time", over={"T": (3, 12), "F[*]": (-largest, largest)}, subject_to=[*rest, *limits],
        controls={"F": (guess, "T")}, evaluations=400, tolerance=1e-8)


def course(best):
    """Time, quantities over it."""
    model = kp.Model.from_yaml(crane)
    model.parameters["T"] = best.parameters["T"]
    samples = [best.parameters[f"F[{k}]"] for k in range(count)]
    return model.sensitivity(["s:final", "x:final", "theta:final", "F:final"], "T", controls={"F": (samples, "T")},
                             times=np.linspace(0, best.parameters["T"], 301)).course


found = {"any swing": fastest(), "swing within 0.1 rad": fastest("theta:max <= 0.1", "theta:min >= -0.1")}
for word, best in found.items():
    at_limit = sum(abs(best.parameters[f"F[{k}]"]) > 0.999 * largest for k in range(count))
    print(f"{word}: {best.value:.3f} s, {at_limit} of {count} samples of the force at its limit; "
          f"{best['evaluations']} runs, {best.end}")
print(f"switched at once, small swings: {bang_bang:.3f} s")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3))
    for word, best in found.items():
        run = course(best)
        for axis, name in zip(axes, ("x", "theta", "F")):
            axis.plot(run["t"], run[name], label=word)
    for axis, label in zip(axes, ("load in m", "swing in rad", "force in N")):
        axis.set(xlabel="t in s", ylabel=label)
    axes[1].legend(loc="upper left")
    figure.savefig(sys.argv[1])

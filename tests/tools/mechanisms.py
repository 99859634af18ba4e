"""Runs models by the program, the first argument of a test, and compares columns with functions of time. With what
closed forms are made of: rotations, triangles, and the equation of one freedom by Runge and Kutta's method."""

import csv
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
SETS = ("absolute", "joint", "natural", "directors")


def turn(axis, angle):
    """The rotation matrix, by rows [Rodrigues]."""
    n = math.sqrt(sum(a * a for a in axis))
    x, y, z = (a / n for a in axis)
    c, s = math.cos(angle), math.sin(angle)
    v = 1 - c
    return [[c + x * x * v, x * y * v - z * s, x * z * v + y * s],
            [y * x * v + z * s, c + y * y * v, y * z * v - x * s],
            [z * x * v - y * s, z * y * v + x * s, c + z * z * v]]


def follow(acceleration, angle, rate, times):
    """The angle of one freedom over time by Runge and Kutta's method, with 400 steps between times."""
    out = []
    for k, t in enumerate(times):
        if k > 0:
            h = (t - times[k - 1]) / 400
            for _ in range(400):
                a1 = acceleration(angle, rate)
                r2 = rate + h / 2 * a1
                a2 = acceleration(angle + h / 2 * rate, r2)
                r3 = rate + h / 2 * a2
                a3 = acceleration(angle + h / 2 * r2, r3)
                r4 = rate + h * a3
                a4 = acceleration(angle + h * r3, r4)
                angle += h / 6 * (rate + 2 * r2 + 2 * r3 + r4)
                rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        out.append(angle)
    return out


def meet(a, b, r, s, side):
    """The point at the distances r from a and s from b, on one side of the line between them."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    d = math.hypot(dx, dy)
    along = (r * r - s * s + d * d) / (2 * d)
    across = side * math.sqrt(r * r - along * along)
    return (a[0] + (along * dx - across * dy) / d, a[1] + (along * dy + across * dx) / d)


class Mechanisms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_model(self, text, *arguments, tolerance="1e-10"):
        """The columns of a run, lists of numbers by name."""
        self.write("model.yaml", text)
        result = subprocess.run([PROGRAM, "run", "model.yaml", "--out", "out", "--tol", tolerance, *arguments],
                                capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.folder / "out" / "trajectory.csv", newline="") as file:
            rows = list(csv.reader(file))
        return {column: [float(row[i]) for row in rows[1:]] for i, column in enumerate(rows[0])}

    def compare(self, text, reference, within=1e-7, sets=SETS):
        """Columns with functions of time, or lists; `within`: 1000 times the tolerance of 1e-10, or what is said."""
        for coordinates in sets:
            columns = self.run_model(text, "--coordinates", coordinates)
            for name, wanted in reference.items():
                for k, t in enumerate(columns["t"]):
                    value = wanted(t) if callable(wanted) else wanted[k]
                    self.assertLess(abs(columns[name][k] - value), within, f"{name} at t = {t}, {coordinates}")

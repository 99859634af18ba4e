"""Mechanisms beside their closed forms, in every coordinate set: linkages, gears, screws, wheels, cams, impacts, loads.
References are computed here: formulas, or the equation of the one freedom integrated by Runge and Kutta's method.
Usage: ... PROGRAM"""

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


class ClosedForms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def run_model(self, text, *arguments, name="model.yaml"):
        """The columns of a run, lists of numbers by name."""
        self.write(name, text)
        result = subprocess.run([PROGRAM, "run", name, "--out", "out", "--tol", "1e-10", *arguments],
                                capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(result.returncode, 0, result.stderr)
        with open(self.folder / "out" / "trajectory.csv", newline="") as file:
            rows = list(csv.reader(file))
        return {column: [float(row[i]) for row in rows[1:]] for i, column in enumerate(rows[0])}

    def compare(self, columns, reference, within):
        """Columns with functions of time; `within`: 1000 times the tolerance, by the sensitivity of the motion."""
        for name, function in reference.items():
            for t, value in zip(columns["t"], columns[name]):
                self.assertLess(abs(value - function(t)), within, f"{name} at t = {t}")

    # A file by itself, with gravity as seen from its frame, and the same file placed and turned.
    def test_sub_assemblies_take_forces_and_coordinates_along(self):
        part = """bodies:
  arm: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.4, 0, 0], points: {tip: [1, 0, 0]}}
  bob: {mass: 0.5, inertia: [0.01, 0.01, 0.01], position: [1, 0, 0], com: [0, 0, -0.3]}
joints:
  h: {type: revolute, between: [ground, arm], axis: [0, 1, 0]}
  u: {type: universal, between: [arm.tip, bob], axes: [[1, 0, 0], [0, 1, 0]]}
forces:
  push: {type: force, on: arm.tip, force: [0.3, 1, 0.5*arm.tip.z]}
  turn: {type: torque, on: bob, torque: [0.1, 0, 0.2]}
  wind: {type: effort, on: bob.x, effort: 0.3*t + bob.yaw}
initial: {"h.angle'": 1, h.angle: 20 deg}
outputs: {x: bob.x, y: bob.y, z: bob.z, yaw: bob.yaw, h: h.angle}
run: {end: 0.4, samples: 11}
"""
        R = turn([1, 2, 2], math.radians(70))
        gravity = [-9.81 * R[2][j] for j in range(3)]
        alone = self.run_model(f"gravity: {gravity}\n" + part)
        self.write("part.yaml", part)
        main = """gravity: [0, 0, -9.81]
include: {a: {file: part.yaml, position: [1, 2, 3], rotation: {axis: [1, 2, 2], angle: 70 deg}}}
outputs: {x: a.bob.x, y: a.bob.y, z: a.bob.z, h: a.h.angle}
run: {end: 0.4, samples: 11}
"""
        for coordinates in SETS:
            placed = self.run_model(main, "--coordinates", coordinates)
            for k in range(11):
                local = [alone[axis][k] for axis in "xyz"]
                for i, axis in enumerate("xyz"):
                    world = (1, 2, 3)[i] + sum(R[i][j] * local[j] for j in range(3))
                    self.assertAlmostEqual(placed[axis][k], world, delta=1e-8)
                self.assertAlmostEqual(placed["h"][k], alone["h"][k], delta=1e-8)

    def test_planar_sub_assemblies_take_angles_along(self):
        part = """dimension: 2
bodies: {rod: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {tip: [1, 0]}}}
joints: {p: {type: revolute, between: [ground, rod]}}
forces:
  push: {type: force, on: rod.tip, force: [0, -5 + rod.tip.x]}
  hold: {type: effort, on: rod.angle, effort: -2*rod.angle}
initial: {rod.angle: 0.3}
outputs: {angle: rod.angle}
run: {end: 0.4, samples: 11}
"""
        alone = self.run_model(part)
        self.write("part.yaml", part)
        main = """dimension: 2
include: {a: {file: part.yaml, position: [1, 2], angle: 50 deg}}
outputs: {angle: a.rod.angle, x: a.rod.tip.x}
run: {end: 0.4, samples: 11}
"""
        for coordinates in SETS:
            placed = self.run_model(main, "--coordinates", coordinates)
            for k in range(11):
                angle = alone["angle"][k] + math.radians(50)
                self.assertAlmostEqual(placed["angle"][k], angle, delta=1e-8)
                self.assertAlmostEqual(placed["x"][k], 1 + math.cos(angle), delta=1e-8)


if __name__ == "__main__":
    unittest.main()

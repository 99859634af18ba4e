"""Options of `run` do what they say: told by numbers of summary.json. Usage: ... PROGRAM"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))

PENDULUM = """dimension: 2
parameters: {m: 1}
gravity: [0, -9.81]
bodies:
  rod: {mass: m, shape: {rod: {from: [0, 0], to: [0, -1]}}, points: {tip: [0, -1]}}
joints:
  hinge: {type: revolute, between: [ground, rod]}
initial: {hinge.angle: 1}
outputs: {x: rod.tip.x, m: m}
run: {end: 2, step: 0.01, integrator: rk4}
"""


class RunOptions(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "pendulum.yaml").write_text(PENDULUM)

    def run_it(self, *arguments, status=0):
        """The summary of a run, which ends with this code."""
        result = subprocess.run([PROGRAM, "run", "pendulum.yaml", "--json", *arguments],
                                cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(result.returncode, status, result.stderr)
        return json.loads(result.stdout)

    def test_projection_none_once_and_full(self):
        def violation(projection):
            return self.run_it("--coordinates", "natural", "--formulation", "index1", "--step", "0.1",
                               "--projection", projection, "--health", "off")["max_position_violation"]
        none, once, full = violation("none"), violation("once"), violation("full")
        # One step of Newton's method squares what drifts in a step; all of them end at round-off.
        self.assertGreater(none, 1e-4)
        self.assertLess(once, 1e-6)
        self.assertGreater(once, 1e-13)
        self.assertLess(full, 1e-14)

    def test_the_model_gives_the_step_unless_the_command_line_gives_another_or_a_tolerance(self):
        self.assertEqual(self.run_it()["step"], 0.01)
        self.assertEqual(self.run_it()["steps"], 200)
        self.assertEqual(self.run_it("--step", "0.02")["steps"], 100)
        adaptive = self.run_it("--tol", "1e-6", "--integrator", "dop853")
        self.assertEqual((adaptive["step"], adaptive["tolerance"]), (None, 1e-6))
        self.assertLess(adaptive["steps"], 100)
        both = self.run_it("--tol", "1e-6", "--step", "0.02")
        self.assertEqual(both["steps"], 100)

    def test_doubtful_results_end_with_2_unless_limits_are_loosened_or_off(self):
        lossy = ("--integrator", "implicit-euler", "--coordinates", "joint", "--end", "10")
        doubtful = self.run_it(*lossy, status=2)
        self.assertEqual(doubtful["status"], "doubtful")
        self.assertEqual(doubtful["reached"], 10)
        self.assertEqual(self.run_it(*lossy, "--health", "1000")["health"]["state"], "good")
        self.assertEqual(self.run_it(*lossy, "--health", "off")["health"]["state"], "unwatched")
        # The limits of a good run, made tighter by a factor below 1.
        self.run_it("--step", "0.05", "--health", "1e-9", status=2)

    def test_values_that_are_set_may_hold_an_equals_sign(self):
        self.assertEqual(self.run_it("--set", "m=select(1 <= 2, 3, 4)")["final"]["m"], 3)

    def test_the_final_values_are_those_of_the_last_row(self):
        summary = self.run_it("--samples", "11")
        rows = (self.folder / "pendulum-run" / "trajectory.csv").read_text().splitlines()
        last = dict(zip(rows[0].split(","), map(float, rows[-1].split(","))))
        self.assertEqual(len(rows), 12)
        self.assertEqual(last["t"], 2)
        self.assertEqual(summary["final"]["x"], last["x"])
        self.assertNotEqual(float(rows[1].split(",")[1]), last["x"])


if __name__ == "__main__":
    unittest.main()

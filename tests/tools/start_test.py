"""Starts on the command line: what is refused, what is told, and models that once crashed.
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

SLIDER_CRANK = """dimension: 2
bodies:
  crank: {mass: 1, shape: {rod: {to: [0.2, 0]}}, points: {A: [0.2, 0]}, angle: 30 deg}
  rod: {mass: 2, shape: {rod: {to: [0.5, 0]}}, points: {B: [0.5, 0]}, position: [0.17, 0.1],
        angle: -10 deg}
  slider: {mass: 0.5, inertia: 0.001, position: [0.66, 0.01]}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, rod]}
  slide: {type: prismatic, between: [ground, slider], axis: [1, 0]}
  B: {type: revolute, between: [rod.B, slider]}
outputs: {crank: O.angle}
run: {end: 0.1, samples: 3}
"""

STATES = """states: {z: {rate: -2*z, start: 3}}
outputs: {z: z}
run: {end: 1, samples: 3}
"""


class Start(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def koppel(self, command, text, *arguments):
        (self.folder / "model.yaml").write_text(text)
        result = subprocess.run([PROGRAM, command, "model.yaml", *arguments], capture_output=True,
                                text=True, cwd=self.folder)
        return result.returncode, result.stdout, result.stderr

    def last_row(self, folder="out"):
        with open(self.folder / folder / "trajectory.csv", newline="") as file:
            rows = list(csv.reader(file))
        return dict(zip(rows[0], map(float, rows[-1])))

    def test_moves_are_told(self):
        for coordinates in ("joint", "absolute", "natural"):
            status, _, messages = self.koppel("run", SLIDER_CRANK + "initial: {O.angle: 30 deg}\n",
                                              "--coordinates", coordinates, "--out", "out")
            self.assertEqual(status, 0, messages)
            self.assertIn("start: body 'rod' turned by 0.0268 rad from where it was expected, so "
                          "that the constraints hold.", messages)

    def test_initial_values_that_cannot_be_met_are_errors(self):
        text = SLIDER_CRANK + "initial: {O.angle: 0, slide.position: 0.65}\n"
        for coordinates in ("joint", "absolute", "natural", "directors"):
            status, _, messages = self.koppel("run", text, "--coordinates", coordinates)
            self.assertEqual(status, 1)
            self.assertEqual(
                messages, "model.yaml:14:23: error[assembly.impossible]: the initial value of 'slide.position' cannot "
                "be met: with the constraints and the initial values before it, it stays off by "
                "0.05. Correct it, or mark it as a wish: {value: …, wish: true}.\n")

    def test_rates_that_a_dead_point_forbids_name_it(self):
        # Crank and rod in line: the slider is at the end of its stroke.
        text = SLIDER_CRANK.replace("angle: 30 deg}", "angle: 0}").replace("position: [0.17, 0.1]", "position: [0.2, 0]")
        text = text.replace("angle: -10 deg", "angle: 0").replace("[0.66, 0.01]", "[0.7, 0]")
        text += "initial: {\"slide.position'\": 1}\n"
        for coordinates in ("joint", "absolute", "natural", "directors"):
            for command in ("run", "check"):
                status, out, messages = self.koppel(command, text, "--coordinates", coordinates)
                self.assertEqual(status, 1, messages)
                self.assertIn("The start is a dead point of 'slide.position', which no motion changes there: 'crank' "
                              "and 'rod' are in line. Start beside it, or give the rate of another quantity.",
                              " ".join((out + messages).split()))

    def test_freedoms_that_move_no_mass_are_told_in_all_coordinates(self):
        text = """dimension: 2
bodies:
  cart: {mass: 2, inertia: 1}
  eye: {mass: 0, inertia: 0, position: [1, 0]}
joints:
  rail: {type: prismatic, between: [ground, cart], axis: [1, 0]}
  slide: {type: prismatic, between: [ground, eye], axis: [1, 0]}
forces: {pull: {type: spring, between: [cart, eye], stiffness: 100, free_length: 1}}
"""
        for coordinates in ("joint", "absolute", "natural", "directors"):
            status, _, messages = self.koppel("run", text, "--coordinates", coordinates)
            self.assertEqual(status, 1, messages)
            self.assertIn("error[simulate.massless]: the mass matrix is singular along an unconstrained direction: nothing "
                          "determines the acceleration of", messages)

    def refusal(self, command, text, *arguments):
        status, _, messages = self.koppel(command, text, *arguments)
        self.assertEqual(status, 1, messages)
        return messages

    def test_errors_that_the_equations_find_have_the_place_of_what_they_name(self):
        far = SLIDER_CRANK.replace("  slider: {mass: 0.5, inertia: 0.001, position: [0.66, 0.01]}\n",
                                   "  ground: {points: {E: [3, 0]}}\n")
        far = far.replace("  slide: {type: prismatic, between: [ground, slider], axis: [1, 0]}\n", "")
        far = far.replace("[rod.B, slider]", "[rod.B, ground.E]")
        self.assertEqual(self.refusal("check", far),
                         "model.yaml:9:3: error[assembly.impossible]: loop 'A' cannot close: the rods reach "
                         "0.7 m, the pivots are 3 m apart.\n")
        rate = SLIDER_CRANK + "initial:\n  O.angle': 1\n  slide.position': 5\n"
        self.assertRegex(self.refusal("run", rate), r"^model.yaml:16:3: error\[assembly.impossible\]: "
                         r"the initial value of 'slide.position'' cannot be met: ")
        time = ("bodies:\n  ground: {points: {D: [1, 0, 0]}}\n  b: {mass: 1, inertia: [1, 1, 1]}\n"
                "constraints:\n  clock: ground.D.x - 1 + sin(t)\n")
        self.assertEqual(self.refusal("check", time),
                         "model.yaml:5:3: error[equations.contradiction]: 'clock' cannot be satisfied by any "
                         "motion: it is off by 0.361615 at t = 0.37 s.\n  Check the points and axes of 'clock'.\n")
        light = ("bodies:\n  b: {mass: 1, inertia: [1, 1, 1]}\n  c: {mass: 0, inertia: [0, 0, 0]}\n"
                 "joints:\n  j: {type: spherical, between: [ground, b]}\n"
                 "  k: {type: revolute, between: [b, c], axis: [1, 0, 0]}\n")
        self.assertRegex(self.refusal("run", light, "--coordinates", "joint"),
                         r"^model.yaml:6:3: error\[simulate.massless\]: .* of 'k.angle'\.\n")

    def test_errors_about_options_have_no_place_in_a_model_that_uses_the_same_names(self):
        text = SLIDER_CRANK.replace("rod:", "ggl:").replace("[crank.A, rod]", "[crank.A, ggl]")
        text = text.replace("rod.B", "ggl.B").replace("shape: {ggl:", "shape: {rod:")
        self.assertRegex(self.refusal("run", text, "--formulation", "ggl", "--integrator", "dop853"),
                         r"(?m)^error\[simulate.wrong-pair\]: integrator 'dop853' needs a right-hand side; ")

    def test_wishes_that_are_missed_are_told(self):
        text = SLIDER_CRANK + "initial: {O.angle: 0, slide.position: {value: 0.65, wish: true}}\n"
        status, _, messages = self.koppel("run", text, "--out", "out")
        self.assertEqual(status, 0, messages)
        self.assertIn("start: the wish for 'slide.position' is missed by 0.05.", messages)

    def test_what_check_refuses_is_refused_by_run(self):
        text = """dimension: 2
bodies: {rod: {mass: 1, shape: {rod: {to: [1, 0]}}}}
joints:
  a: {type: revolute, between: [ground, rod]}
  b: {type: revolute, between: [{ground: [1.5, 0]}, {rod: [1, 0]}]}
"""
        for coordinates in ("joint", "absolute", "natural", "directors"):
            self.assertEqual(self.koppel("check", text, "--coordinates", coordinates)[0], 1)
            self.assertEqual(self.koppel("run", text, "--coordinates", coordinates)[0], 1)

    def test_a_model_of_states_alone(self):
        status, _, messages = self.koppel("run", STATES, "--out", "out")
        self.assertEqual(status, 0, messages)
        self.assertAlmostEqual(self.last_row()["z"], 3 * math.exp(-2), delta=1e-8)
        for command, *arguments in (("compare", "--out", "other"), ("check",),
                                    ("export", "--to", "c", "--step", "1e-3", "--out", "c"),
                                    ("live", "--end", "0.02", "--step", "1e-3")):
            status, _, messages = self.koppel(command, STATES, *arguments)
            self.assertIn(status, (0, 1), f"{command}: {messages}")
            if status == 1:
                self.assertIn("error[", messages, command)

    def test_a_massless_link_of_a_robot(self):
        (self.folder / "robot.urdf").write_text("""<robot name="r">
<link name="base"/>
<link name="arm"><inertial><mass value="1"/><origin xyz="0.5 0 0"/>
  <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="tool"/>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/>
  <axis xyz="0 1 0"/></joint>
<joint name="wrist" type="continuous"><parent link="arm"/><child link="tool"/>
  <origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
</robot>
""")
        status, _, messages = self.koppel(
            "run", "gravity: [0, 0, -9.81]\ninclude: {r: {urdf: robot.urdf}}\nrun: {end: 1}\n",
            "--coordinates", "joint")
        self.assertEqual(status, 1, messages)
        self.assertIn("error[simulate.massless]: the mass matrix is singular along an unconstrained "
                      "direction: nothing determines the acceleration of 'r.wrist.angle'.", messages)

    def test_lines_that_have_no_volume(self):
        text = """dimension: 2
bodies:
  b: {mass: 1, inertia: 0.1, com: [0.5, 0], shape: [{rod: {to: [1, 0]}}, {rod: {to: [0, 1]}}]}
joints: {p: {type: revolute, between: [ground, b]}}
run: {end: 0.1}
"""
        status, _, messages = self.koppel("run", text, "--out", "out")
        self.assertEqual((status, "not a finite number" in messages), (0, False), messages)
        status, _, messages = self.koppel("run", text.replace(" com: [0.5, 0],", ""))
        self.assertEqual(status, 1)
        self.assertIn("model.yaml:3:3: error[model.missing-inertia]: body 'b' has several shapes, "
                      "some without volume; its mass cannot be spread over them.", messages)

    def test_cables_of_a_crane_with_bodies(self):
        text = """dimension: 2
parameters: {T: 3}
gravity: [0, -9.81]
inputs: [F, W]
bodies:
  trolley: {mass: 10, inertia: 1}
  load: {point_mass: 100, position: [0, -4]}
joints: {rail: {type: prismatic, between: [ground, trolley], axis: [1, 0]}}
coordinates: {l: 4}
kinetic: 5*l'^2
generalized_forces: {l: W}
forces: {drive: {type: force, on: trolley, force: [F, 0]}}
constraints: {cable: {value: "((load.x - trolley.x)^2 + load.y^2 - l^2)/2", pulls: true}}
signals: {c: {type: rest-to-rest, duration: T, smoothness: 4}}
servo:
  x: {output: load.x, reference: 5*c}
  y: {output: load.y, reference: -4 + 3*c}
positive: {cable: l}
outputs: {s: trolley.x, l: l}
run: {end: 3, samples: 31}
"""
        inputs = {}
        for coordinates in ("joint", "absolute", "natural"):
            status, _, messages = self.koppel("inverse", text, "--coordinates", coordinates,
                                              "--method", "projection", "--step", "0.001", "--out",
                                              coordinates)
            self.assertEqual(status, 0, coordinates + messages)
            with open(self.folder / coordinates / "inputs.csv", newline="") as file:
                inputs[coordinates] = [list(map(float, row)) for row in list(csv.reader(file))[1:]]
        for coordinates in ("absolute", "natural"):
            for row, other in zip(inputs["joint"], inputs[coordinates]):
                for a, b in zip(row, other):
                    self.assertAlmostEqual(a, b, delta=1e-3 * max(1, abs(a)))


if __name__ == "__main__":
    unittest.main()

"""Mechanisms whose numbers are delicate: joints that agree to round-off, forces that sleep, multipliers that change faster
than the motion, constraints that fade, motions of hours. Beside closed forms, or the same mechanism described otherwise.
Usage: ... PROGRAM"""

import math
import subprocess
import unittest

from mechanisms import PROGRAM, SETS, Mechanisms, follow, turn


class Delicate(Mechanisms):
    # Shafts on two bearings, sliders on two rails and loops in an oblique plane: what the second joint says again is
    # round-off of its numbers, or of digits that were left out. Beside one joint, and the mechanism in the plane.
    def test_joints_that_agree_to_round_off_repeat_each_other(self):
        def text(axis, second, digits):
            numbers = lambda v: "[" + ", ".join(repr(round(x, digits)) for x in v) + "]"
            places = [[0.3, -0.2, 0.1], [0.3 + 0.7 * axis[0], -0.2 + 0.7 * axis[1], 0.1 + 0.7 * axis[2]]]
            joints = "".join(f"  h{i}: {{type: revolute, between: [ground, s], at: {numbers(p)}, axis: {numbers(axis)}}}\n"
                             for i, p in enumerate(places[:2 if second else 1]))
            return ("gravity: [0, 0, -9.81]\nbodies: {s: {mass: 2, inertia: [0.3, 0.2, 0.4], com: [0.5, 0.6, -0.3]}}\n"
                    f"joints:\n{joints}outputs: {{a: h0.angle}}\nrun: {{end: 0.5, samples: 3}}\n")
        for k in range(6):
            axis = [math.sin(1 + 3 * k), math.cos(2 * k), math.sin(5 * k) - 0.4]
            n = math.sqrt(sum(a * a for a in axis))
            axis = [a / n for a in axis]
            for digits in (16, 12, 9):
                alone = self.run_model(text(axis, False, digits))["a"][-1]
                for method in ([], ["--integrator", "radau5"], ["--coordinates", "joint"], ["--coordinates", "absolute"]):
                    both = self.run_model(text(axis, True, digits), *method)["a"][-1]
                    self.assertLess(abs(both - alone), 1e-6, f"{axis}, {digits} digits, {method}")

    def test_planar_loops_in_an_oblique_plane(self):
        def crank(R):
            world = lambda x, y: "[" + ", ".join(repr(R[i][0] * x + R[i][1] * y) for i in range(3)) + "]"
            axis = "[" + ", ".join(repr(R[i][2]) for i in range(3)) + "]"
            q = [math.cos(0.7), math.sin(0.7)]
            end = 0.3 * q[0] + math.sqrt(0.8**2 - (0.3 * q[1])**2)
            return f"""gravity: {world(0, -9.81)}
bodies:
  crank: {{mass: 1, inertia: [0.1, 0.1, 0.1], com: {world(0.15 * q[0], 0.15 * q[1])}}}
  rod: {{mass: 1, inertia: [0.1, 0.1, 0.1], com: {world((0.3 * q[0] + end) / 2, 0.15 * q[1])}}}
  block: {{mass: 1, inertia: [0.1, 0.1, 0.1], com: {world(end, 0)}}}
joints:
  a: {{type: revolute, between: [ground, crank], axis: {axis}}}
  b: {{type: revolute, between: [crank, rod], at: {world(0.3 * q[0], 0.3 * q[1])}, axis: {axis}}}
  c: {{type: revolute, between: [rod, block], at: {world(end, 0)}, axis: {axis}}}
  d: {{type: prismatic, between: [ground, block], at: {world(end, 0)}, axis: {world(1, 0)}}}
outputs: {{q: a.angle}}
run: {{end: 0.5, samples: 3}}
"""
        upright = self.run_model(crank([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))["q"][-1]
        for k in range(4):
            R = turn([math.sin(k + 1), math.cos(3 * k), 0.5], 1 + k)
            for method in ([], ["--integrator", "radau5"], ["--coordinates", "joint"]):
                self.assertLess(abs(self.run_model(crank(R), *method)["q"][-1] - upright), 1e-6, f"{R}, {method}")

    # The door has to swing by 0.6 rad and its closer to be put in; drawn straight to the nearest closed place in natural
    # coordinates, the door would be its mirror image. Beside the other sets.
    def test_bodies_are_not_drawn_through_a_plane_when_gaps_close(self):
        text = """gravity: [0, 0, -9.81]
bodies:
  door: {mass: 20, shape: {box: {size: [0.9, 0.04, 2], at: [0.45, 0, 1]}}, points: {arm: [0.4, 0.1, 2]}}
  bar: {mass: 0.5, shape: {rod: {to: [0.5, 0, 0], radius: 0.02}}, points: {e: [0.5, 0, 0]}, position: [0.4, 0.1, 2],
        rotation: {axis: [0, 0, 1], angle: 60 deg}}
joints:
  hinge: {type: revolute, between: [ground, door], axis: [0.05, 0, 1]}
  pin: {type: spherical, between: [door.arm, bar]}
  slot: {type: point-on-line, between: [{ground: [0, 0.55, 2]}, bar.e], axis: [1, 0, 0]}
forces: {closer: {type: torsion, joint: hinge, stiffness: 8, damping: 3}}
initial: {hinge.angle: 0.6}
outputs: {a: hinge.angle, x: bar.e.x}
run: {end: 4, samples: 5}
"""
        ends = [[columns[name][-1] for name in ("a", "x")]
                for columns in (self.run_model(text, "--coordinates", c) for c in SETS)]
        for end in ends[1:]:
            self.assertLess(max(abs(p - q) for p, q in zip(end, ends[0])), 1e-7)

    # A satellite is back after Kepler's period. Steps are minutes long: their errors must not grow with them.
    def test_slow_motions_are_as_accurate_as_fast_ones(self):
        GM, r, speed = 3.986004418e14, 7e6, 9000.0
        a = 1 / (2 / r - speed**2 / GM)
        period = 2 * math.pi * math.sqrt(a**3 / GM)
        text = f"""dimension: 2
parameters: {{GM: {GM}}}
bodies: {{s: {{point_mass: 500, position: [{r}, 0]}}}}
forces:
  g: {{type: force, on: s, force: ["-GM*500*s.x/(s.x^2 + s.y^2)^1.5", "-GM*500*s.y/(s.x^2 + s.y^2)^1.5"]}}
initial: {{"s.y'": {speed}}}
outputs: {{x: s.x, y: s.y}}
run: {{end: {period!r}, samples: 2}}
"""
        for tolerance in ("1e-8", "1e-10"):
            for integrator in ("taylor", "dop853", "radau5"):
                columns = self.run_model(text, "--integrator", integrator, tolerance=tolerance)
                off = math.hypot(columns["x"][-1] - r, columns["y"][-1])
                self.assertLess(off, 100 * float(tolerance) * r, f"{integrator}, {tolerance}: {off} m")

    # A rotor without mass to speak of, as reflected inertia is written, says nothing of how large other bodies are: the
    # pin in the slot is 5 mm from its axis, and the lever turns with the crank.
    def test_small_cranks_beside_token_masses_keep_their_joints(self):
        text = """dimension: 2
bodies:
  crank: {mass: 1, inertia: 0.01, points: {pin: [0.005, 0]}}
  lever: {mass: 1, inertia: 0.02}
  rotor: {mass: 1e-12, inertia: 1, position: [1, 0]}
joints:
  b1: {type: revolute, between: [ground, crank]}
  b2: {type: revolute, between: [ground, lever]}
  slot: {type: point-on-line, between: [lever, crank.pin], axis: [1, 0]}
  b3: {type: revolute, between: [{ground: [1, 0]}, rotor]}
initial: {"b1.angle'": 2}
outputs: {a: b1.angle, b: b2.angle}
run: {end: 3, samples: 4}
"""
        self.compare(text, {"a": lambda t: 2 * t, "b": lambda t: 2 * t})

    # Far from standstill tanh(rate/0.01) is 1 to the last bit, and a series does not see the reversal coming.
    def test_friction_reverses_with_the_motion(self):
        text = """dimension: 2
gravity: [0, -9.81]
bodies: {rod: {mass: 1, shape: {rod: {to: [1, 0]}}}}
joints: {hinge: {type: revolute, between: [ground, rod]}}
forces: {fr: {type: friction, joint: hinge, torque: 0.1, velocity: 0.01}}
initial: {hinge.angle: 0.5}
outputs: {a: hinge.angle}
run: {end: 3, samples: 31}
"""
        J = 1 / 3
        right = follow(lambda a, w: (-9.81 / 2 * math.cos(a) - 0.1 * math.tanh(w / 0.01)) / J, 0.5, 0, [0.1 * k for k in range(31)])
        self.compare(text, {"a": right}, within=1e-6)

    # Forces that sleep at the start, as those of a tyre above the road, may take energy later.
    def test_a_wheel_that_falls_on_its_tyre_is_not_doubtful(self):
        text = """gravity: [0, 0, -9.81]
bodies: {wheel: {mass: 20, inertia: [0.6, 1.1, 0.6], position: [0, 0, 1]}}
forces:
  tyre: {type: tyre, on: wheel, axis: [0, 1, 0], radius: 0.3, stiffness: 2e5, damping: 200, friction: 0.9, slip_stiffness: [20, 14]}
initial: {"wheel.x'": 5}
outputs: {z: wheel.z}
run: {end: 1, samples: 11}
"""
        fall = self.run_model(text)["z"]  # and its exit code is 0
        self.assertLess(abs(fall[3] - (1 - 9.81 * 0.09 / 2)), 1e-6)

    # In Bennett's linkage three equations are redundant all along, and which may be left out changes on the way. Its
    # opposite angles are equal and opposite.
    def test_other_constraints_are_left_out_where_the_kept_ones_fade(self):
        text = """gravity: [0.3,-0.5,-9.81]
bodies:
  L1: {mass: 1.1, inertia: [0.02,0.03,0.025], position: [0.2701511529340698,0.42073549240394825,0.0]}
  L2: {mass: 1.2, inertia: [0.02,0.03,0.025], position: [0.010267990241131675,0.3634075716457699,0.15750716778737878]}
  L3: {mass: 1.3, inertia: [0.02,0.03,0.025], position: [-0.9908342627337099,-0.0573279207581783,0.15750716778737867]}
joints:
  j0: {type: revolute, between: [ground, L1], at: [0.0,0.0,0.0], axis: [0.0,0.0,1.0]}
  j1: {type: revolute, between: [L1, L2], at: [0.5403023058681397,0.8414709848078965,0.0], axis: [0.540887122945246,-0.34729962769710687,0.7660444431189782]}
  j2: {type: revolute, between: [L2, L3], at: [-0.5197663253858763,-0.11465584151635666,0.31501433557475755], axis: [-0.21548249640583808,0.5127212144522731,0.8310741543287785]}
  j3: {type: revolute, between: [ground, L3], at: [-1.4619022000815436,5.551115123125783e-17,-2.220446049250313e-16], axis: [-5.551115123125783e-17,0.9396926207859084,0.34202014332566905]}
outputs: {q0: j0.angle, q1: j1.angle, q2: j2.angle}
run: {end: 3, samples: 7}
"""
        right = self.run_model(text)["q0"]
        for method in (["--integrator", "dop853"], ["--integrator", "dop853", "--coordinates", "joint"],
                       ["--integrator", "dop853", "--coordinates", "absolute"],
                       ["--integrator", "radau5", "--coordinates", "natural"]):
            columns = self.run_model(text, *method)
            for k, q in enumerate(right):
                self.assertLess(abs(columns["q0"][k] - q), 1e-6, method)
                self.assertLess(abs(columns["q2"][k] + columns["q0"][k]), 1e-6, method)

    def test_what_cannot_move_says_so(self):
        self.write("door.yaml", """gravity: [0, -9.81, 0]
bodies: {door: {mass: 20, inertia: [5, 4, 1], com: [0.4, 0, 1]}}
joints:
  h1: {type: revolute, between: [ground, door], at: [0, 0, 0.2], axis: [0, 0, 1]}
  h2: {type: revolute, between: [ground, door], at: [1e-6, 0, 1], axis: [0, 0, 1]}
""")
        result = subprocess.run([PROGRAM, "run", "door.yaml", "--out", "out", "--end", "1"], capture_output=True, text=True,
                                cwd=self.folder)
        self.assertIn("nothing can move", " ".join(result.stderr.split()))

    # A load that falls on the cable of a drum moves along a parabola, which series follow in one step. The multiplier of
    # the cable, T/l of its length, is a series that converges up to |t| = 1.1 s only.
    def test_multipliers_are_right_within_long_steps(self):
        text = """dimension: 2
gravity: [0, -9.81]
bodies:
  drum: {mass: 3, inertia: 0.02, com: [0, 0]}
  load: {point_mass: 10, position: [0, -5]}
joints: {axle: {type: revolute, between: [ground, drum]}}
constraints: {cable: {value: (load.x^2 + load.y^2 - (5 + 0.1*drum.angle)^2)/2, pulls: true}}
run: {end: 4, samples: 41}
"""
        fall = 9.81 * 10 / (10 + 0.02 / 0.1**2)
        length = lambda t: 5 + fall * t * t / 2
        tension = 10 * (9.81 - fall)
        self.compare(text, {"load.com.y": lambda t: -length(t), "lambda.cable": lambda t: tension / length(t)})


if __name__ == "__main__":
    unittest.main()

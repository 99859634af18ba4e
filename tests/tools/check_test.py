"""What `koppel check` says about models of the literature. Usage: ... PROGRAM MODELS"""

import json
import math
import os
import subprocess
import sys
import unittest

MODELS = sys.argv.pop(2)
PROGRAM = sys.argv.pop(1)


def check(model, *arguments):
    result = subprocess.run([PROGRAM, "check", f"{MODELS}/{model}.yaml", *arguments],
                            capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, ""), result.stderr
    return result.stdout


def findings(model, *arguments):
    return json.loads(check(model, "--json", *arguments))


# Degrees of freedom and index (of the servo problem where there is one), by counting.
KNOWN = {
    "andrews": (1, 3), "bricard": (1, 3), "cable_manipulator": (10, 5),
    "cable_robot": (6, 3), "cable_robot_planar": (3, 3), "car_axle": (2, 3),
    "chain": (10, 3), "circular_track": (1, 3), "copy_machine": (2, 3), "double_pendulum": (2, 3),
    "five_link": (2, 3), "five_link_road": (2, 3), "flyball_governor": (4, 3), "flyball_governor_symmetric": (3, 3),
    "four_bar": (1, 3), "heavy_top": (3, 3), "mass_chain": (2, 5), "mass_on_car": (2, 3),
    "mcpherson": (2, 3), "mcpherson_planar": (2, 3), "passive_arm": (2, 3), "navy_crane_2d": (4, 5),
    "navy_crane_2d_massless": (4, 5), "navy_crane_3d": (7, 7), "navy_crane_3d_massless": (7, 5),
    "overhead_crane": (3, 5), "overhead_crane_minimal": (3, 5), "rotary_crane_bodies": (5, 5),
    "rotary_crane_minimal": (5, 5), "rotary_crane_winches": (5, 5), "pendulum": (1, 3), "robot": (6, 3), "rolling_disc": (3, 3),
    "rotary_crane": (5, 5), "rotary_crane_released": (5, 3), "squeezer": (1, 3),
    "driven_sphere": (3, 3), "slider_crank": (1, 3), "slider_crank_minimal": (1, 0),
    "slider_crank_reversed": (1, 3),
    "stewart_platform": (12, 3), "vehicle_trailer": (21, 3), "whipple_bicycle": (3, 3),
}


class Check(unittest.TestCase):
    def test_every_model_has_its_known_freedoms_and_index(self):
        files = {f[:-5] for f in os.listdir(MODELS) if f.endswith(".yaml")}
        self.assertEqual(files, set(KNOWN))
        for model, known in KNOWN.items():
            with self.subTest(model):
                found = findings(model)
                self.assertEqual((found["dof"], found["index"]), known)

    def test_one_equation_of_bricard_repeats_the_others(self):
        self.assertEqual(len(findings("bricard")["redundant"]), 1)

    def test_spins_of_the_stewart_platform_are_named(self):
        found = findings("stewart_platform")
        self.assertEqual(found["dof"], 12)
        self.assertEqual([f["bodies"] for f in found["local_freedoms"]],
                         [[f"lower[{i}]", f"upper[{i}]"] for i in range(1, 7)])
        self.assertIn("'lower[1]' (with 'upper[1]') can spin about its own axis.",
                      check("stewart_platform"))

    def test_pendulum_hangs_and_swings_with_its_frequency(self):
        found = findings("pendulum", "--statics", "--modes")
        self.assertTrue(found["statics"]["found"])
        self.assertAlmostEqual(found["statics"]["outputs"]["y"], -1, places=9)
        (mode,) = found["modes"]["list"]
        self.assertTrue(found["modes"]["in_equilibrium"])
        self.assertAlmostEqual(mode["frequency"], math.sqrt(9.81) / (2 * math.pi), places=9)
        self.assertAlmostEqual(mode["damping_ratio"], 0, places=9)
        text = check("pendulum", "--statics", "--modes")
        self.assertIn("0.498488", text)

    def test_modes_of_a_bicycle_at_speed_are_those_of_its_steady_motion(self):
        # Meijaard et al. 2007: v = 5 m/s.
        published = [complex(-0.77534188219585, 4.46486771378823), complex(-0.32286642900409, 0),
                     complex(-14.07838969279822, 0)]
        for arguments in [], ["--at", "steady"]:
            modes = findings("whipple_bicycle", "--modes", *arguments)["modes"]
            self.assertEqual((modes["about"], modes["in_equilibrium"], modes["found"]),
                             ("steady", False, True))
            self.assertEqual((modes["zero_eigenvalues"], modes["coordinates"]), (6, "joint"))
            found = [complex(*mode["eigenvalue"]) for mode in modes["list"]]
            self.assertEqual(len(found), 3)
            for value in published:
                self.assertLess(min(abs(z - value) for z in found), 1e-10 * max(1, abs(value)))
        text = " ".join(check("whipple_bicycle", "--modes").split())
        self.assertIn("of small motions about the steady motion of the start.", text)
        self.assertIn("6 eigenvalues are zero: nothing depends on where these motions are.", text)

    def test_modes_of_rest_and_of_a_start_at_rest(self):
        modes = findings("whipple_bicycle", "--modes", "--set", "v=0")["modes"]
        self.assertEqual((modes["about"], modes["in_equilibrium"]), ("rest", True))
        found = sorted(mode["eigenvalue"][0] for mode in modes["list"])
        for value, known in zip(found, [-5.530943717653934, -3.131643247906556,
                                        3.131643247906556, 5.530943717653934]):
            self.assertAlmostEqual(value, known, places=9)

    def test_modes_of_a_motion_that_is_not_steady_are_refused(self):
        result = subprocess.run([PROGRAM, "check", f"{MODELS}/rolling_disc.yaml", "--modes", "--json"],
                                capture_output=True, text=True)
        modes = json.loads(result.stdout)["modes"]
        self.assertEqual((result.returncode, modes["found"], modes["in_equilibrium"], modes["list"]),
                         (2, False, False, []))
        self.assertRegex(
            modes["text"],
            r"none: the motion of the start is not steady \(in joint coordinates\): velocities are "
            r"constant, but the linearised equations are different [0-9.]+ s later\. --at rest "
            r"gives the modes of the equilibrium near it, --at periodic those of a periodic motion\.")
        self.assertEqual(result.stderr, "no modes were found; see above.\n")

    def test_windows_are_singular_where_all_rods_are_in_line(self):
        motion = findings("four_bar", "--motion")["motion"]
        self.assertEqual((motion["driven"], motion["complete"]), (False, True))
        at = [place["at"] for place in motion["singular"]]
        self.assertEqual(len(at), 2)
        # The length counts the way of the uprights' ends, to the steps' second order.
        self.assertAlmostEqual(at[0], math.pi / 2, delta=1e-2)
        self.assertAlmostEqual(at[1], 3 * math.pi / 2, delta=1e-2)

    def test_motion_of_several_freedoms_is_not_followed(self):
        self.assertIn("the mechanism has 2 freedoms", check("double_pendulum", "--motion"))

    def test_large_models_are_checked_too(self):
        self.assertEqual(findings("chain", "--set", "n=1000")["dof"], 1000)
        self.assertEqual(findings("four_bar", "--set", "N=300")["dof"], 1)

    # The worked example of Pryce 2001: x" + x lambda, y" + y lambda - g, x^2 + y^2 - L^2.
    def test_structure_of_the_pendulum_is_that_of_the_literature(self):
        found = findings("pendulum", "--structure", "--coordinates", "natural")["structure"]
        self.assertEqual(list(found), ["forward"])
        s = found["forward"]
        x, y = "bob.com.x", "bob.com.y"
        length = "lambda of bar.length"
        self.assertEqual([row["orders"] for row in s["equations"]],
                         [{x: 2, length: 0}, {y: 2, length: 0}, {x: 0, y: 0}])
        self.assertEqual([row["c"] for row in s["equations"]], [0, 0, 2])
        self.assertEqual([(u["name"], u["d"]) for u in s["unknowns"]],
                         [(x, 2), (y, 2), (length, 0)])
        self.assertEqual((s["structural_index"], s["degrees_of_freedom"]), (3, 2))
        self.assertEqual(s["needed"], [x, x + "'", y, y + "'"])
        # It starts level, at x = -1: there y is free, and x follows from the length.
        self.assertEqual(s["free"], [y, y + "'"])
        self.assertTrue(s["jacobian"]["regular"])

    # Differentiated four times, the prescribed path gives the inputs of a crane [Yang 2017, 4.4.1].
    def test_structure_of_a_crane_has_its_references_differentiated_four_times(self):
        found = findings("overhead_crane", "--structure")["structure"]
        offsets = {row["name"]: row["c"] for row in found["servo"]["equations"]}
        self.assertEqual((offsets["servo load_x"], offsets["servo load_z"]), (4, 4))
        self.assertEqual((found["servo"]["structural_index"], found["servo"]["free"]), (5, []))
        text = check("overhead_crane", "--structure")
        for line in ["    servo load_x  .   .   0*  .   .   .   .     4\n",
                     "    cable         0   0*  0   0   .   .   .     2\n",
                     "    d             2   2   4   4   2   0   0 \n",
                     "  free         none: all follow from the equations\n"]:
            self.assertIn(line, text)

    def test_structure_that_deceives_is_named(self):
        servo = findings("overhead_crane_minimal", "--structure")["structure"]["servo"]
        self.assertEqual(servo["jacobian"], {"regular": False, "rank": 4})
        self.assertIn("singular at the start, rank 4 of 5: the structure is misleading",
                      " ".join(check("overhead_crane_minimal", "--structure").split()))

    def test_structure_of_large_systems_is_listed_by_rows(self):
        text = " ".join(check("bricard", "--structure").split())
        self.assertIn("(c = 2): ", text)

    def test_kinematics_are_printed(self):
        result = subprocess.run(
            [PROGRAM, "equations", f"{MODELS}/double_pendulum.yaml", "--coordinates", "joint",
             "--kinematics"], capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0], "# kinematics of double pendulum in joint coordinates, world axes")
        self.assertIn("upper.w.z = shoulder.angle'", lines)
        self.assertIn("lower.Jw[3,1] = 1", lines)
        self.assertIn("lower.end.J[2,1] = c17", lines)

    def test_kinematics_need_bodies(self):
        result = subprocess.run([PROGRAM, "equations", f"{MODELS}/car_axle.yaml", "--kinematics"],
                                capture_output=True, text=True)
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertEqual(result.stderr,
                         "error[equations.no-bodies]: 'car axle' has no bodies: its coordinates are "
                         "its own.\n  Kinematics are those of bodies and their points.\n")


if __name__ == "__main__":
    unittest.main()

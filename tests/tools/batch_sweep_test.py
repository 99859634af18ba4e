"""koppel sweep --batch and --gpu: variants that step together. Usage: ... PROGRAM

Without a card the CUDA code is compiled for the host, by a program in the place of nvcc.
"""

import csv
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
HOST = """#!/bin/sh
for word; do source=$word; done
while [ $# -gt 0 ]; do [ "$1" = -o ] && library=$2; shift; done
exec c++ -O2 -ffp-contract=off -fPIC -shared -x c++ "$source" -o "$library"
"""
FOUR_BAR = """
dimension: 2
parameters: {a: 0.23, b: 0.61, c: 0.47, d: 0.7, rho: 3, w0: 4, cf: 0.05}
gravity: [0, -9.81]
bodies:
  ground: {points: {D: [d, 0]}}
  crank: {mass: rho*a, shape: {rod: {to: [a, 0]}}, points: {A: [a, 0]}, angle: 70 deg}
  coupler: {mass: rho*b, shape: {rod: {to: [b, 0]}}, points: {B: [b, 0], P: [b/2, 0.2]}, position: [a*cos(70 deg), a*sin(70 deg)], angle: 20 deg}
  rocker: {mass: rho*c, shape: {rod: {to: [c, 0]}}, points: {B: [c, 0]}, position: [d, 0], angle: 100 deg}
joints:
  A0: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, coupler]}
  B: {type: revolute, between: [coupler.B, rocker.B]}
  B0: {type: revolute, between: [ground.D, rocker]}
forces:
  fr: {type: torsion, joint: A0, damping: cf}
initial: {A0.angle: 70 deg, "A0.angle'": w0}
outputs: {px: coupler.P.x, py: coupler.P.y, th: A0.angle, w: "A0.angle'"}
run: {end: 1}
"""
ARGUMENTS = ["slider_crank", "--vary", "g=1:20:9", "--vary", "a=0.35,0.4,5", "--output", "Bx:max", "--output", "Ay:final",
             "--output", "Bx:mean", "--output", "Ay:min", "--step", "1e-3", "--end", "0.3"]


def run(*arguments, **environment):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})
    return done.returncode, done.stdout, done.stderr


class BatchSweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.compiler = self.folder / "host"
        self.compiler.write_text(HOST)
        self.compiler.chmod(0o755)

    def table(self, name, *more, **environment):
        code, _, errors = run("sweep", *ARGUMENTS, "--out", self.folder / name, *more, **environment)
        self.assertEqual(code, 2, errors)  # with a crank of 5 m it cannot be assembled
        with open(self.folder / name / "sweep.csv", newline="") as file:
            return list(csv.DictReader(file))

    def test_lanes_and_the_code_of_the_card_give_the_same_bytes(self):
        self.table("lanes", "--batch")
        self.table("one", "--batch", "--jobs", "1")
        self.table("card", "--gpu", KOPPEL_NVCC=str(self.compiler))
        whole = (self.folder / "lanes/sweep.csv").read_bytes()
        self.assertEqual((self.folder / "one/sweep.csv").read_bytes(), whole)
        self.assertEqual((self.folder / "card/sweep.csv").read_bytes(), whole)

    def test_a_full_disk_loses_nothing(self):
        whole = self.folder / "whole"
        self.table("whole", "--batch")

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
        out = self.folder / "full"
        done = subprocess.run([PROGRAM, "sweep", *ARGUMENTS, "--batch", "--out", out], capture_output=True, text=True,
                              preexec_fn=small, timeout=120)
        self.assertEqual(done.returncode, 2)
        found = re.match(rf"error\[results.not-written\]: {out}/journal.txt cannot be written any further: File too large\. "
                         r"(\d+) rows in it are complete\.\n", done.stderr)
        self.assertTrue(found, done.stderr)
        lines = (out / "journal.txt").read_text().splitlines()
        self.assertEqual(len(lines) - 2, int(found[1]))
        self.assertGreater(len(lines), 4)
        self.assertEqual(lines, (whole / "journal.txt").read_text().splitlines()[:len(lines)])
        self.table("full", "--batch")
        for name in ("sweep.csv", "journal.txt", "manifest.json"):
            self.assertEqual((out / name).read_bytes(), (whole / name).read_bytes())

    def test_killed_at_any_instant_it_goes_on_to_the_same_bytes(self):
        arguments = ["slider_crank", "--vary", "g=1:20", "--vary", "m=0.5:2", "--sobol", "60000", "--output", "Bx:final",
                     "--output", "Ay:max", "--step", "1e-3", "--end", "0.05", "--batch", "--quiet"]
        begin = time.monotonic()
        code, _, errors = run("sweep", *arguments, "--jobs", "1", "--out", self.folder / "whole")
        self.assertEqual((code, errors), (0, ""))
        took = time.monotonic() - begin
        out = self.folder / "killed"
        num_killed = 0
        for part in (0.15, 0.3, 0.45, 0.6, 0.75, 0.9):
            process = subprocess.Popen([PROGRAM, "sweep", *arguments, "--jobs", "3", "--out", str(out)])
            try:
                process.wait(part * took)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                num_killed += 1
        self.assertGreater(num_killed, 0)
        code, _, errors = run("sweep", *arguments, "--out", out)
        self.assertEqual((code, errors), (0, ""))
        for name in ("sweep.csv", "journal.txt", "manifest.json", "report.html"):
            self.assertEqual((out / name).read_bytes(), (self.folder / "whole" / name).read_bytes(), name)

    def test_the_compiler_of_the_card_is_told_not_to_contract(self):
        log = self.folder / "words"
        self.compiler.write_text(HOST.replace("#!/bin/sh\n", f'#!/bin/sh\necho "$@" > {log}\n'))
        self.table("bits", "--gpu", KOPPEL_NVCC=str(self.compiler))
        self.assertIn("-fmad=false", log.read_text().split())

    def test_extremes_and_means_count_the_start(self):
        """x = cos t: largest at the start, with a mean of sin(1) over a second."""
        (self.folder / "swing.yaml").write_text("parameters: {k: 1}\ncoordinates: {x: 1}\nkinetic: x'^2/2\n"
                                                "potential: k*x^2/2\noutputs: {x: x}\n")
        code, _, errors = run("sweep", self.folder / "swing.yaml", "--vary", "k=1", "--output", "x:max", "--output", "x:mean", "--step",
                              "0.05", "--integrator", "dop853", "--end", "1", "--batch", "--out", self.folder / "swing", "--quiet")
        self.assertEqual(code, 0, errors)
        with open(self.folder / "swing/sweep.csv", newline="") as file:
            row = next(csv.DictReader(file))
        self.assertEqual(float(row["x:max"]), 1)
        self.assertAlmostEqual(float(row["x:mean"]), 0.8414709848, delta=0.05 ** 2 / 12 * 0.9)

    def test_a_variant_whose_friction_sticks_fails_alone(self):
        """In lanes and in the code of the card the same rows; those beside are as without it."""
        (self.folder / "sled.yaml").write_text("parameters: {F: 0}\ncoordinates: {x: {start: 0, rate: 1}}\nkinetic: x'^2/2\n"
                                               "potential: x^2/2\ngeneralized_forces: {x: -F*sign(x')}\noutputs: {x: x}\n")

        def table(name, values, *more, **environment):
            code, _, errors = run("sweep", self.folder / "sled.yaml", "--vary", f"F={values}", "--output", "x:final", "--step", "0.1",
                                  "--integrator", "dop853", "--end", "1", *more, "--out", self.folder / name, "--quiet", **environment)
            with open(self.folder / name / "sweep.csv", newline="") as file:
                return code, list(csv.DictReader(file))
        code, rows = table("stuck", "0,0.1,5,0.2", "--batch")
        self.assertEqual(code, 2)
        self.assertEqual([row["status"] for row in rows], ["done", "done", "failed", "done"])
        self.assertEqual((rows[2]["error"], rows[2]["reason"]),
                         ("simulate.failed", "in the step from t = 0.1 s: more than 100000 inner steps would be needed: the motion "
                                             "switches back and forth, as where friction by sign(v) sticks, or is too fast for a step "
                                             "of this length."))
        self.assertEqual(table("card", "0,0.1,5,0.2", "--gpu", KOPPEL_NVCC=str(self.compiler)), (code, rows))
        code, free = table("free", "0,0.1,0.2", "--batch")
        self.assertEqual(code, 0)
        self.assertEqual([row["x:final"] for row in free], [rows[i]["x:final"] for i in (0, 1, 3)])

    def test_rows_are_those_of_runs_with_the_same_steps(self):
        rows = self.table("lanes", "--batch")
        self.assertEqual(len(rows), 27)
        self.assertEqual([row["status"] for row in rows if float(row["a"]) == 5], ["failed"] * 9)
        self.assertTrue(all(row["error"] and row["reason"] for row in rows if float(row["a"]) == 5))
        row = rows[3 * 4 + 1]
        self.assertEqual((float(row["g"]), float(row["a"])), (10.5, 0.4))
        code, _, errors = run("run", "slider_crank", "--set", "g=10.5", "--integrator", "rattle", "--step", "1e-3", "--end",
                              "0.3", "--samples", "steps", "--out", self.folder / "run", "--quiet")
        self.assertEqual(code, 0, errors)
        with open(self.folder / "run/trajectory.csv", newline="") as file:
            values = list(csv.DictReader(file))
        self.assertAlmostEqual(float(row["Ay:final"]), float(values[-1]["Ay"]), delta=1e-12)
        self.assertAlmostEqual(float(row["Bx:max"]), max(float(v["Bx"]) for v in values), delta=1e-12)
        x = [float(v["Bx"]) for v in values]
        self.assertAlmostEqual(float(row["Bx:mean"]), (sum(x) - (x[0] + x[-1]) / 2) / (len(x) - 1), delta=1e-12)
        self.assertAlmostEqual(float(row["Ay:min"]), min(float(v["Ay"]) for v in values), delta=1e-12)

    # Exact is 0.1 cos(3 √(k/2)): with 0.39 rad a step the motion of the second is wrong, and its energy.
    def test_rows_are_judged_as_runs_are(self):
        model = self.folder / "stiff.yaml"
        model.write_text("parameters: {k: 50}\ncoordinates: {x: {start: 0.1}}\nkinetic: x'^2\n"
                         "potential: k/2*x^2\noutputs: {x: x}\nrun: {end: 3}\n")
        arguments = ["sweep", model, "--vary", "k=50,3e6", "--step", "1e-3", "--output", "x:final", "--quiet"]
        for name, more in (("lanes", ["--batch"]), ("card", ["--gpu"])):
            code, _, errors = run(*arguments, *more, "--out", self.folder / name, KOPPEL_NVCC=str(self.compiler))
            self.assertEqual(code, 2, errors)
        rows = list(csv.DictReader((self.folder / "lanes/sweep.csv").read_text().splitlines()))
        self.assertEqual([row["status"] for row in rows], ["done", "doubtful"])
        self.assertEqual(rows[1]["reason"],
                         "over the run the energy balance is off by up to 37.5 % (limit 1.03 %): the motion lacks "
                         "energy that no force, drive or impact took.")
        self.assertEqual((self.folder / "card/sweep.csv").read_bytes(), (self.folder / "lanes/sweep.csv").read_bytes())

    # Damping slows it down until steps are short enough again: its end alone looks right.
    def test_constraints_that_do_not_hold_fail(self):
        model = self.folder / "four_bar.yaml"
        model.write_text(FOUR_BAR)
        arguments = ["sweep", model, "--vary", "w0=4,200,1000", "--step", "1e-2", "--output", "w:max", "--quiet"]
        for name, more in (("lanes", ["--batch"]), ("card", ["--gpu"])):
            code, _, errors = run(*arguments, *more, "--out", self.folder / name, KOPPEL_NVCC=str(self.compiler))
            self.assertEqual(code, 2, errors)
        rows = list(csv.DictReader((self.folder / "lanes/sweep.csv").read_text().splitlines()))
        self.assertEqual([row["status"] for row in rows], ["done", "failed", "failed"])
        for row in rows[1:]:
            self.assertRegex(row["reason"], "^over the run constraint 'coupler.rigid11' is violated by up to")
        self.assertEqual((self.folder / "card/sweep.csv").read_bytes(), (self.folder / "lanes/sweep.csv").read_bytes())

    def test_what_cannot_step_together_can_one_by_one(self):
        model = self.folder / "ball.yaml"
        model.write_text("dimension: 2\nparameters: {h: 1}\ngravity: [0, -9.81]\n"
                         "bodies: {ball: {point_mass: 1, position: [0, h]}}\n"
                         "events: {hit: {when: ball.y, bounce: 0.8}}\noutputs: {y: ball.y}\n")
        code, _, errors = run("sweep", model, "--vary", "h=1,2", "--step", "0.01", "--batch", "--out", self.folder / "b",
                              "--quiet")
        self.assertEqual((code, errors), (1, "error[export.has-events]: variants that step together (--batch) have no "
                                             "events.\n  Leave out --batch.\n"))

    def test_what_is_lacking_is_told(self):
        code, _, errors = run("sweep", *ARGUMENTS, "--out", self.folder / "none", "--gpu", KOPPEL_NVCC="/no/such/compiler")
        self.assertEqual(code, 1)
        self.assertTrue(errors.startswith("error[study.no-card]: '/no/such/compiler', the compiler for graphics cards, is not "
                                          "found.\n"), errors)
        code, _, errors = run("sweep", *ARGUMENTS[:-4], "--end", "0.3", "--out", self.folder / "no-step", "--batch")
        self.assertEqual(code, 1)
        self.assertIn("error[study.bad-option]: the copies of a batch step together, and no step is given.\n"
                      "  Give one, such as --step 1e-3.", errors)
        code, _, errors = run("sweep", "chain", "--vary", "n=2:4:3", "--step", "1e-3", "--end", "0.1", "--batch", "--out",
                              self.folder / "built-in")
        self.assertEqual(code, 1)
        self.assertIn("error[study.built-in]: 'n' is built into the model", errors)

    def test_rows_of_other_sweeps_are_not_mixed(self):
        self.table("same", "--batch")
        code, _, errors = run("sweep", *ARGUMENTS, "--integrator", "rattle", "--out", self.folder / "same")
        self.assertEqual(code, 1)
        self.assertIn("study.other-sweep", errors)


if __name__ == "__main__":
    unittest.main()

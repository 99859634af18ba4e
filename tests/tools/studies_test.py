"""koppel optimize, fit and sensitivity: kills, full disks, wrong arguments and data. Usage: ... PROGRAM"""

import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))

OSCILLATOR = """
parameters: {m: 2, k: 50, c: 0.5, x0: 0.1}
coordinates: {x: {start: x0}}
kinetic: m*x'^2/2
potential: k*x^2/2
dissipation: c*x'^2/2
outputs: {x: x}
run: {end: 1}
"""
PENDULUM = """
dimension: 2
parameters: {l: 1, g: 9.81, phi0: 0.5}
gravity: [0, -g]
bodies: {rod: {mass: 1, inertia: 0.1, com: [l, 0], angle: phi0 - 90 deg, points: {tip: [l, 0]}}}
joints: {pivot: {type: revolute, between: [ground, rod]}}
outputs: {x: rod.tip.x, angle: pivot.angle}
run: {end: 1}
"""


def run(*arguments, **options):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)
    return result.returncode, result.stdout, result.stderr


class Study(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.model = self.write("oscillator.yaml", OSCILLATOR)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def refuses(self, arguments, expected):
        code, output, errors = run(*arguments, cwd=self.folder)
        self.assertEqual((code, errors), (1, expected))
        self.assertEqual(output, "")


class Optimizing(Study):
    ARGUMENTS = ["slider_crank", "--maximize", "Bx:final", "--maximize", "Bx':max", "--over", "a=0.2:0.5,b=0.9:1.3,m=0.5:2", "--subject-to",
                 "Bx:min >= 0.5", "--starts", "3", "--evaluations", "60", "--end", "0.6"]

    def test_killed_at_any_instant_it_goes_on_to_the_same_optimum(self):
        whole = self.folder / "whole"
        began = time.monotonic()
        code, _, errors = run("optimize", *self.ARGUMENTS, "--out", whole)
        duration = time.monotonic() - began
        self.assertIn(code, (0, 2), errors)
        rng, kills = random.Random(3), 0
        for _ in range(5):
            process = subprocess.Popen([PROGRAM, "optimize", *self.ARGUMENTS, "--out", self.out], stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.05, 0.3) * duration)
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertGreater(kills, 1)
        again, _, errors = run("optimize", *self.ARGUMENTS, "--out", self.out)
        self.assertEqual(again, code, errors)
        for name in ("optimum.json", "journal.txt"):
            self.assertEqual((self.out / name).read_bytes(), (whole / name).read_bytes(), name)

    def test_more_runs_go_on_from_those_that_were_made(self):
        arguments = ["optimize", self.model, "--minimize", "x^2:final", "--over", "k=20:100", "--end", 0.25, "--out", self.out]
        code, _, errors = run(*arguments, "--evaluations", 2)
        self.assertEqual(code, 2)
        self.assertIn("error[study.not-converged]", errors)
        before = (self.out / "journal.txt").read_text()
        code, _, errors = run(*arguments)
        self.assertEqual((code, errors), (0, ""))
        self.assertTrue((self.out / "journal.txt").read_text().startswith(before))
        self.assertGreater(before.count("\n"), 2)

    def test_the_journal_of_another_optimisation_is_not_lost(self):
        arguments = ["optimize", self.model, "--over", "k=20:100", "--end", 0.25, "--out", self.out]
        run(*arguments, "--minimize", "x^2:final")
        before = {path.name: path.read_bytes() for path in self.out.iterdir()}
        code, _, errors = run(*arguments, "--maximize", "x:max")
        self.assertEqual((code, errors), (
            1, f"error[study.other-optimization]: {self.out}/journal.txt is that of another optimisation: maximize is "
               "nothing there, [\"x:max\"] here.\n  Give another folder, or remove the journal to start again.\n"))
        self.assertEqual({path.name: path.read_bytes() for path in self.out.iterdir()}, before)

    def test_a_full_disk_loses_nothing(self):
        whole = self.folder / "whole"
        arguments = ["optimize", self.model, "--minimize", "x^2:final", "--over", "k=20:100,c=0.1:2,m=1:4", "--end", 0.25]
        run(*arguments, "--out", whole)

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
        code, _, errors = run(*arguments, "--out", self.out, preexec_fn=small)
        self.assertEqual(code, 2)
        self.assertRegex(errors, rf"^error\[results.not-written\]: {self.out}/journal.txt cannot be written any further: "
                                 r"File too large\. \d+ runs in it are complete\.\n")
        kept = (self.out / "journal.txt").read_text()
        self.assertGreater(kept.count("\n"), 2)
        code, _, errors = run(*arguments, "--out", self.out)
        self.assertEqual((code, errors), (0, ""))
        self.assertEqual((self.out / "optimum.json").read_bytes(), (whole / "optimum.json").read_bytes())

    def test_what_is_wrong_is_told_before_anything_runs(self):
        ask = ["optimize", "oscillator.yaml"]
        self.refuses([*ask, "--minimize", "x:final", "--over", "kk=1:2"],
                     "error[study.unknown-parameter]: 'kk' is neither a parameter nor an initial value of the "
                     "model.\n"
                     "  Did you mean 'k'?\n")
        self.refuses([*ask, "--minimize", "y:final", "--over", "k=1:2"],
                     "error[study.unknown-quantity]: criterion 'y:final': the model has no quantity 'y'.\n"
                     "  Outputs, quantities such as joint.angle or body.x, their rates and parameters are "
                     "known here.\n")
        self.refuses([*ask, "--minimize", "x:least", "--over", "k=1:2"],
                     "error[study.bad-criterion]: 'x:least' is no criterion: there is no 'least'.\n"
                     "  Write QUANTITY:final, or :min, :max, :mean, :integral, or EVENT:time; a name may stand "
                     "before it: NAME=QUANTITY:max.\n")
        self.refuses([*ask, "--minimize", "x:final", "--over", "k=2:1"],
                     "error[study.bad-range]: 'k=2:1' is no range: it is empty: 2 is not below 1.\n"
                     "  Write name=low:high:n, name=low:high, name=low:high:n:log, or name=a,b,c.\n")
        self.refuses([*ask, "--minimize", "x:final", "--over", "k=2:2"],
                     "error[study.bad-range]: 'k=2:2' is no range: it is empty: 2 is not below 2.\n"
                     "  Write name=low:high:n, name=low:high, name=low:high:n:log, or name=a,b,c.\n")
        self.refuses([*ask, "--minimize", "x:final", "--over", "k"],
                     "error[study.bad-range]: 'k' has no bounds to look within.\n  Give them: k=low:high.\n")
        self.refuses([*ask, "--minimize", "x:final", "--over", "k=1:2", "--starts", "-3"],
                     "error[arguments.wrong]: --starts: -3 is no number of starts: at least 1 is needed.\n"
                     "  `koppel --help` and `koppel COMMAND --help` say more.\n")
        self.refuses([*ask, "--minimize", "x:final", "--over", "k=1:2,k=3:4"],
                     "error[study.bad-option]: 'k' is given twice.\n")
        self.refuses([*ask, "--minimize", "x:final", "--over", "k=1:2", "--subject-to", "y:max <= 1"],
                     "error[study.unknown-quantity]: criterion 'y:max': the model has no quantity 'y'.\n"
                     "  Outputs, quantities such as joint.angle or body.x, their rates and parameters are "
                     "known here.\n")
        self.refuses([*ask, "--over", "k=1:2"],
                     "error[study.bad-option]: there is nothing to be minimised.\n"
                     "  Give a criterion, such as rod.angle:max.\n")
        self.refuses([*ask, "--minimize", "x:final"],
                     "error[study.bad-option]: no parameters are given to optimise over.\n"
                     "  Give them with bounds: name=low:high.\n")
        self.refuses([*ask, "--minimize", "landing:time", "--over", "k=1:2"],
                     "error[study.unknown-event]: criterion 'landing:time': the model has no event 'landing'.\n"
                     "  It has none at all.\n")
        self.assertFalse((self.folder / "oscillator-optimize").exists())

    def test_limits_that_contradict_each_other_are_told(self):
        code, output, errors = run("optimize", self.model, "--minimize", "x:final", "--over", "x0=0.1:1", "--subject-to",
                                   "x:max <= 0.05", "--end", 0.1, "--out", self.out)
        self.assertEqual((code, errors), (2, "error[study.infeasible]: no point was found that satisfies all limits; the nearest "
                                             "misses x:max <= 0.05 by 0.05.\n"))
        self.assertIn("x0", output)
        self.assertFalse(json.loads((self.out / "optimum.json").read_text())["is_feasible"])


class Fitting(Study):
    def data(self, head, rows):
        return self.write("data.csv", head + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))

    def swing(self):
        """Of the pendulum from a run with l = 1.1."""
        model = self.write("pendulum.yaml", PENDULUM)
        code, _, errors = run("run", model, "--set", "l=1.1", "--samples", 41, "--end", 0.8, "--out", self.folder / "run", "--quiet")
        self.assertEqual(code, 0, errors)
        lines = (self.folder / "run/trajectory.csv").read_text().splitlines()
        head = lines[0].split(",")
        rows = [[float(field) for field in line.split(",")] for line in lines[1:]]
        return model, [[row[head.index(name)] for name in ("t", "x", "angle")] for row in rows]

    def fitted(self, model, *more):
        code, output, errors = run("fit", model, "--data", self.folder / "data.csv", "--over", "l", "--json", *more)
        self.assertEqual((code, errors), (0, ""))
        return json.loads(output)

    def test_units_of_headers_are_taken_into_account(self):
        model, rows = self.swing()
        degree = 0.017453292519943295
        self.data("t [ms],x [mm],angle (deg)", [[1e3 * t, 1e3 * x, a / degree] for t, x, a in rows])
        found = self.fitted(model, "--noise", "x [mm]=0.5", "--noise", "angle=0.05")
        self.assertAlmostEqual(found["parameters"]["l"]["value"], 1.1, delta=1e-6)
        # In the column's unit.
        self.assertEqual(found["columns"]["x [mm]"]["sigma"], 0.5)
        self.assertLess(found["columns"]["x [mm]"]["rms_before"], 100)
        self.assertGreater(found["columns"]["x [mm]"]["rms_before"], 1)
        plain = self.data("t,x,angle", rows)
        self.assertAlmostEqual(self.fitted(model, "--noise", "x=5e-4", "--noise", f"angle={0.05 * degree}")["parameters"]["l"]
                               ["half_width_95"], found["parameters"]["l"]["half_width_95"], delta=1e-9)
        self.assertTrue(plain.exists())

    def test_units_that_cannot_be_are_refused(self):
        model, rows = self.swing()
        ask = ["fit", model, "--data", "data.csv", "--over", "l"]
        self.data("t,x [furlong],angle", rows)
        code, _, errors = run(*ask, cwd=self.folder)
        self.assertEqual(code, 1)
        self.assertTrue(errors.startswith("error[study.bad-data]: column 'x [furlong]' of the data has the unit 'furlong', "
                                          "which is not known.\n  Known are: m, km, "), errors)
        self.data("t,x,angle [mm]", rows)
        self.refuses(ask, f"{model}:7:25: error[study.bad-data]: column 'angle [mm]' of the data cannot be 'angle' of the "
                          "model, which is in rad.\n  Correct the unit, or the name of the column.\n")
        self.data("t [m],x,angle", rows)
        self.refuses(ask, "error[study.bad-data]: the first column of the data is 't [m]', which is no time.\n"
                          "  The first column has the times, in s unless its header has another unit.\n")

    def test_columns_in_another_order_are_told(self):
        model, rows = self.swing()
        ask = ["fit", model, "--data", "data.csv", "--over", "l"]
        self.data("x,t,angle", [[x, t, angle] for t, x, angle in rows])
        code, _, errors = run(*ask, cwd=self.folder)
        self.assertEqual(code, 1)
        self.assertIn("the first column of the data is 'x', where times should be.", errors)

    def test_semicolons_and_decimal_commas_are_read(self):
        model, rows = self.swing()
        lines = ["t;x;angle", *(";".join(str(value).replace(".", ",") for value in row) for row in rows)]
        (self.folder / "data.csv").write_text("\n".join(lines) + "\n")
        found = self.fitted(model)
        self.assertAlmostEqual(found["parameters"]["l"]["value"], 1.1, delta=1e-6)

    def test_gaps_are_left_out_and_counted(self):
        model, rows = self.swing()
        for k in (3, 17, 18):
            rows[k][1] = ""
        rows[9][2] = ""
        self.data("t,x,angle,remark", [[*row, 1] for row in rows])
        found = self.fitted(model)
        self.assertAlmostEqual(found["parameters"]["l"]["value"], 1.1, delta=1e-6)
        self.assertEqual([found["columns"][name]["gaps"] for name in ("x", "angle")], [3, 1])
        self.assertEqual(found["ignored"], ["remark"])

    def test_what_is_wrong_with_data_is_told(self):
        ask = ["fit", "oscillator.yaml", "--data", "data.csv", "--over", "k"]
        self.data("t,y", [[0, 1], [1, 2]])
        self.refuses(ask,
                     "error[study.bad-data]: no column of the data is a quantity of the model.\n"
                     "  Name columns as the model's outputs, or as quantities such as joint.angle. columns: t, y.\n")
        self.refuses([*ask, "--columns", "z"],
                     "error[study.bad-data]: the data have no column 'z'.\n"
                     "  columns: t, y.\n")
        self.refuses([*ask, "--columns", "y"],
                     "error[study.bad-data]: the model knows no quantity 'y', a column of the data.\n"
                     "  Give the column the name of an output or a quantity of the model.\n")
        self.data("t,x", [[0, 1], [1, 2]])
        self.refuses([*ask, "--iterations", "-1"],
                     "error[arguments.wrong]: --iterations -1 is no limit: a fit needs at least one.\n")
        self.data("t,x", [[0, 1], [1, 2], [0.5, 3]])
        self.refuses(ask,
                     "error[study.bad-data]: the time of row 3 is 0.5, after 1: times must ascend from 0 on.\n")
        self.data("t,x", [[0, 1], ["", 2]])
        self.refuses(ask,
                     "error[study.bad-data]: row 2 of the data has no time.\n"
                     "  Gaps may be in other columns than the first.\n")
        self.data("t,x", [[-1, 1], [1, 2]])
        self.refuses(ask,
                     "error[study.bad-data]: the time of row 1 is -1, after 0: times must ascend from 0 on.\n")
        self.data("t,x", [])
        self.refuses(ask,
                     "error[study.bad-data]: the data have no rows.\n")
        self.data("t,x", [[0, ""], [1, ""]])
        self.refuses(ask,
                     "error[study.bad-data]: the data have 0 values for 1 parameters.\n"
                     "  Measure more, or fit fewer parameters.\n")
        self.data("t,x", [[0, "?"], [1, 2]])
        self.refuses(ask,
                     "data.csv:2:1: error[csv.bad-line]: field 2 is not a number.\n")
        self.data("t,x", [[0, 1, 2], [1, 2]])
        self.refuses(ask,
                     "data.csv:2:1: error[csv.bad-line]: 3 fields where the header has 2.\n")
        self.data("t,x", [[0, 1]])
        self.refuses([*ask[:-1], "k,c"],
                     "error[study.bad-data]: the data have 1 values for 2 parameters.\n"
                     "  Measure more, or fit fewer parameters.\n")
        self.data("t,x", [[0, 0.1], [0.1, 0.09], [0.2, 0.05]])
        self.refuses([*ask[:-1], "kk"],
                     "error[study.unknown-parameter]: 'kk' is neither a parameter nor an initial value of the "
                     "model.\n"
                     "  Did you mean 'k'?\n")
        self.refuses([*ask[:-1], "k=5:1"],
                     "error[study.bad-range]: 'k=5:1' is no range: it is empty: 5 is not below 1.\n"
                     "  Write name=low:high:n, name=low:high, name=low:high:n:log, or name=a,b,c.\n")
        self.refuses([*ask[:-1], "k,k"],
                     "error[study.bad-option]: 'k' is given twice.\n")
        self.refuses([*ask, "--noise", "x=0"],
                     "error[study.bad-option]: the noise of a column must be above 0: x=0.\n")
        self.refuses([*ask, "--noise", "y=1"],
                     "error[study.bad-option]: there is no column 'y' to have noise.\n")
        self.refuses([*ask, "--noise", "x"],
                     "error[arguments.wrong]: --noise 'x' cannot be read.\n"
                     "  Write COLUMN=SIGMA, the standard deviation in the column's unit.\n")
        self.refuses(["fit", "oscillator.yaml", "--data", "none.csv", "--over", "k"],
                     "none.csv: error[results.no-file]: the file cannot be read: No such file or directory.\n")
        self.refuses(ask[:-2],
                     "error[study.bad-option]: no parameters are given to be fitted.\n"
                     "  Name them, with bounds where there are some: k, c=0:100.\n")


class Sensitivities(Study):
    def test_what_is_wrong_is_told(self):
        ask = ["sensitivity", "oscillator.yaml"]
        self.refuses([*ask, "--of", "x:final", "--over", "kk"],
                     "error[study.unknown-parameter]: 'kk' is neither a parameter nor an initial value of the "
                     "model.\n"
                     "  Did you mean 'k'?\n")
        self.refuses([*ask, "--of", "y:final", "--over", "k"],
                     "error[study.unknown-quantity]: criterion 'y:final': the model has no quantity 'y'.\n"
                     "  Outputs, quantities such as joint.angle or body.x, their rates and parameters are "
                     "known here.\n")
        self.refuses([*ask, "--of", "x:final", "--over", "k", "--control", "F:3"],
                     "error[study.bad-input]: the model has no input 'F'.\n"
                     "  It has none at all; `inputs: [F]` in a model names them.\n")
        self.refuses([*ask, "--of", "x:final", "--over", "k", "--control", "F:1"],
                     "error[study.bad-input]: 'F:1' does not say how an input is sampled.\n"
                     "  Write INPUT:COUNT with 2 to 10000 samples over the run, or INPUT:COUNT:PARAMETER for "
                     "samples over the value of a parameter.\n")
        self.refuses([*ask, "--of", "x:final", "--over", "k,k"],
                     "error[study.bad-option]: 'k' is given twice.\n")
        self.refuses([*ask, "--of", "A=x:final", "--of", "A=x:max", "--over", "k"],
                     "error[study.bad-criterion]: criterion 'A' is given twice.\n")

    def test_the_end_of_a_run_is_not_varied_in_silence(self):
        self.write("long.yaml", OSCILLATOR.replace("x0: 0.1", "x0: 0.1, T: 3").replace("end: 1", "end: T"))
        told = ("error[study.built-in]: run.end of the model follows 'T', and is the same for all runs of a study: "
                "there are no derivatives by it.\n"
                "  Give --end, or try its values one by one, in a sweep.\n")
        self.refuses(["sensitivity", "long.yaml", "--of", "x:final", "--over", "T"], told)
        self.refuses(["optimize", "long.yaml", "--minimize", "x:final", "--over", "T=2:3.5", "--out", "o"], told)
        self.refuses(["sweep", "long.yaml", "--vary", "T=1,2", "--batch", "--step", "1e-3", "--integrator", "rk4",
                      "--output", "x:final", "--out", "b"],
                     "error[study.built-in]: run.end of the model follows 'T', and is the same for all runs of a study. "
                     "Variants that step together (--batch) are of one model.\n  Leave out --batch.\n")
        # Without names it is left aside, as what is built in; with an end of the run it is a parameter as any other.
        code, output, _ = run("sensitivity", "long.yaml", "--of", "x:final", "--json", cwd=self.folder)
        self.assertEqual((code, list(json.loads(output)["parameters"])), (0, ["m", "k", "c", "x0"]))
        code, output, _ = run("sensitivity", "long.yaml", "--of", "x:final", "--over", "T", "--end", "3", "--json",
                              cwd=self.folder)
        self.assertEqual((code, list(json.loads(output)["parameters"])), (0, ["T"]))

    def test_an_optimum_of_a_sub_assembly_can_be_run(self):
        self.write("two.yaml", "include: {A: {file: oscillator.yaml}, B: {file: oscillator.yaml}}\n"
                               "outputs: {x: A.x}\nrun: {end: 1}\n")
        code, output, errors = run("optimize", "two.yaml", "--minimize", "x:final", "--over", "A.k=30:70", "--json",
                                   "--out", "o", cwd=self.folder)
        self.assertEqual(code, 0, errors)
        best = json.loads(output)["after"]
        k = best["parameters"]["A.k"]
        code, _, errors = run("run", "two.yaml", "--set", f"A.k={k!r}", "--out", "r", cwd=self.folder)
        self.assertEqual(code, 0, errors)
        last = (self.folder / "r/trajectory.csv").read_text().splitlines()[-1].split(",")
        head = (self.folder / "r/trajectory.csv").read_text().splitlines()[0].split(",")
        self.assertAlmostEqual(float(last[head.index("x")]), best["value"], delta=1e-7)  # of tolerances 1e-8
        code, _, errors = run("sweep", "two.yaml", "--vary", f"A.k=50,{k!r}", "--output", "x:final", "--out", "s",
                              cwd=self.folder)
        self.assertEqual(code, 0, errors)
        rows = (self.folder / "s/sweep.csv").read_text().splitlines()
        self.assertIn("A.k", rows[0])
        self.assertEqual(len(rows), 3)


if __name__ == "__main__":
    unittest.main()

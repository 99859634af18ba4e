"""The command line: version, help, wrong arguments, and the files of `run`. Usage: ... PROGRAM"""

import csv
import json
import math
import os
import pathlib
import pty
import re
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

# An oscillator that takes a long time for its 10,000,000 periods.
OSCILLATOR = """name: oscillator
coordinates: [x]
kinetic: x'^2/2
potential: 2*pi^2*x^2
initial: {x: 1}
outputs: {x: x}
run: {end: 1e7, samples: 1000001}
"""


# A parallelogram of rods 1, 2, 1 that lies flat: a singular configuration.
FLAT = """name: flat parallelogram
dimension: 2
parameters: {w1: 0, w2: 0, w3: 0}
gravity: [0, -9.81]
bodies:
  crank: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}}
  coupler: {mass: 2, shape: {rod: {to: [2, 0]}}, points: {C: [2, 0]}, position: [1, 0]}
  rocker: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {C: [1, 0]}, position: [2, 0]}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0]}
  b: {type: revolute, between: [crank.B, coupler]}
  c: {type: revolute, between: [coupler.C, rocker.C]}
  d: {type: revolute, between: [ground, rocker], at: [2, 0]}
initial: {crank.wz: w1, coupler.wz: w2, rocker.wz: w3}
outputs: {yB: crank.B.y, yC: rocker.C.y}
run: {end: 0.3}
"""


def run(*arguments, **options):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                            **options)
    return result.returncode, result.stdout, result.stderr


def read_rows(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


class CommandLine(unittest.TestCase):
    def test_version_names_the_commit(self):
        status, output, messages = run("--version")
        self.assertEqual((status, messages), (0, ""))
        self.assertRegex(output, r"^koppel \d+\.\d+\.\d+ \(commit ([0-9a-f]{7,}|unknown)\)\n$")

    def test_help_lists_the_commands(self):
        status, output, messages = run("--help")
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("expr", output)

    def test_each_command_has_help(self):
        _, output, _ = run("--help")
        commands = [line.split()[0] for line in output.split("Commands:")[1].splitlines()[1:]
                    if line.startswith("  ") and line[2] != " "]
        self.assertEqual(len(commands), 18)
        for command in commands:
            status, output, messages = run(command, "--help")
            self.assertEqual((status, messages), (0, ""), command)
            self.assertIn(f"\nUsage: koppel {command} ", output)
            self.assertLess(max(map(len, output.splitlines())), 100, command)
            # Nothing of the notation of the parser: types, defaults of flags, sets of values.
            self.assertNotRegex(output, r"[{}]|\bTEXT\b|REQUIRED|\bINT\b", command)
            self.assertRegex(output, rf"\nExample:\n  koppel {command}\b", command)

    def test_the_examples_of_help_run(self):
        _, output, _ = run("--help")
        for command in re.findall(r"^  ([a-z]+) ", output.split("Commands:")[1], re.M):
            if command == "play":  # serves until it is interrupted: tests/browser/play_protocol_test.mjs
                continue
            example = shlex.split(re.search(r"Example:\n  koppel (.*)\n", run(command, "--help")[1])[1])
            with self.subTest(command), tempfile.TemporaryDirectory() as folder:
                if command == "fit":  # what was measured
                    run("run", "pendulum", "--end", "1", "--samples", "21", "--quiet", "--out", folder)
                    os.rename(os.path.join(folder, "trajectory.csv"), os.path.join(folder, "swing.csv"))
                done = subprocess.run([PROGRAM, *example], cwd=folder, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_misspelt_command_gets_a_suggestion(self):
        self.assertEqual(run("exrp", "x"), (
            1, "", "error[arguments.unknown-command]: there is no command 'exrp'.\n"
                   "  Did you mean 'expr'? `koppel --help` lists the commands.\n"))

    def test_models_are_listed_with_a_line_each(self):
        status, output, messages = run("models")
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("\nslider_crank                crank and rod", output)
        status, output, messages = run("models", "--json")
        self.assertEqual((status, messages), (0, ""))
        models = json.loads(output)
        self.assertIn("pendulum", [model["name"] for model in models])
        for model in models:
            self.assertTrue(model["description"], model)
            self.assertTrue(os.path.isfile(model["file"]), model)

    def test_built_in_models_are_known_by_name(self):
        status, output, messages = run("check", "double_pendulum")
        self.assertEqual((status, messages), (0, ""))
        self.assertTrue(output.startswith("double pendulum\n"), output)
        self.assertEqual(run("check", "slidr_crank"), (
            1, "", "slidr_crank: error[model.no-file]: there is no such file.\n"
                   "  Did you mean the built-in model 'slider_crank'? "
                   "`koppel models` lists the built-in ones.\n"))
        self.assertEqual(run("check", "no/such.yaml"), (
            1, "", "no/such.yaml: error[model.no-file]: there is no such file.\n"))

    def test_wrong_arguments_give_1_and_no_output(self):
        for arguments in ([], ["--nonsense"], ["expr", "--nonsense", "x"], ["expr"]):
            status, output, messages = run(*arguments)
            self.assertEqual((status, output), (1, ""), arguments)
            self.assertTrue(messages.startswith("error[arguments.wrong]: "), messages)


class Run(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def write(self, text, name="oscillator.yaml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_writes_trajectory_summary_and_report(self):
        status, output, messages = run("run", MODELS / "slider_crank.yaml", "--out", self.out)
        self.assertEqual((status, messages), (0, ""))
        for line in ("method", "freedom", "steps", "violation", "energy", "final", "files"):
            self.assertIn(f"\n  {line} ", output)
        self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                         ["report.html", "summary.json", "trajectory.csv"])
        header, *rows = read_rows(self.out / "trajectory.csv")
        self.assertEqual(header[:7], ["t", "Ax", "Ay", "Bx", "Ax'", "Ay'", "Bx'"])
        self.assertEqual(len(rows), 1001)
        self.assertEqual((rows[0][0], rows[-1][0]), ("0", "10"))
        summary = json.loads((self.out / "summary.json").read_text())
        for key in ("model", "dof", "index", "coordinates", "formulation", "integrator", "steps",
                    "evaluations", "setup_seconds", "wall_seconds", "max_position_violation",
                    "max_velocity_violation", "energy_drift", "final"):
            self.assertIn(key, summary)
        self.assertEqual(summary["dof"], 1)
        self.assertLess(summary["max_position_violation"], 1e-9)
        self.assertLess(summary["energy_drift"], 1e-6)
        # The numbers of both files are the same to the last bit.
        for name, value in summary["final"].items():
            self.assertEqual(float(rows[-1][header.index(name)]), value, name)
        report = (self.out / "report.html").read_text()
        self.assertNotIn("/*DATA*/null", report)
        self.assertIn("slider crank", report)

    def test_every_number_is_finite_and_as_short_as_it_can_be(self):
        run("run", MODELS / "slider_crank.yaml", "--out", self.out, "--end", 1)
        for row in read_rows(self.out / "trajectory.csv")[1:]:
            for field in row:
                self.assertTrue(math.isfinite(float(field)), field)
                digits = field.lstrip("-").replace(".", "").split("e")[0].strip("0")
                self.assertLessEqual(len(digits), 17)

    def test_outputs_that_are_not_defined_have_empty_fields(self):
        path = self.write(OSCILLATOR.replace("x: x}", "root: sqrt(x)}"))
        status, _, messages = run("run", path, "--end", 1, "--samples", 4, "--out", self.out)
        self.assertEqual(status, 0)
        self.assertEqual(messages, "note: 'root' has no finite value in 2 of 4 rows, first at "
                                   "t = 0.333333 s; its fields there are empty.\n")
        rows = read_rows(self.out / "trajectory.csv")
        self.assertEqual([row[1] == "" for row in rows], [False, False, True, True, False])
        self.assertNotIn("nan", (self.out / "trajectory.csv").read_text().lower())
        self.assertNotIn("NaN", (self.out / "summary.json").read_text())

    def test_json_prints_the_summary(self):
        status, output, _ = run("run", MODELS / "pendulum.yaml", "--json", "--out", self.out)
        self.assertEqual(status, 0)
        self.assertEqual(json.loads(output), json.loads((self.out / "summary.json").read_text()))

    def test_quiet_prints_nothing(self):
        self.assertEqual(run("run", MODELS / "pendulum.yaml", "--quiet", "--out", self.out),
                         (0, "", ""))

    def test_folder_is_named_after_the_model_file(self):
        run("run", MODELS / "pendulum.yaml", "--quiet", cwd=self.folder)
        self.assertTrue((self.folder / "pendulum-run" / "trajectory.csv").exists())

    def test_command_line_goes_before_the_model(self):
        path = self.write(OSCILLATOR)
        run("run", path, "--end", 2, "--samples", 3, "--tol", 1e-10, "--integrator", "dop853",
            "--out", self.out)
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual((summary["reached"], summary["samples"], summary["tolerance"],
                          summary["integrator"]), (2, 3, 1e-10, "dop853"))

    def test_hdf5_on_request(self):
        run("run", MODELS / "pendulum.yaml", "--hdf5", "--quiet", "--out", self.out)
        self.assertEqual((self.out / "trajectory.h5").read_bytes()[:4], b"\x89HDF")

    def test_reactions_on_request(self):
        run("run", MODELS / "slider_crank.yaml", "--reactions", "--end", 1, "--out", self.out)
        header = read_rows(self.out / "trajectory.csv")[0]
        for joint in "OAB":
            self.assertIn(f"{joint}.force.x", header)

    def test_reactions_along_the_axes_of_joints(self):
        run("run", MODELS / "slider_crank.yaml", "--reactions=joint", "--end", 1, "--out", self.out)
        header = read_rows(self.out / "trajectory.csv")[0]
        for joint in "OAB":
            self.assertIn(f"{joint}.force.x", header)

    def test_full_standard_output_is_an_error(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([PROGRAM, "run", MODELS / "pendulum.yaml", "--json", "--out",
                                     self.out], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((result.returncode, result.stderr),
                         (2, "error: standard output cannot be written.\n"))
        self.assertTrue((self.out / "report.html").exists())

    def test_unknown_integrator_gets_a_suggestion(self):
        status, output, messages = run("run", MODELS / "pendulum.yaml", "--integrator", "radua5",
                                       "--out", self.out)
        self.assertEqual((status, output), (1, ""))
        self.assertTrue(messages.startswith("error[integrate.unknown-integrator]: "), messages)
        self.assertIn("Did you mean 'radau5'?", messages)
        self.assertFalse(self.out.exists())

    def test_unknown_formulation_gets_a_suggestion(self):
        status, _, messages = run("run", MODELS / "slider_crank.yaml", "--formulation", "idnex3",
                                  "--out", self.out)
        self.assertEqual(status, 1)
        self.assertIn("Did you mean 'index3'?", messages)
        self.assertFalse(self.out.exists())

    def test_wrong_pair_is_refused_with_the_pairs_that_make_sense(self):
        self.assertEqual(
            run("run", MODELS / "slider_crank.yaml", "--formulation", "ggl", "--integrator",
                "dop853", "--out", self.out),
            (1, "", "error[simulate.wrong-pair]: integrator 'dop853' needs a right-hand side; "
                    "formulation 'ggl' gives none.\n"
                    "  dop853 goes with the formulations: index1, baumgarte, explicit, implicit, "
                    "partition, qr, svd. ggl goes with the "
                    "integrators: radau5, ida, implicit-euler, midpoint, generalized-alpha, bdf2, "
                    "bdf3, bdf4, bdf5, explicit-euler, linear-implicit, rattle.\n"))
        self.assertFalse(self.out.exists())

    def test_wrong_arguments(self):
        for arguments, expected in (
                (["--samples", "many"], "--samples 'many' is not a number of samples"),
                (["--projection", "twice"], "--projection 'twice' is not known"),
                (["--end", "0"], "the end time is 0; it must be positive"),
                (["--set", "nonsense"], "--set 'nonsense' is not of the form name=value")):
            status, output, messages = run("run", MODELS / "pendulum.yaml", *arguments)
            self.assertEqual((status, output), (1, ""), arguments)
            self.assertIn(expected, messages)

    def test_single_precision_belongs_to_c(self):
        for kind in ("fmu", "octave", "wasm"):
            self.assertEqual(
                run("export", MODELS / "pendulum.yaml", "--to", kind, "--step", "1e-3", "--float",
                    "--out", self.out),
                (1, "", f"error[export.float]: --float belongs to --to c and cuda: what --to {kind} writes "
                        "is in double precision.\n  Leave out --float.\n"))
            self.assertFalse(self.out.exists())

    def test_a_folder_that_cannot_be_made(self):
        self.write("", "out")
        status, _, messages = run("run", MODELS / "pendulum.yaml", "--out", self.out / "x")
        self.assertEqual(status, 1)
        self.assertIn("cannot be made: Not a directory", messages)

    def test_failure_gives_2_and_keeps_what_was_reached(self):
        path = self.write("name: pole\ncoordinates: [y]\nkinetic: y'^2/2\n"
                          "states: {x: {rate: x^2, start: 1}}\noutputs: {x: x}\n")
        status, output, messages = run("run", path, "--out", self.out)
        self.assertEqual(status, 2)
        self.assertIn("  time ", output)
        rows = read_rows(self.out / "trajectory.csv")[1:]
        self.assertAlmostEqual(float(rows[-1][0]), 1, delta=0.01)
        self.assertRegex(messages, r"^error\[simulate.failed\]: at t = (1|0\.99\d*|1\.0\d*) s: ")
        self.assertIn(f"All {len(rows)} rows up to there are in {self.out}/trajectory.csv.", messages)
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual(summary["status"], "failed")

    def test_singular_start_is_refused_or_follows_its_velocities(self):
        path = self.write(FLAT, "flat.yaml")
        status, output, _ = run("check", path)
        self.assertEqual(status, 0)
        self.assertRegex(output, r"redundant +none")
        self.assertIn("singular configuration", output)
        self.assertIn("Branches, by their rates: (1)", " ".join(output.split()))
        status, _, messages = run("run", path, "--out", self.out)
        self.assertEqual(status, 1)
        self.assertTrue(messages.startswith(f"{path}:7:3: error[simulate.singular-start]: the start is a "
                                            "singular configuration: 2 freedoms meet there"),
                        messages)
        self.assertFalse((self.out / "trajectory.csv").exists())
        for rates, side in (("-1 0 -1", 1), ("-1 2 3", -1)):
            settings = [f"w{i + 1}={w}" for i, w in enumerate(rates.split())]
            status, output, messages = run("run", path, "--out", self.out, "--json",
                                           *(x for s in settings for x in ("--set", s)))
            self.assertEqual(status, 0, messages)
            self.assertIn("The motion follows the branch", messages)
            summary = json.loads(output)
            self.assertLess(summary["max_position_violation"], 1e-7)
            final = summary["final"]
            self.assertEqual(math.copysign(1, final["yB"] * final["yC"]), side)

    def test_interrupted_run_keeps_what_was_reached(self):
        path = self.write(OSCILLATOR)
        process = subprocess.Popen([PROGRAM, "run", path, "--out", self.out],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        trajectory = self.out / "trajectory.csv"
        while not (trajectory.exists() and trajectory.stat().st_size > 10_000):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        rows = read_rows(trajectory)[1:]
        self.assertTrue(trajectory.read_text().endswith("\n"))
        self.assertTrue(all(len(row) == len(rows[0]) for row in rows))
        self.assertRegex(messages, r"(?m)^interrupted at t = \S+ s\.\n  All %d rows up to there are in"
                         % len(rows))
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual((summary["status"], summary["samples"]), ("stopped", len(rows)))
        self.assertEqual(summary["reached"], float(rows[-1][0]))
        self.assertTrue((self.out / "report.html").exists())

    def test_killed_run_leaves_complete_rows(self):
        path = self.write(OSCILLATOR)
        process = subprocess.Popen([PROGRAM, "run", path, "--quiet", "--out", self.out])
        trajectory = self.out / "trajectory.csv"
        while not (trajectory.exists() and trajectory.stat().st_size > 10_000):
            time.sleep(0.05)
        process.kill()
        process.wait()
        self.assertTrue(trajectory.read_text().endswith("\n"))

    def test_full_disk_keeps_complete_rows(self):
        path = self.write(OSCILLATOR)
        limit = 100_000
        status, _, messages = run(
            "run", path, "--out", self.out,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertEqual(status, 2)
        rows = read_rows(self.out / "trajectory.csv")[1:]
        self.assertTrue((self.out / "trajectory.csv").read_text().endswith("\n"))
        self.assertGreater(len(rows), 500)
        self.assertIn(f"error[results.not-written]: {self.out}/trajectory.csv cannot be written any "
                      f"further: File too large. {len(rows)} rows in it are complete.", messages)

    def test_progress_only_on_a_terminal(self):
        path = self.write(OSCILLATOR)
        terminal, other = pty.openpty()
        process = subprocess.Popen([PROGRAM, "run", path, "--out", self.out],
                                   stdout=subprocess.DEVNULL, stderr=other)
        os.close(other)
        text = b""
        while b"real time" not in text:
            text += os.read(terminal, 1000)
        process.send_signal(signal.SIGINT)
        try:
            while chunk := os.read(terminal, 1000):
                text += chunk
        except OSError:
            pass  # the terminal is gone with the program
        process.wait()
        os.close(terminal)
        self.assertRegex(text.decode(), r"\r\[#* *\] +\d+ %  t = \S+ s  \S+ x real time  .* left")

class Inverse(unittest.TestCase):
    """koppel inverse: files, exit codes and what is kept."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def test_writes_inputs_trajectory_summary_and_report(self):
        status, output, messages = run("inverse", "overhead_crane", "--samples", 31, "--verify",
                                       "--out", self.folder)
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("index        5; no internal dynamics\n", output)
        inputs = read_rows(self.folder / "inputs.csv")
        self.assertEqual(inputs[0], ["t", "F_t", "M_w"])
        self.assertEqual(len(inputs), 32)
        self.assertAlmostEqual(float(inputs[-1][2]), -98.1, 9)
        trajectory = read_rows(self.folder / "trajectory.csv")
        self.assertEqual(trajectory[0][:5], ["t", "s", "l", "x", "z"])
        summary = json.loads((self.folder / "summary.json").read_text())
        self.assertEqual((summary["index"], summary["internal_dynamics"], summary["method"]),
                         (5, 0, "flat"))
        self.assertLess(summary["verification"]["relative_error"], 1e-6)
        self.assertLess(summary["max_residual"], 1e-9)
        self.assertEqual(set(summary["inputs"]), {"F_t", "M_w"})
        self.assertIn("F_t", (self.folder / "report.html").read_text())

    def test_verify_has_a_verdict_and_an_exit_code(self):
        status, output, _ = run("inverse", "overhead_crane", "--samples", 31, "--verify",
                                "--out", self.folder)
        self.assertEqual(status, 0)
        self.assertIn("\n  verified     simulated with these inputs, the outputs are off by ", output)
        self.assertIn("(bound 1e-06)\n", output)
        status, output, messages = run("inverse", "navy_crane_2d_massless", "--verify",
                                       "--out", self.folder)
        self.assertEqual(status, 2)
        self.assertIn("\n  not verified the mass matrix is singular along an unconstrained direction, so\n"
                      "               there is no forward simulation.\n", output)
        self.assertIn("error[control.doubtful]: The inputs are not verified: the mass matrix is singular along an unconstrained direction, so there is no forward simulation. "
                      "from t = 1.64161 s on the motion is that of another mechanism: 'cable1' would have to act "
                      "the wrong way (a cable push, an open contact pull).\n", messages)
        summary = json.loads((self.folder / "summary.json").read_text())
        self.assertFalse(summary["verification"]["verified"])
        self.assertEqual(summary["health"]["state"], "doubtful")

    def test_json_and_quiet(self):
        status, output, messages = run("inverse", "overhead_crane", "--samples", 11, "--json",
                                       "--quiet", "--out", self.folder)
        self.assertEqual((status, messages), (0, ""))
        self.assertEqual(json.loads(output)["samples"], 11)

    def test_failure_gives_2_and_keeps_what_was_reached(self):
        status, _, messages = run("inverse", "navy_crane_3d", "--set", "n=4", "--quiet",
                                  "--out", self.folder)
        self.assertEqual(status, 2)
        self.assertEqual(messages.splitlines()[0],
                         "error[control.failed]: at t = 5 s: the reference of 'load_x' is not smooth "
                         "enough at t = 5 s: its derivative 5 jumps by -0.955. At index 7 its "
                         "derivatives up to order 5 must be continuous; to follow it the inputs "
                         "would need an impulse.")
        self.assertEqual(len(read_rows(self.folder / "inputs.csv")), 252)

    def test_steps_that_are_tried_first_show_no_progress(self):
        status, _, messages = run("inverse", "overhead_crane", "--method", "projection",
                                  "--quiet", "--out", self.folder)
        self.assertEqual((status, messages), (0, ""))

    def test_models_without_servo_constraints_are_refused(self):
        status, output, messages = run("inverse", "pendulum", "--out", self.folder)
        self.assertEqual((status, output), (1, ""))
        self.assertEqual(messages.splitlines()[0],
                         "error[control.no-outputs]: 'pendulum' prescribes no output.")

    def test_check_names_the_realisation(self):
        _, output, _ = run("check", "overhead_crane", "--json")
        self.assertEqual(json.loads(output)["realization"],
                         {"kind": "mixed orthogonal and tangential", "rank": 1, "outputs": 2})


class Live(unittest.TestCase):
    """koppel live: pacing, inputs from a file, Ctrl-C, exit codes."""

    CART = """name: cart
inputs: [F]
coordinates: {s: {start: 0}}
kinetic: s'^2
generalized_forces: {s: F}
outputs: {s: s, "s'": "s'"}
"""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temporary.name)
        self.model = self.folder / "cart.yaml"
        self.model.write_text(self.CART)
        self.out = self.folder / "out"

    def tearDown(self):
        self.temporary.cleanup()

    def live(self, *arguments):
        return run("live", self.model, "--native", "off", "--out", self.out, *arguments)

    def test_keeps_to_the_clock_with_inputs_from_a_file(self):
        signals = self.folder / "u.csv"
        signals.write_text("t,F\n0,2\n0.25,-2\n")
        before = time.monotonic()
        status, output, _ = self.live("--step", 1e-2, "--end", 0.5, "--inputs", signals, "--json")
        self.assertEqual(status, 0)
        self.assertGreaterEqual(time.monotonic() - before, 0.49)
        summary = json.loads(output)
        self.assertEqual((summary["status"], summary["steps"]), ("done", 50))
        self.assertAlmostEqual(summary["final"]["s'"], 0, places=12)
        for key in ("median", "p99_9", "max"):
            self.assertGreater(summary["step_seconds"][key], 0)
        self.assertEqual(json.loads((self.out / "summary.json").read_text()), summary)
        rows = read_rows(self.out / "trajectory.csv")
        self.assertEqual((len(rows), rows[0][:3]), (52, ["t", "s", "s'"]))
        self.assertAlmostEqual(float(rows[26][2]), 0.25, places=12)

    def test_ctrl_c_ends_it_with_statistics_and_complete_files(self):
        process = subprocess.Popen(
            [PROGRAM, "live", self.model, "--native", "off", "--step", "1e-3", "--out", self.out],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        trajectory = self.out / "trajectory.csv"
        while process.poll() is None and not (
                trajectory.exists() and trajectory.stat().st_size > 10_000):
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0)
        self.assertIn("inputs: F\noutputs: s, s'\n", messages)
        self.assertRegex(output, r"\n  steps +median \S+ \S+, 99.9 % \S+ \S+, maximum ")
        self.assertRegex(output, r"\n  deadlines +(none|\d+ of \d+) missed, of 1 ms each")
        rows = read_rows(trajectory)[1:]
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual((summary["status"], summary["steps"]), ("stopped", len(rows) - 1))
        self.assertEqual(summary["reached"], float(rows[-1][0]))

    def test_failures_and_mistakes_have_their_exit_codes(self):
        status, _, messages = self.live("--step", 1e-3, "--inputs", self.folder / "none.csv")
        self.assertEqual(status, 1)
        self.assertIn("none.csv", messages)
        status, _, messages = self.live()
        self.assertEqual((status, messages), (
            1, "error[live.needs-step]: a live loop needs a step, and none is given.\n"
               "  Give one, such as --step 1e-3.\n"))
        self.model.write_text(self.CART + "events: {end: {when: s - 1, stop: true}}\n")
        status, _, messages = self.live("--step", 1e-3)
        self.assertEqual((status, messages), (
            1, f"{self.model}:7:10: error[live.has-events]: the model has events ('end'), which a fixed-cost "
               "step cannot handle.\n  Take them out, or use `koppel run`.\n"))
        self.model.write_text(self.CART.replace("{s: F}", "{s: -exp(s^2)*s}")
                              .replace("{start: 0}", "{start: 1}"))
        status, _, messages = self.live("--step", 1, "--speed", 0, "--quiet", "--integrator",
                                        "explicit-euler")
        self.assertEqual(status, 2)
        rows = len(read_rows(self.out / "trajectory.csv")) - 1
        self.assertRegex(messages, r"^error\[live.failed\]: at t = \S+ s: the step gave a value that "
                         r"is not finite")
        self.assertIn(f"All {rows} rows up to there are in {self.out}/trajectory.csv.", messages)


class Compare(unittest.TestCase):
    def test_prints_a_table_and_a_recommendation(self):
        status, output, messages = run("compare", "pendulum", "--end", 1, "--formulations",
                                       "index1,qr", "--integrators", "dop853,taylor")
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("qr/dop853", output)
        self.assertIn("Skipped qr/taylor: ", output)
        self.assertIn("Recommended: ", output)
        self.assertLessEqual(max(map(len, output.splitlines())), 80)

    def test_json_and_files(self):
        with tempfile.TemporaryDirectory() as folder:
            status, output, _ = run("compare", "pendulum", "--end", 1, "--formulations", "index1,svd",
                                    "--integrators", "dop853", "--tol", "1e-6,1e-9", "--json",
                                    "--out", folder)
            self.assertEqual(status, 0)
            found = json.loads(output)
            self.assertEqual(len(found["runs"]), 4)
            self.assertEqual({run["status"] for run in found["runs"]}, {"done"})
            self.assertEqual(set(os.listdir(folder)), {"compare.json", "drift.html", "work.html"})

    def test_unknown_names_are_mistakes(self):
        status, _, messages = run("compare", "pendulum", "--integrators", "dop854")
        self.assertEqual(status, 1)
        self.assertIn("Did you mean 'dop853'?", messages)
        status, _, messages = run("compare", "pendulum", "--tol", "small")
        self.assertEqual(status, 1)
        self.assertIn("--tol 'small' is not a number.", messages)


if __name__ == "__main__":
    unittest.main()

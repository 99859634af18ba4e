"""Faults and hostile input: full disks, closed descriptors, signals, broken files. Usage: ... PROGRAM"""

import csv
import fcntl
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"

NOT_PRINTED = "error: standard output cannot be written.\n"


def run(*arguments, **options):
    result = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                            errors="surrogateescape", timeout=120, **options)
    return result.returncode, result.stdout, result.stderr


def limit_files(size):
    """What to call in the child: no file may grow beyond this, as on a full disk."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"

    def write(self, name, text):
        path = self.folder / name
        path.write_bytes(text) if isinstance(text, bytes) else path.write_text(text)
        return path


class FullDisk(InFolder):
    def test_full_standard_output_gives_2_for_every_command(self):
        os.chdir(self.folder)
        for arguments in (["--help"], ["--version"], ["check", "pendulum"],
                          ["check", "pendulum", "--json"], ["equations", "pendulum"],
                          ["expr", "2+x"], ["models"], ["models", "--json"],
                          ["export", "pendulum", "--to", "c", "--step", "1e-3"],
                          ["budget", "pendulum", "--step", "1e-3"],
                          ["compare", "pendulum", "--end", "0.1", "--formulations", "index1",
                           "--integrators", "dop853"],
                          ["run", "pendulum", "--end", "0.1"],
                          ["inverse", "overhead_crane", "--samples", "5"]):
            with open("/dev/full", "w") as full:
                result = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE,
                                        text=True, timeout=120)
            self.assertEqual((result.returncode, result.stderr), (2, NOT_PRINTED), arguments)

    def test_hdf5_that_does_not_fit_is_an_error_and_leaves_no_file(self):
        status, _, messages = run("run", "slider_crank", "--hdf5", "--end", 1, "--out", self.out,
                                  "--samples", 200, preexec_fn=limit_files(120_000))
        self.assertEqual(status, 2)
        self.assertIn(f"error[results.not-written]: {self.out}/trajectory.h5 cannot be written: "
                      "File too large.", messages)
        self.assertEqual(sorted(p.name for p in self.out.iterdir()),
                         ["summary.json", "trajectory.csv"])

    def test_summary_counts_the_rows_that_are_in_the_file(self):
        for command, model in (("run", "slider_crank"), ("inverse", "overhead_crane")):
            status, _, messages = run(command, model, "--samples", 5000, "--out", self.out,
                                      preexec_fn=limit_files(300_000))
            self.assertEqual(status, 2)
            rows = rows_of(self.out / "trajectory.csv")
            self.assertGreater(len(rows), 100)
            self.assertIn(f"{len(rows)} rows in it are complete.", messages)
            summary = json.loads((self.out / "summary.json").read_text())
            self.assertEqual((summary["samples"], summary["reached"]),
                             (len(rows), float(rows[-1][0])))

    def test_files_that_do_not_fit_leave_those_of_before(self):
        arguments = ["export", "slider_crank", "--to", "c", "--step", "1e-3", "--out", self.out]
        self.assertEqual(run(*arguments)[0], 0)
        before = {p.name: p.read_text() for p in self.out.iterdir()}
        status, _, messages = run(*arguments, preexec_fn=limit_files(2_000))
        self.assertEqual((status, messages), (
            2, f"error[results.not-written]: {self.out}/slider_crank.c cannot be written: "
               "File too large.\n"))
        self.assertEqual({p.name: p.read_text() for p in self.out.iterdir()}, before)

    def test_compare_that_cannot_write_gives_2(self):
        status, _, messages = run("compare", "pendulum", "--end", 0.1, "--formulations", "index1",
                                  "--integrators", "dop853", "--out", self.out,
                                  preexec_fn=limit_files(200))
        self.assertEqual((status, messages), (
            2, f"error[results.not-written]: {self.out}/compare.json cannot be written: "
               "File too large.\n"))
        self.assertEqual(list(self.out.iterdir()), [])

    def test_an_fmu_that_cannot_be_written_leaves_nothing(self):
        path = self.folder / "none" / "a.fmu"  # there is no such folder
        status, _, messages = run("export", "pendulum", "--to", "fmu", "--step", "1e-3", "--out",
                                  path)
        self.assertEqual(status, 2)
        self.assertIn(f"error[results.not-written]: {path} cannot be written", messages)
        self.assertEqual(list(self.folder.iterdir()), [])


class Descriptors(InFolder):
    def test_closed_standard_descriptors_keep_out_of_the_files(self):
        for closed in ((1,), (2,), (1, 2), (0, 1, 2)):
            process = subprocess.Popen(
                [PROGRAM, "run", "pendulum", "--samples", "11", "--end", "1", "--out", self.out],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                preexec_fn=lambda: [os.close(i) for i in closed])
            self.assertEqual(process.wait(60), 0, closed)
            text = (self.out / "trajectory.csv").read_text()
            self.assertEqual(len(text.splitlines()), 12, closed)
            self.assertTrue(text.startswith("t,"), closed)


class TwoRuns(InFolder):
    def test_a_folder_in_use_is_refused(self):
        self.out.mkdir()
        holder = os.open(self.out, os.O_RDONLY)
        fcntl.flock(holder, fcntl.LOCK_EX)
        expected = (1, "", f"error[results.folder-in-use]: another run is writing into {self.out}.\n"
                           "  Wait for its end, or give another folder with --out.\n")
        self.assertEqual(run("run", "pendulum", "--end", 1, "--out", self.out), expected)
        self.assertEqual(run("inverse", "overhead_crane", "--out", self.out), expected)
        self.assertEqual(list(self.out.iterdir()), [])
        os.close(holder)
        self.assertEqual(run("run", "pendulum", "--end", 1, "--out", self.out)[0], 0)


class Interrupts(InFolder):
    """Ctrl-C is heeded at once, and what was reached is kept."""

    # The limit is 0.2 s on an idle machine; tests may share theirs with others.
    LIMIT = 1.5

    def interrupt(self, wait, *arguments):
        process = subprocess.Popen([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.kill)
        time.sleep(wait)
        self.assertIsNone(process.poll(), "it ended before it was interrupted")
        before = time.monotonic()
        process.send_signal(signal.SIGINT)
        output, messages = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - before, self.LIMIT)
        return process.returncode, output, messages

    def test_compare(self):
        status, _, messages = self.interrupt(1, "compare", "bricard", "--end", 20)
        self.assertEqual(status, 2)
        self.assertRegex(messages, r"^interrupted after \d+ runs\.\n$")

    def test_events_that_are_dense(self):
        path = self.write("dense.yaml", """name: dense
parameters: {k: 0}
coordinates: {x: {start: 1}}
kinetic: x'^2/2
potential: x^2/2
events: {tick: {when: sin(1e5*t), set: {k: k + 1}}}
outputs: {x: x, k: k}
run: {end: 1000}
""")
        status, _, messages = self.interrupt(1, "run", path, "--out", self.out)
        self.assertEqual(status, 2)
        rows = rows_of(self.out / "trajectory.csv")
        summary = json.loads((self.out / "summary.json").read_text())
        self.assertEqual((summary["status"], summary["samples"]), ("stopped", len(rows)))
        self.assertEqual(summary["reached"], float(rows[-1][0]))
        # The row is that before the event: x = cos t.
        self.assertLess(summary["reached"], 100)
        self.assertIn(f"All {len(rows)} rows up to there", messages)

    def test_feedback_of_inverse(self):
        status, _, messages = self.interrupt(
            0.5, "inverse", "overhead_crane", "--feedback", "lqr", "--samples", 20001,
            *(word for k in range(60) for word in ("--disturb", f"s={k / 100}")), "--out", self.out)
        self.assertEqual(status, 2)
        self.assertTrue(messages.startswith("interrupted"), messages)
        self.assertTrue((self.out / "summary.json").exists())


class Memory(InFolder):
    def limited(self, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        return run(*arguments, preexec_fn=limit)

    def test_too_many_samples_are_refused_before_anything_is_written(self):
        for command, model in (("run", "pendulum"), ("inverse", "overhead_crane")):
            status, output, messages = self.limited(command, model, "--samples", 1_000_000_000,
                                                    "--out", self.out)
            self.assertEqual((status, output), (1, ""))
            self.assertRegex(messages, r"^error\[simulate.too-many-samples\]: 1000000000 rows of "
                             r"\d+ columns take \d+ GB of memory; 1.07 GB may be used.\n"
                             r"  Ask for fewer samples.\n$")
            self.assertEqual(list(self.out.iterdir()), [])

    def test_inputs_that_never_end_are_refused(self):
        model = self.write("cart.yaml", "name: cart\ninputs: [F]\ncoordinates: {s: {start: 0}}\n"
                                        "kinetic: s'^2\ngeneralized_forces: {s: F}\n")
        for path, why in (("/dev/zero", "the file is longer than 256 MiB, the limit."),
                          (self.folder, "the file cannot be read: Is a directory.")):
            self.assertEqual(
                self.limited("live", model, "--step", 1e-3, "--inputs", path, "--out", self.out),
                (1, "", f"{path}: error[results.no-file]: {why}\n"))

    def test_absurd_paces_are_refused(self):
        model = self.write("cart.yaml", "name: cart\ncoordinates: {s: {start: 0}}\nkinetic: s'^2\n")
        for arguments in (["--step", "1e-3", "--speed", "1e-300"], ["--step", "1e-30"]):
            status, _, messages = run("live", model, "--tape", *arguments, "--out", self.out)
            self.assertEqual(status, 1)
            self.assertTrue(messages.startswith("error[live.bad-option]: "), messages)


if __name__ == "__main__":
    unittest.main()

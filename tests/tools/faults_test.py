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


if __name__ == "__main__":
    unittest.main()

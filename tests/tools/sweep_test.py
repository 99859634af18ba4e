"""koppel sweep: tables, failures, kills, threads, full disks, wrong arguments. Usage: ... PROGRAM"""

import csv
import fcntl
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))

# Closes for b < 4 only.
FOUR_BAR = """
dimension: 2
parameters: {b: 2.5, m: 1}
gravity: [0, -9.81]
bodies:
  crank: {mass: m, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}, angle: 60 deg}
  coupler: {mass: m, shape: {rod: {to: [2, 0]}}, points: {C: [2, 0]}, position: [0.5, 0.87]}
  rocker: {mass: m, shape: {rod: {to: [1, 0]}}, points: {C: [1, 0]}, position: [b, 0], angle: 80 deg}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0]}
  b1: {type: revolute, between: [crank.B, coupler]}
  c: {type: revolute, between: [coupler.C, rocker.C]}
  d: {type: revolute, between: [ground, rocker], at: [b, 0]}
outputs: {y: crank.B.y}
run: {end: 0.2, samples: 21}
"""


def run(*arguments, **options):
    result = subprocess.run([PROGRAM, "sweep", *map(str, arguments)], capture_output=True, text=True, timeout=120,
                            **options)
    return result.returncode, result.stdout, result.stderr


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


class Sweep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.model = self.folder / "bar.yaml"
        self.model.write_text(FOUR_BAR)

    def files(self, folder):
        return {name: (folder / name).read_bytes() for name in ("sweep.csv", "manifest.json", "report.html")}


class Tables(Sweep):
    def test_a_parameter_is_varied_or_set(self):
        code, _, errors = run("pendulum", "--vary", "l=1:2:3", "--set", "l=5", "--output", "x:final", cwd=self.folder)
        self.assertEqual(code, 1)
        self.assertIn("'l' is both varied and set to 5.", errors)

    def test_rows_are_those_of_single_runs(self):
        status, output, messages = run("pendulum", "--vary", "l=0.5,1", "--vary", "g=5:9.81:2", "--end", 1, "--output",
                                       "y", "--output", "x:mean", "--out", self.out)
        self.assertEqual((status, messages), (0, ""))
        rows = rows_of(self.out / "sweep.csv")
        self.assertEqual(list(rows[0]), ["variant", "l", "g", "y:final", "x:mean", "status", "error", "reason"])
        self.assertEqual([(r["l"], r["g"]) for r in rows], [("0.5", "5"), ("0.5", "9.81"), ("1", "5"), ("1", "9.81")])
        for row in rows:
            alone = self.folder / "alone"
            subprocess.run([PROGRAM, "run", "pendulum", "--set", "l=" + row["l"], "--set", "g=" + row["g"], "--end", "1",
                            "--out", alone, "--quiet"], check=True)
            self.assertEqual(row["y:final"], rows_of(alone / "trajectory.csv")[-1]["y"])
        manifest = json.loads((self.out / "manifest.json").read_text())
        self.assertEqual((manifest["variants"], manifest["failed"], manifest["points"]), (4, 0, "grid"))
        self.assertEqual(manifest["vary"], ["l=0.5,1", "g=5:9.81:2"])

    def test_failures_are_rows_with_their_reason_and_the_exit_code_is_2(self):
        status, _, messages = run(self.model, "--vary", "b=2,5,2.5", "--out", self.out)
        self.assertEqual(status, 2)
        rows = rows_of(self.out / "sweep.csv")
        self.assertEqual([r["status"] for r in rows], ["done", "failed", "done"])
        self.assertEqual((rows[1]["error"], rows[1]["y:final"]), ("assembly.impossible", ""))
        self.assertIn("cannot", rows[1]["reason"])
        self.assertTrue(messages.startswith(
            "error[study.failed-variants]: 1 of 3 variants failed.\n"
            f"  Their rows in {self.out}/sweep.csv say why; the others are complete.\n"
            "  1,5,,failed,assembly.impossible,"), messages)

    def test_points_of_every_kind(self):
        for kind in ("--random", "--latin", "--sobol"):
            out = self.folder / kind[2:]
            status, _, messages = run("pendulum", "--vary", "l=0.5:1.5", "--vary", "g=1:100:log", kind, 8, "--end", 0.1,
                                      "--out", out)
            self.assertEqual((status, messages), (0, ""))
            rows = rows_of(out / "sweep.csv")
            self.assertEqual(len(rows), 8)
            self.assertTrue(all(0.5 <= float(r["l"]) <= 1.5 and 1 <= float(r["g"]) <= 100 for r in rows))
        points = self.folder / "points.csv"
        points.write_text("g,l\n9.81,1\n1.62,2\n")
        status, _, messages = run("pendulum", "--from", points, "--end", 0.1, "--out", self.out)
        self.assertEqual((status, messages), (0, ""))
        self.assertEqual([(r["g"], r["l"]) for r in rows_of(self.out / "sweep.csv")], [("9.81", "1"), ("1.62", "2")])

    def test_parameters_that_change_the_structure(self):
        status, _, messages = run("chain", "--vary", "n=1,3,5", "--end", 0.05, "--output", "energy", "--out", self.out)
        self.assertEqual((status, messages), (0, ""))
        self.assertEqual([r["status"] for r in rows_of(self.out / "sweep.csv")], ["done"] * 3)


    # x = l sin(...) for small angles scales with l: the median over l = 1, 2, 3 is that of l = 2 at the start.
    def test_bands_over_time(self):
        arguments = ["pendulum", "--vary", "l=1,2,3", "--end", 1, "--output", "x", "--bands", 5]
        status, _, messages = run(*arguments, "--out", self.out)
        self.assertEqual((status, messages), (0, ""))
        rows = rows_of(self.out / "bands.csv")
        self.assertEqual([r["t"] for r in rows], ["0", "0.25", "0.5", "0.75", "1"])
        self.assertEqual([rows[0][p] for p in ("p5", "p50", "p95", "variants")], ["-2.9", "-2", "-1.1", "3"])
        final = sorted(float(r["x:final"]) for r in rows_of(self.out / "sweep.csv"))
        # Linear between values: 5 % of three is a tenth of the way from the first to the second.
        expected = [final[0] + 0.1 * (final[1] - final[0]), final[1], final[2] - 0.1 * (final[2] - final[1])]
        for part, value in zip(("p5", "p50", "p95"), expected):
            self.assertAlmostEqual(float(rows[-1][part]), value, places=12)
        journal = self.out / "journal.txt"
        before = {**self.files(self.out), "bands": (self.out / "bands.csv").read_bytes()}
        journal.write_bytes(journal.read_bytes()[:-30])
        run(*arguments, "--out", self.out)
        self.assertEqual({**self.files(self.out), "bands": (self.out / "bands.csv").read_bytes()}, before)
        self.assertEqual(run(*arguments[:-1], 1, "--out", self.out)[2],
                         "error[arguments.wrong]: --bands 1 is no number of times: 2 to 10000 are possible.\n")


class Restarts(Sweep):
    ARGUMENTS = ["--vary", "b=2:4.5:12", "--vary", "m=1:2:10", "--output", "y:min", "--output", "coupler.x:integral"]

    def test_the_middle_of_two_is_their_mean(self):
        code, _, errors = run("pendulum", "--vary", "l=1,2", "--end", 1, "--output", "x", "--bands", 2, "--out", self.out)
        self.assertEqual(code, 0, errors)
        ends = [float(row["x"] if "x" in row else row["x:final"]) for row in rows_of(self.out / "sweep.csv")]
        last = rows_of(self.out / "bands.csv")[-1]
        self.assertAlmostEqual(float(last["p50"]), sum(ends) / 2, places=12)
        self.assertAlmostEqual(float(last["p25"]), min(ends) + (max(ends) - min(ends)) / 4, places=12)

    def test_the_number_of_threads_does_not_change_a_byte(self):
        results = []
        for jobs in (1, 2, 5):
            out = self.folder / str(jobs)
            status, _, _ = run(self.model, *self.ARGUMENTS, "--jobs", jobs, "--hdf5", "--out", out)
            self.assertEqual(status, 2)  # b > 4 does not close
            results.append({**self.files(out), "h5": (out / "sweep.h5").read_bytes()})
            self.assertEqual(results[-1]["h5"][1:4], b"HDF")
        self.assertEqual(results[0], results[1])
        self.assertEqual(results[0], results[2])

    def test_killed_at_any_instant_it_goes_on_to_the_same_bytes(self):
        whole = self.folder / "whole"
        begin = time.monotonic()
        run(self.model, *self.ARGUMENTS, "--out", whole)
        duration = time.monotonic() - begin
        rng = random.Random(7)
        kills = 0
        for _ in range(12):
            process = subprocess.Popen([PROGRAM, "sweep", self.model, *self.ARGUMENTS, "--out", self.out],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            # Each time it gets a tenth further: it is not done before some kills on a busy machine either.
            time.sleep(rng.uniform(0, 0.2 * duration))
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
        self.assertGreater(kills, 3)
        status, _, messages = run(self.model, *self.ARGUMENTS, "--out", self.out)
        self.assertEqual(status, 2)
        self.assertIn("variants are in ", messages)
        self.assertEqual(self.files(self.out), self.files(whole))

    def test_interrupted_it_says_so_and_goes_on(self):
        process = subprocess.Popen([PROGRAM, "sweep", "slider_crank", "--vary", "a=0.1:0.4:50", "--vary", "m=0.1:1:50",
                                    "--out", self.out], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        journal = self.out / "journal.txt"
        while not (journal.exists() and journal.stat().st_size > 2000):
            self.assertIsNone(process.poll(), process.stderr.read() if process.poll() is not None else "")
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertRegex(messages, r"^interrupted after \d+ of 2500 variants.\n"
                                   rf"  They are in {journal}; the same command continues from there.\n$")

    def test_a_journal_of_another_sweep_is_refused_with_what_differs(self):
        run("pendulum", "--vary", "l=0.5,1", "--end", 0.1, "--out", self.out)
        before = self.files(self.out)
        status, _, messages = run("pendulum", "--vary", "l=0.5,2", "--end", 0.1, "--tol", 1e-6, "--out", self.out)
        self.assertEqual((status, messages), (
            1, f"error[study.other-sweep]: {self.out}/journal.txt is that of another sweep: "
               "vary is [\"l=0.5,1\"] there, [\"l=0.5,2\"] here; tolerance is 1e-08 there, 1e-06 here.\n"
               "  Give another folder, or remove the journal to start again.\n"))
        self.assertEqual(self.files(self.out), before)

    def test_a_model_that_changed_is_another_sweep(self):
        run(self.model, "--vary", "m=1,2", "--out", self.out)
        self.model.write_text(FOUR_BAR.replace("9.81", "9.8"))
        status, _, messages = run(self.model, "--vary", "m=1,2", "--out", self.out)
        self.assertEqual(status, 1)
        self.assertRegex(messages, r"another sweep: model_hash is \"[0-9a-f]{32}\" there, \"[0-9a-f]{32}\" here\.")

    def test_a_full_disk_loses_nothing(self):
        whole = self.folder / "whole"
        run(self.model, *self.ARGUMENTS, "--out", whole)

        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        status, _, messages = run(self.model, *self.ARGUMENTS, "--out", self.out, preexec_fn=small)
        self.assertEqual(status, 2)
        self.assertRegex(messages, rf"^error\[results.not-written\]: {self.out}/journal.txt cannot be written any "
                                   r"further: File too large\. \d+ rows in it are complete\.\n"
                                   r"  The same command continues from there once there is room\.\n$")
        self.assertGreater((self.out / "journal.txt").stat().st_size, 2000)
        run(self.model, *self.ARGUMENTS, "--out", self.out)
        self.assertEqual(self.files(self.out), self.files(whole))


NO_LAUNCHER = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}


def wait_for_rows(journal, count, process):
    """Until a journal has so many lines."""
    while not (journal.exists() and journal.read_bytes().count(b"\n") > count):
        if process.poll() is not None:
            raise AssertionError(process.communicate())
        time.sleep(0.005)


def ranks_of(process):
    """The processes that mpirun started, by their rank."""
    found = {}
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            environment = pathlib.Path(f"/proc/{child}/environ").read_bytes().split(b"\0")
            found.update({int(line.split(b"=")[1]): int(child) for line in environment
                          if line.startswith(b"OMPI_COMM_WORLD_RANK=")})
    return found


@unittest.skipIf(shutil.which("mpirun") is None, "no mpirun")
class Ranks(Sweep):
    ARGUMENTS = ["--vary", "b=2:4.5:12", "--vary", "m=1:2:10", "--output", "y:min", "--output", "coupler.x:integral"]
    LONGER = ["slider_crank", "--vary", "a=0.2:0.4:20", "--vary", "m=0.5:2:10", "--end", 10]

    def start(self, *arguments, ranks=3):
        """mpirun of Open MPI 4 or 5; or of several programs, with ':' between them."""
        environment = {**NO_LAUNCHER, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                       "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
        command = ["mpirun", "-n", str(ranks), PROGRAM, "sweep", *map(str, arguments), "--mpi", "--out", str(self.out)]
        process = subprocess.Popen(command, text=True, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.communicate)
        self.addCleanup(process.terminate)  # which ends the ranks too
        return process

    def whole(self, *arguments):
        out = self.folder / "whole"
        run(*arguments, "--out", out)
        return self.files(out)

    def test_ranks_give_the_bytes_of_one_machine(self):
        process = self.start(self.model, *self.ARGUMENTS)
        output, messages = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 2, messages)  # b > 4 does not close
        self.assertIn("error[study.failed-variants]: ", messages)
        self.assertIn("with 1 thread on each of 3 ranks; rank 0 took ", " ".join(output.split()))
        self.assertEqual(self.files(self.out), self.whole(self.model, *self.ARGUMENTS))
        self.assertEqual(sorted(path.name for path in self.out.iterdir()),
                         ["journal.txt", "manifest.json", "report.html", "sweep.csv"])

    def test_ranks_with_threads_and_bands_give_the_bytes_of_one_machine(self):
        arguments = ["pendulum", "--vary", "l=1:2:60", "--end", 1, "--output", "x", "--bands", 5]
        process = self.start(*arguments, "--jobs", 2)
        _, messages = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, messages)  # MPI may have something to say about the network
        self.assertEqual(self.files(self.out), self.whole(*arguments))
        self.assertEqual((self.out / "bands.csv").read_bytes(), (self.folder / "whole" / "bands.csv").read_bytes())

    def test_where_a_rank_is_killed_all_end_and_the_same_command_continues(self):
        journal = self.out / "journal.txt"
        for rank in (2, 0):
            before = journal.read_bytes().count(b"\n") if journal.exists() else 0
            process = self.start(*self.LONGER)
            wait_for_rows(journal, before + 5, process)
            os.kill(ranks_of(process)[rank], signal.SIGKILL)
            process.communicate(timeout=100)
            self.assertNotEqual(process.returncode, 0)
            self.assertFalse((self.out / "sweep.csv").exists())
        process = self.start(*self.LONGER)
        _, messages = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, messages)
        self.assertIn("of 200 variants are in ", messages)
        self.assertEqual(self.files(self.out), self.whole(*self.LONGER))

    def test_interrupted_they_continue_to_the_same_bytes(self):
        process = self.start(*self.LONGER)
        wait_for_rows(self.out / "journal.txt", 20, process)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=100)
        self.assertNotEqual(process.returncode, 0)
        process = self.start(*self.LONGER)
        _, messages = process.communicate(timeout=100)
        self.assertEqual(process.returncode, 0, messages)
        self.assertEqual(self.files(self.out), self.whole(*self.LONGER))

    def test_a_rank_with_another_model_is_refused(self):
        other = self.folder / "other" / "bar.yaml"
        other.parent.mkdir()
        other.write_text(FOUR_BAR.replace("9.81", "9.8"))
        process = self.start(self.model, "--vary", "m=1:2:300", "--mpi", "--out", self.out, ":", "-n", 1, PROGRAM, "sweep",
                             other, "--vary", "m=1:2:300", ranks=1)
        _, messages = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(messages, r"error\[study.refused\]: rank 1 on .* computes another sweep: model_hash is .* there, "
                                   r".* here\.\n  All ranks must run the same program on the same model\.\n")

    def test_processes_that_mpi_does_not_join_are_refused(self):
        self.assertEqual(run("pendulum", "--vary", "l=1,2", "--mpi", "--out", self.out,
                             env={**NO_LAUNCHER, "SLURM_STEP_NUM_TASKS": "4"}), (
            1, "", "error[study.no-mpi]: 4 processes were started, and for Open MPI each of them is alone.\n"
                   "  Start them with the mpirun of Open MPI, or by srun with PMIx.\n"))


class WithoutMpi(Sweep):
    def test_without_a_launcher_it_is_refused(self):
        self.assertEqual(run("pendulum", "--vary", "l=1,2", "--mpi", "--out", self.out, env=NO_LAUNCHER), (
            1, "", "error[arguments.wrong]: --mpi is given, and neither mpirun nor srun started this program.\n"
                   "  Start it as `mpirun -n 4 koppel sweep … --mpi`.\n"))

    def test_without_the_library_it_is_refused(self):
        (self.folder / "libmpi.so.40").touch()
        status, output, messages = run("pendulum", "--vary", "l=1,2", "--mpi", "--out", self.out,
                                       env={**NO_LAUNCHER, "OMPI_COMM_WORLD_SIZE": "2", "LD_LIBRARY_PATH": str(self.folder)})
        self.assertEqual((status, output), (1, ""))
        self.assertRegex(messages, r"^error\[study.no-mpi\]: Open MPI \(libmpi\.so\.40\) cannot be used: .*: file too short\n"
                                   r"  Install it on all machines \(Debian: openmpi-bin\), or share the work by --part, "
                                   r"which needs no MPI\.\n$")


class Parts(Sweep):
    ARGUMENTS = ["--vary", "b=2:4.5:12", "--vary", "m=1:2:10", "--output", "y:min", "--output", "coupler.x:integral"]

    def part(self, part, *arguments):
        return run(*(arguments or [self.model, *self.ARGUMENTS]), "--part", part, "--out", self.out)

    def collect(self, *arguments):
        return run(*(arguments or [self.model, *self.ARGUMENTS]), "--collect", "--out", self.out)

    def whole(self, *arguments):
        out = self.folder / "whole"
        run(*(arguments or [self.model, *self.ARGUMENTS]), "--out", out)
        return self.files(out)

    def test_parts_are_collected_to_the_bytes_of_one_machine(self):
        command = [PROGRAM, "sweep", self.model, *self.ARGUMENTS, "--out", self.out]
        together = [subprocess.Popen([*command, "--part", f"{i}/4", "--json"], stdout=subprocess.PIPE, text=True)
                    for i in (1, 3)]
        self.assertEqual([json.loads(process.communicate(timeout=100)[0]) for process in together],
                         [{"part": i, "parts": 4, "variants": 30, "of": 120} for i in (1, 3)])
        for part in ("4/4", "2/4"):
            status, output, messages = self.part(part)
            self.assertEqual((status, messages), (0, ""))
        self.assertIn("2 of 4: 30 of 120 variants", output)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()), [f"part-{i}-of-4.txt" for i in (1, 2, 3, 4)])
        status, output, messages = self.collect()
        self.assertEqual(status, 2)  # b > 4 does not close
        self.assertIn("30 of 120 variants failed.", messages)
        self.assertEqual(self.files(self.out), self.whole())
        self.assertEqual(sorted(path.name for path in self.out.iterdir()),
                         ["journal.txt", "manifest.json", "report.html", "sweep.csv"])
        self.assertEqual(self.collect()[0], 2)  # all of it is in the journal
        self.assertEqual(self.files(self.out), self.files(self.folder / "whole"))

    def test_parts_that_step_together_or_have_bands_give_the_same_bytes(self):
        for arguments in (["pendulum", "--vary", "l=1:2:50", "--step", 0.01, "--end", 1, "--output", "x:max", "--batch"],
                          ["pendulum", "--vary", "l=1:2:20", "--end", 1, "--output", "x", "--bands", 5]):
            shutil.rmtree(self.out, ignore_errors=True)
            shutil.rmtree(self.folder / "whole", ignore_errors=True)
            for part in ("1/3", "2/3", "3/3"):
                self.assertEqual(self.part(part, *arguments)[::2], (0, ""))
            self.assertEqual(self.collect(*arguments)[::2], (0, ""))
            self.assertEqual(self.files(self.out), self.whole(*arguments))

    def test_a_part_that_was_killed_continues(self):
        arguments = ["slider_crank", "--vary", "a=0.2:0.4:20", "--vary", "m=0.5:2:10", "--end", 10]
        journal = self.out / "part-1-of-2.txt"
        process = subprocess.Popen([PROGRAM, "sweep", *map(str, arguments), "--part", "1/2", "--out", self.out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for_rows(journal, 20, process)
        process.kill()
        process.communicate()
        self.assertEqual(self.part("2/2", *arguments)[0], 0)
        count = journal.read_bytes().count(b"\n") - 2
        self.assertEqual(self.collect(*arguments), (
            1, "", f"error[study.missing-parts]: the sweep in {self.out} is not complete: part 1 has {count} of 100 variants.\n"
                   "  The same command with --part 1/2 in place of --collect computes what is missing.\n"))
        status, _, messages = self.part("1/2", *arguments)
        self.assertEqual((status, messages), (0, f"note: {count} of 100 variants are in {journal} already.\n"))
        self.assertEqual(self.collect(*arguments)[::2], (0, ""))
        self.assertEqual(self.files(self.out), self.whole(*arguments))

    def test_killed_at_any_instant_collecting_continues_to_the_same_bytes(self):
        for part in ("1/2", "2/2"):
            self.assertEqual(self.part(part)[0], 0)
        rng = random.Random(3)
        for _ in range(10):
            process = subprocess.Popen([PROGRAM, "sweep", self.model, *self.ARGUMENTS, "--collect", "--out", self.out],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0, 0.1))
            process.kill()
            process.wait()
        self.assertEqual(self.collect()[0], 2)
        self.assertEqual(self.files(self.out), self.whole())

    def test_missing_parts_are_named_with_what_computes_them(self):
        arguments = ["pendulum", "--vary", "l=1:2:16", "--end", 0.1]
        self.assertEqual(self.collect(*arguments), (
            1, "", f"error[study.missing-parts]: {self.out} has no parts of a sweep.\n"
                   "  The same command with --part 1/4 in place of --collect computes the first of four, and so on.\n"))
        self.assertEqual(list(self.out.iterdir()), [])  # what is collected by mistake leaves nothing
        self.part("1/5", *arguments)
        self.part("4/5", *arguments)
        self.assertEqual(self.collect(*arguments), (
            1, "", f"error[study.missing-parts]: the sweep in {self.out} is not complete: parts 2, 3 and 5 of 5 are not there.\n"
                   "  The same command with --part 2/5 in place of --collect computes what is missing of the first of "
                   "them.\n"))

    def test_parts_of_other_sweeps_and_of_other_divisions_are_refused(self):
        arguments = ["pendulum", "--vary", "l=1:2:4", "--end", 0.1]
        self.part("1/2", *arguments)
        other = self.part("2/2", *arguments[:-1], 0.2)
        self.assertEqual(other[0], 0)
        self.assertEqual(self.collect(*arguments), (
            1, "", f"error[study.other-sweep]: {self.out}/part-2-of-2.txt is that of another sweep: end is 0.2 there, 0.1 here.\n"
                   "  Give another folder, or remove the journal to start again.\n"))
        self.part("1/3", *arguments)
        self.assertEqual(self.collect(*arguments), (
            1, "", f"error[study.mixed-parts]: {self.out} has parts of a sweep in 2 and of one in 3.\n"
                   "  Remove the files part-*-of-2.txt or part-*-of-3.txt.\n"))

    def test_a_part_that_is_being_computed_is_left_alone(self):
        arguments = ["pendulum", "--vary", "l=1:2:4", "--end", 0.1]
        self.part("1/2", *arguments)
        journal = self.out / "part-1-of-2.txt"
        with open(journal) as holder:
            fcntl.flock(holder, fcntl.LOCK_EX)
            expected = (1, "", f"error[results.folder-in-use]: another run is writing into {journal}.\n  Wait for its end.\n")
            self.assertEqual(self.part("1/2", *arguments), expected)
            self.assertEqual(self.collect(*arguments), expected)
            self.assertEqual(self.part("2/2", *arguments)[0], 0)
        self.assertEqual(self.collect(*arguments)[0], 0)

    def test_a_full_disk_loses_nothing_of_a_part(self):
        def small():
            resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
        arguments = [self.model, *self.ARGUMENTS]
        status, _, messages = run(*arguments, "--part", "1/1", "--out", self.out, preexec_fn=small)
        self.assertEqual(status, 2)
        self.assertIn("The same command continues from there once there is room.", messages)
        self.assertEqual(self.part("1/1")[0], 0)
        self.collect()
        self.assertEqual(self.files(self.out), self.whole())

    def test_more_parts_than_variants(self):
        arguments = ["pendulum", "--vary", "l=1,2", "--end", 0.1]
        for part in ("1/3", "2/3"):
            self.part(part, *arguments)
        self.assertEqual(self.part("3/3", *arguments)[::2], (0, ""))
        self.assertEqual(self.collect(*arguments)[0], 0)
        self.assertEqual(self.files(self.out), self.whole(*arguments))

    def test_wrong_parts(self):
        for part, expected in (
                ("3", "'3' is not a part of a sweep.\n  Write the number of the part and that of all parts, such as 2/4.\n"),
                ("2/", "'2/' is not a part of a sweep.\n  Write the number of the part and that of all parts, such as 2/4.\n"),
                ("5/4", "there is no part 5 of 4: the first is 1, the last 4.\n"),
                ("0/4", "there is no part 0 of 4: the first is 1, the last 4.\n"
                        "  A batch array of tasks 1-4 counts like this.\n")):
            self.assertEqual(run("pendulum", "--vary", "l=1,2", "--part", part, "--out", self.out),
                             (1, "", "error[study.bad-part]: " + expected))
        self.assertEqual(run("pendulum", "--vary", "l=1,2", "--part", "1/2", "--collect", "--out", self.out), (
            1, "", "error[arguments.wrong]: --part and --collect are both given.\n  Leave out one of them.\n"))


# An output of parameters alone, whose indices are known [Ishigami & Homma 1990].
ISHIGAMI = """
parameters: {a: 0, b: 0, c: 0}
coordinates: [x]
kinetic: 0.5*x'^2
outputs: {y: sin(a) + 7*sin(b)^2 + 0.1*c^4*sin(a)}
run: {end: 0.01, samples: 2, integrator: rk4, step: 0.01}
"""


class GlobalSensitivities(Sweep):
    RANGES = [part for name in "abc" for part in ("--vary", f"{name}=-3.141592653589793:3.141592653589793")]

    def test_sobol_indices_are_the_closed_forms(self):
        self.model.write_text(ISHIGAMI)
        status, _, messages = run(self.model, *self.RANGES, "--indices", 512, "--out", self.out)
        self.assertEqual((status, messages), (0, ""))
        rows = rows_of(self.out / "indices.csv")
        self.assertEqual([(r["criterion"], r["parameter"], r["pairs"]) for r in rows],
                         [("y:final", name, "512") for name in "abc"])
        for row, first, total in zip(rows, (0.3139, 0.4424, 0), (0.5576, 0.4424, 0.2437)):
            self.assertAlmostEqual(float(row["first"]), first, delta=0.03)
            self.assertAlmostEqual(float(row["total"]), total, delta=0.03)
            self.assertLess(float(row["total_low"]), float(row["total"]))
            self.assertGreater(float(row["total_high"]), float(row["total"]))
        manifest = json.loads((self.out / "manifest.json").read_text())
        self.assertEqual((manifest["points"], manifest["seed"], manifest["variants"]), ("saltelli", 1, 2560))

    def test_elementary_effects_leave_out_what_failed(self):
        status, _, _ = run(self.model, "--vary", "b=2:4.5", "--vary", "m=1:2", "--morris", 10, "--out", self.out)
        self.assertEqual(status, 2)
        rows = rows_of(self.out / "indices.csv")
        self.assertEqual([r["parameter"] for r in rows], ["b", "m"])
        self.assertLess(int(rows[0]["effects"]), 10)
        self.assertGreater(float(rows[0]["mu_star"]), 0)


class WrongArguments(Sweep):
    def check(self, arguments, expected):
        self.assertEqual(run(*arguments, "--out", self.out), (1, "", expected))
        self.assertFalse(self.out.exists())

    def test_texts(self):
        self.check(["pendulum", "--vary", "ll=1:2:3"],
                   "error[study.unknown-parameter]: the model has no parameter 'll' to be varied.\n"
                   "  parameters: m, l, g. Did you mean 'l'?\n")
        self.check(["pendulum"], "error[study.bad-design]: no parameter is varied.\n  Say which: name=low:high:n.\n")
        self.check(["pendulum", "--vary", "l=2:1:3"],
                   "error[study.bad-range]: 'l=2:1:3' is no range: it is empty: 2 is not below 1.\n"
                   "  Write name=low:high:n, name=low:high, name=low:high:n:log, or name=a,b,c.\n")
        self.check(["pendulum", "--vary", "l=1:2:3", "--output", "q:max"],
                   "error[study.unknown-quantity]: criterion 'q:max': the model has no quantity 'q'.\n"
                   "  Outputs, quantities such as joint.angle or body.x, their rates, parameters and columns of a "
                   "trajectory are known.\n")
        self.check(["pendulum", "--vary", "l=1:2", "--random", "3", "--latin", "3"],
                   "error[arguments.wrong]: more than one of --random, --latin, --sobol, --morris, --indices and --from is "
                   "given.\n"
                   "  Leave all but one of them out; without any the points are a grid.\n")
        self.check(["pendulum", "--vary", "l=1:2:3", "--seed", "3"],
                   "error[arguments.wrong]: --seed is given, and the points are a grid.\n"
                   "  Use it with --random, --latin, --sobol, --morris or --indices.\n")
        self.check(["pendulum", "--vary", "l=1:2:3", "--bands", "5", "--batch"],
                   "error[arguments.wrong]: --bands is given with --batch or --gpu, which keep no series.\n"
                   "  Leave out one of them.\n")
        self.check(["pendulum", "--vary", "l=1:2:3", "--jobs", "0"],
                   "error[arguments.wrong]: --jobs 0 is no number of threads: 1 to 4096 are possible.\n")

    def test_what_criteria_cannot_follow_from_is_told(self):
        self.check(["pendulum", "--vary", "l=1,2", "--samples", "steps"],
                   "error[arguments.wrong]: --samples steps is given without --step: steps of their own length are few "
                   "and far apart, and criteria computed from their ends are wrong.\n"
                   "  Give a number of rows, such as --samples 10001, or a --step.\n")
        for label in ("l", "status"):
            self.check(["pendulum", "--vary", "l=1,2", "--output", label + "=x:max"],
                       f"error[study.bad-criterion]: criterion '{label}' has the name of another column of the table.\n"
                       f"  Give it another one, such as {label}_1 = …\n")
        self.check(["pendulum", "--vary", "l=1:2", "--morris", "1"],
                   "error[study.bad-design]: indices do not follow from one path: at least 2 are needed.\n"
                   "  Take some tens of paths, or some hundreds of pairs.\n")
        self.check(["pendulum", "--vary", "l=1:2", "--indices", "1"],
                   "error[study.bad-design]: indices do not follow from one pair of points: at least 2 are needed.\n"
                   "  Take some tens of paths, or some hundreds of pairs.\n")

    def test_points_from_files_that_are_wrong(self):
        points = self.folder / "points.csv"
        points.write_text("l,mass\n1,2\n")
        self.check(["pendulum", "--from", points],
                   "error[study.unknown-parameter]: the model has no parameter 'mass' to be varied.\n"
                   "  parameters: m, l, g.\n")
        points.write_text("l,m\n1,2\n1,\n")
        self.check(["pendulum", "--from", points],
                   f"error[study.bad-points]: {points} has no value of 'm' in row 2.\n"
                   "  Each row needs a value for every parameter.\n")
        points.write_text("l,m\n1,2\n1\n")
        self.check(["pendulum", "--from", points],
                   f"{points}:3:1: error[csv.bad-line]: 1 fields where the header has 2.\n")
        points.write_text("l,m\n")
        self.check(["pendulum", "--from", points],
                   f"error[study.bad-points]: {points} has no rows.\n"
                   "  It needs a line with the names of parameters, then a line for each variant.\n")
        self.check(["pendulum", "--from", points, "--vary", "l=1:2:3"],
                   "error[arguments.wrong]: --vary and --from are both given.\n"
                   "  The columns of the file say which parameters are varied.\n")
        self.check(["pendulum", "--from", self.folder / "none.csv"],
                   f"{self.folder}/none.csv: error[study.bad-points]: the file cannot be read: No such file or directory.\n")


if __name__ == "__main__":
    unittest.main()

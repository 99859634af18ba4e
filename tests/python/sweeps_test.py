"""Sweeps: the same bytes from the program, from threads, and from the workers of executors that are lost or fail."""

import concurrent.futures
import contextlib
import json
import os
import pathlib
import pickle
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import koppel as kp

PROGRAM = os.environ["KOPPEL"]
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
VARY = {"b": (2, 4.4, 5), "m": (1, 2, 5)}
OUTPUTS = ["y:min", "coupler.x:integral"]
OPTIONS = ["--vary", "b=2:4.4:5", "--vary", "m=1:2:5", "--output", "y:min", "--output", "coupler.x:integral"]
LONGER = {"a": (0.2, 0.4, 20), "m": (0.5, 2, 10)}


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "bar.yaml"
    path.write_text(FOUR_BAR)
    return str(path)


def program(model, *options, out):
    subprocess.run([PROGRAM, "sweep", model, *map(str, options), "--out", str(out), "--quiet"], stderr=subprocess.DEVNULL)
    return files(out)


def files(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.name != "journal.txt"}


def swept(model, out, *arguments, **options):
    """The files of a sweep in which some variants fail."""
    with pytest.warns(kp.Doubtful, match="5 of 25 variants failed"):
        kp.sweep(model, *(arguments or (VARY, OUTPUTS)), out=out, **options)
    return files(out)


def test_threads_and_pools_give_the_bytes_of_the_program(model, tmp_path):
    expected = program(model, *OPTIONS, out=tmp_path / "program")
    assert list(sorted(expected)) == ["manifest.json", "report.html", "sweep.csv"]
    assert swept(model, tmp_path / "threads") == expected
    assert swept(model, tmp_path / "one", jobs=1) == expected
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        assert swept(model, tmp_path / "pool", executor=pool) == expected
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        assert swept(model, tmp_path / "processes", executor=pool) == expected
        assert swept(model, tmp_path / "pieces", executor=pool, piece=7) == expected


def test_a_model_of_python_is_the_model_of_its_file(model, tmp_path):
    expected = program(model, *OPTIONS, out=tmp_path / "program")
    of_python = kp.load(model)
    assert of_python.document["parameters"]["m"] == 1  # mappings and lists from now on
    with concurrent.futures.ProcessPoolExecutor(2) as pool, pytest.warns(kp.Doubtful):
        s = of_python.sweep(VARY, OUTPUTS, executor=pool, out=tmp_path / "python")
    assert files(tmp_path / "python")["sweep.csv"] == expected["sweep.csv"]
    expected = program(model, "--vary", "b=2:3:3", "--set", "m=3", out=tmp_path / "set")
    of_python.parameters["m"] = 3
    again = of_python.sweep({"b": (2, 3, 3)}, out=tmp_path / "again")
    assert files(tmp_path / "again") == expected and again.manifest["model_hash"] != s.manifest["model_hash"]


@pytest.mark.parametrize("options, given", [
    (["--vary", "l=0.5:1.5", "--latin", 8], {"vary": {"l": (0.5, 1.5)}, "latin": 8}),
    (["--vary", "l=0.5:1.5", "--random", 8, "--seed", 3], {"vary": {"l": (0.5, 1.5)}, "random": 8, "seed": 3}),
    (["--vary", "l=0.5:5:log", "--sobol", 8], {"vary": {"l": (0.5, 5, "log")}, "sobol": 8}),
    (["--vary", "l=0.5:1.5", "--vary", "g=1:10", "--morris", 4], {"vary": {"l": (0.5, 1.5), "g": (1, 10)}, "morris": 4}),
    (["--vary", "l=0.5:1.5", "--indices", 4], {"vary": "l=0.5:1.5", "indices": 4}),
    (["--vary", "l=1,2,3", "--bands", 5, "--hdf5"], {"vary": {"l": [1, 2, 3]}, "bands": 5, "hdf5": True}),
    (["--vary", "l=1:2:3:log", "--step", 0.01, "--integrator", "rk4", "--tol", "1e-6", "--samples", "steps"],
     {"vary": {"l": (1, 2, 3, "log")}, "step": 0.01, "integrator": "rk4", "tolerance": 1e-6, "samples": "steps"}),
])
def test_points_and_options_are_those_of_the_program(options, given, tmp_path):
    options = ["--end", 0.5, "--output", "x", "--output", "y:max", *options]
    expected = program("pendulum", *options, out=tmp_path / "program")
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        for name, executor in (("threads", None), ("pool", pool)):
            kp.sweep("pendulum", outputs=["x", "y:max"], end=0.5, out=tmp_path / name, executor=executor, **given)
            assert files(tmp_path / name) == expected


def test_points_that_are_given_travel_with_the_pieces(tmp_path):
    points = {"g": [9.81, 1.62, 3.7], "l": [1, 2, 0.3]}
    (tmp_path / "points.csv").write_text("g,l\n" + "".join(f"{g},{l}\n" for g, l in zip(*points.values())))
    expected = program("pendulum", "--from", tmp_path / "points.csv", "--end", 1, out=tmp_path / "program")
    kp.sweep("pendulum", points=points, end=1, out=tmp_path / "threads")
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        kp.sweep("pendulum", points=points, end=1, out=tmp_path / "pool", executor=pool, piece=2)
    assert files(tmp_path / "threads") == files(tmp_path / "pool") == expected


def test_rows_are_a_dictionary_each_a_structured_array_and_a_table(model, tmp_path):
    with pytest.warns(kp.Doubtful):
        s = kp.sweep(model, {"b": [2, 5]}, "y:min")
    assert s.folder is None and list(s) == ["variant", "b", "y:min", "status", "error", "reason"]
    assert s.rows[0] == {"variant": 0, "b": 2.0, "y:min": s["y:min"][0], "status": "done", "error": "", "reason": ""}
    assert s.rows[1]["error"] == "assembly.impossible" and np.isnan(s.rows[1]["y:min"])
    assert (s.failed, s.doubtful) == (1, 0) and "1 failed" in repr(s)
    records = s.to_numpy()
    assert records.dtype.names == tuple(s) and records["b"].tolist() == [2, 5]
    pandas = pytest.importorskip("pandas")
    assert isinstance(s.to_pandas(), pandas.DataFrame) and s.to_pandas()["status"].tolist() == ["done", "failed"]
    again = pickle.loads(pickle.dumps(s))
    assert again.manifest == s.manifest and again["b"].tolist() == [2, 5]
    bands = kp.sweep("pendulum", {"l": [1, 2, 3]}, "x", end=1, bands=3).bands
    assert [row["t"] for row in bands] == [0, 0.5, 1] and bands[0]["p50"] == -2
    indices = kp.sweep("pendulum", {"l": (1, 2)}, "x", end=1, morris=4).indices
    assert indices[0]["parameter"] == "l" and indices[0]["effects"] == 4


def test_progress_counts_the_rows(tmp_path):
    for executor in (None, concurrent.futures.ThreadPoolExecutor(2)):
        seen = []
        kp.sweep("pendulum", {"l": (1, 2, 9)}, end=0.1, executor=executor, progress=lambda *n: seen.append(n))
        assert seen == [(i, 9) for i in range(1, 10)]


def test_interrupted_it_continues_to_the_same_bytes(tmp_path):
    kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "whole")
    for executor in (None, concurrent.futures.ThreadPoolExecutor(2)):
        out = tmp_path / ("pool" if executor else "threads")

        def interrupt(done, _):
            if done == 20:
                os.kill(os.getpid(), signal.SIGINT)
        with pytest.raises(kp.Interrupted, match=r"interrupted after \d+ of 200 variants. The same call continues"):
            kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=out, executor=executor, progress=interrupt)
        assert not (out / "sweep.csv").exists()
        kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=out, executor=executor)
        assert files(out) == files(tmp_path / "whole")


def test_killed_at_any_instant_it_continues_to_the_same_bytes(tmp_path):
    kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "whole")
    script = f"""
import concurrent.futures, koppel as kp
with concurrent.futures.ProcessPoolExecutor(2) as pool:
    kp.sweep("slider_crank", {LONGER}, "Bx:max", end=0.5, out={str(tmp_path / "out")!r}, executor=pool, piece=3)
"""
    journal = tmp_path / "out" / "journal.txt"
    started = []
    for rows in (20, 90):
        process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
        started.append(process.pid)
        while not (journal.exists() and journal.read_bytes().count(b"\n") > rows) and process.poll() is None:
            time.sleep(0.005)
        process.kill()  # its pool stays behind
        process.wait()
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "out", executor=pool)
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    for session in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(session, signal.SIGKILL)


def test_a_pool_whose_process_is_killed_fails_and_another_continues(tmp_path):
    def kill_one(done, _):
        if done == 20:
            os.kill(next(iter(pool._processes)), signal.SIGKILL)
    with concurrent.futures.ProcessPoolExecutor(2) as pool:
        with pytest.raises(kp.Error, match=r"the executor failed after \d+ of 200 variants: BrokenProcessPool") as raised:
            kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "out", executor=pool, progress=kill_one)
    assert raised.value.id == "study.executor-failed"
    with pytest.raises(kp.Error, match="after 0 of 200 variants"):  # it accepts nothing more
        kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "none", executor=pool)
    assert list((tmp_path / "none").iterdir()) == []
    kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "out")
    kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "whole")
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_the_sweep_of_the_program_continues_in_python_and_back(model, tmp_path):
    expected = program(model, *OPTIONS, out=tmp_path / "program")
    for name in ("sweep.csv", "manifest.json", "report.html"):
        (tmp_path / "program" / name).unlink()
    journal = tmp_path / "program" / "journal.txt"
    journal.write_bytes(journal.read_bytes()[:-100])
    assert swept(model, tmp_path / "program") == expected
    journal.write_bytes(journal.read_bytes()[:-100])
    assert program(model, *OPTIONS, out=tmp_path / "program") == expected


class KilledWorker(Exception):
    """As Dask calls it."""


class Losing(concurrent.futures.ThreadPoolExecutor):
    """Loses workers with some variants, so many times each."""

    def __init__(self, times):
        super().__init__(1)
        self.times = dict(times)

    def submit(self, compute, job, manifest, numbers, *rest):
        for number in numbers:
            if self.times.get(number, 0) > 0:
                self.times[number] -= 1
                return super().submit(self.lose)
        return super().submit(compute, job, manifest, numbers, *rest)

    @staticmethod
    def lose():
        raise KilledWorker("worker")


def test_what_lost_workers_had_is_handed_out_again(tmp_path):
    whole = kp.sweep("pendulum", {"l": (1, 2, 9)}, end=0.1, out=tmp_path / "whole")
    kp.sweep("pendulum", {"l": (1, 2, 9)}, end=0.1, out=tmp_path / "out", executor=Losing({1: 2, 7: 1}), piece=4)
    assert files(tmp_path / "out") == files(tmp_path / "whole")
    with pytest.warns(kp.Doubtful, match="1 of 9 variants failed."):
        s = kp.sweep("pendulum", {"l": (1, 2, 9)}, end=0.1, executor=Losing({5: 10}), piece=4)
    assert s.rows[5]["error"] == "study.lost-workers"
    assert s["y:final"][[0, 8]].tolist() == whole["y:final"][[0, 8]].tolist()


def test_what_is_wrong_is_said_before_anything_runs(tmp_path):
    def refused(id, *arguments, **options):
        with pytest.raises(kp.Error) as raised:
            kp.sweep(*arguments, **options)
        assert raised.value.id == id
        return str(raised.value)

    assert "'ll'" in refused("study.unknown-parameter", "pendulum", {"ll": (1, 2, 3)})
    assert "no parameter is varied" in refused("study.bad-design", "pendulum")
    assert "2 is not below 1" in refused("study.bad-range", "pendulum", {"l": (2, 1, 3)})
    assert "'l' has the range 5" in refused("study.bad-range", "pendulum", {"l": 5})
    assert "no quantity 'q'" in refused("study.unknown-quantity", "pendulum", {"l": [1]}, "q:max")
    assert "`random` and `latin`" in refused("python.wrong-option", "pendulum", {"l": (1, 2)}, random=3, latin=3)
    assert "`vary` and `points`" in refused("python.wrong-option", "pendulum", {"l": (1, 2)}, points={"l": [1]})
    assert "a grid" in refused("python.wrong-option", "pendulum", {"l": (1, 2, 3)}, seed=1)
    assert "`jobs = 0` is not a number of threads" in refused("python.wrong-option", "pendulum", {"l": [1]}, jobs=0)
    assert "have no rows" in refused("study.bad-points", "pendulum", points={"l": []})
    assert "different lengths" in refused("study.bad-points", "pendulum", points={"l": [1], "g": [1, 2]})
    assert "no value of 'l' in row 2" in refused("study.bad-points", "pendulum", points={"l": [1, np.nan]})
    assert "no method submit" in refused("python.wrong-option", "pendulum", {"l": [1]}, executor="pool")
    assert "without `step`" in refused("python.wrong-option", "pendulum", {"l": [1]}, samples="steps")
    m = kp.load("pendulum", l=3)
    assert "both varied and set" in refused("python.wrong-option", m, {"l": [1]})
    kp.sweep("pendulum", {"l": [1]}, end=0.1, out=tmp_path)
    assert "end is 0.1 there, 0.2 here" in refused("study.other-sweep", "pendulum", {"l": [1]}, end=0.2, out=tmp_path)


def test_a_folder_in_use_is_refused(tmp_path):
    import fcntl
    holder = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(holder, fcntl.LOCK_EX)
    with pytest.raises(kp.Error, match="another run is writing"):
        kp.sweep("pendulum", {"l": [1]}, end=0.1, out=tmp_path)
    os.close(holder)


def test_a_dask_cluster_gives_the_same_bytes_with_a_worker_killed_in_the_middle(tmp_path):
    distributed = pytest.importorskip("distributed")
    whole = kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "whole")
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path),
                                  silence_logs=50) as cluster, distributed.Client(cluster) as client:
        pids = client.run(os.getpid)
        victim = sorted(pids.values())[0]
        killed = threading.Event()

        def kill_one(done, _):
            if done >= 40 and not killed.is_set():
                killed.set()
                os.kill(victim, signal.SIGKILL)
        s = kp.sweep("slider_crank", LONGER, "Bx:max", end=0.5, out=tmp_path / "out", executor=client, progress=kill_one)
        assert killed.is_set() and victim not in client.run(os.getpid).values()
    assert len(s.rows) == len(whole.rows) == 200
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_ranks_of_mpi4py_give_the_same_bytes(tmp_path):
    pytest.importorskip("mpi4py")
    if shutil.which("mpirun") is None:
        pytest.skip("no mpirun")
    kp.sweep("pendulum", {"l": (1, 2, 30)}, end=0.5, out=tmp_path / "whole")
    script = tmp_path / "script.py"
    script.write_text(f"""
import koppel as kp
from mpi4py.futures import MPIPoolExecutor
if __name__ == "__main__":
    with MPIPoolExecutor() as pool:
        kp.sweep("pendulum", {{"l": (1, 2, 30)}}, end=0.5, out={str(tmp_path / "out")!r}, executor=pool)
""")
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}
    result = subprocess.run(["mpirun", "-n", "3", sys.executable, "-m", "mpi4py.futures", str(script)],
                            capture_output=True, text=True, env=environment, timeout=200)
    assert result.returncode == 0, result.stderr
    assert files(tmp_path / "out") == files(tmp_path / "whole")


def test_the_manifest_is_that_of_the_file(tmp_path):
    s = kp.sweep("pendulum", {"l": [1]}, end=0.1, out=tmp_path)
    assert s.manifest == json.loads((tmp_path / "manifest.json").read_text()) and s.folder == str(tmp_path)

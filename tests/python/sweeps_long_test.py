"""2,000 variants by threads, MPI, the parts of an array, a pool of processes and a Dask cluster, all of them killed at some
instants: the same bytes."""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest

import koppel as kp

PROGRAM = os.environ["KOPPEL"]
MODEL = "slider_crank"
VARY = {"a": (0.2, 0.4, 100), "m": (0.5, 2, 20)}
ARGUMENTS = [MODEL, "--vary", "a=0.2:0.4:100", "--vary", "m=0.5:2:20", "--output", "Bx:max", "--output", "energy", "--end", "2"]
SWEPT = (MODEL, VARY, ["Bx:max", "energy"])
MPIRUN = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
          "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe"}


def files(folder):
    return {path.name: path.read_bytes() for path in pathlib.Path(folder).iterdir() if path.name != "journal.txt"}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """By one thread, and how long it took."""
    out = tmp_path_factory.mktemp("whole")
    begin = time.monotonic()
    subprocess.run([PROGRAM, "sweep", *ARGUMENTS, "--jobs", "1", "--out", out, "--quiet"], check=True)
    assert len((out / "sweep.csv").read_text().splitlines()) == 2001
    return files(out), time.monotonic() - begin


def killed_and_resumed(command, seconds, **options):
    """A command that is killed with all its processes at random instants, and at last comes to its end."""
    rng = random.Random(11)
    kills = 0
    for _ in range(6):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                   **options)
        time.sleep(rng.uniform(0, seconds / 4))
        kills += process.poll() is None
        kill_tree(process.pid)
        process.wait()
    assert kills > 2
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def kill_tree(pid):
    try:
        tasks = pathlib.Path(f"/proc/{pid}/task").iterdir()
        children = [int(child) for task in tasks for child in (task / "children").read_text().split()]
        os.kill(pid, signal.SIGKILL)
    except OSError:  # it has ended
        return
    for child in children:
        kill_tree(child)


def test_threads(whole, tmp_path):
    expected, seconds = whole
    killed_and_resumed([PROGRAM, "sweep", *ARGUMENTS, "--jobs", "2", "--out", tmp_path / "out"], seconds)
    assert files(tmp_path / "out") == expected
    kp.sweep(*SWEPT, end=2, out=tmp_path / "python")
    assert files(tmp_path / "python") == expected


@pytest.mark.skipif(shutil.which("mpirun") is None, reason="no mpirun")
def test_mpirun(whole, tmp_path):
    expected, seconds = whole
    killed_and_resumed(["mpirun", "-n", "3", PROGRAM, "sweep", *ARGUMENTS, "--mpi", "--out", tmp_path / "out"], seconds,
                       env=MPIRUN)
    assert files(tmp_path / "out") == expected


def test_four_parts_of_an_array(whole, tmp_path):
    expected, seconds = whole
    command = [PROGRAM, "sweep", *ARGUMENTS, "--jobs", "1", "--out", tmp_path / "out"]
    for part in range(1, 5):
        killed_and_resumed([*command, "--part", f"{part}/4"], seconds / 4)
    collecting = subprocess.Popen([*command, "--collect"], stdout=subprocess.DEVNULL)
    time.sleep(0.02)
    collecting.kill()
    collecting.wait()
    subprocess.run([*command, "--collect", "--quiet"], check=True)
    assert files(tmp_path / "out") == expected


def test_a_pool_of_processes(whole, tmp_path):
    expected, seconds = whole
    script = f"""
import concurrent.futures, koppel as kp
with concurrent.futures.ProcessPoolExecutor(2) as pool:
    kp.sweep({MODEL!r}, {VARY}, ["Bx:max", "energy"], end=2, out={str(tmp_path / "out")!r}, executor=pool)
"""
    killed_and_resumed([sys.executable, "-c", script], seconds)
    assert files(tmp_path / "out") == expected


def test_a_dask_cluster_of_three_workers_of_which_one_is_killed(whole, tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=3, threads_per_worker=1, dashboard_address=None, local_directory=str(tmp_path),
                                  silence_logs=50) as cluster, distributed.Client(cluster) as client:
        victim = sorted(client.run(os.getpid).values())[0]
        killed = threading.Event()

        def kill_one(done, _):
            if done >= 700 and not killed.is_set():
                killed.set()
                os.kill(victim, signal.SIGKILL)
        kp.sweep(*SWEPT, end=2, out=tmp_path / "out", executor=client, progress=kill_one)
        assert killed.is_set()
    assert files(tmp_path / "out") == whole[0]

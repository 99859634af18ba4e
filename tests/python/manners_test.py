"""Manners: locks, threads, Ctrl-C, warnings, failures, copies."""

import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import koppel as kp

# An oscillator that takes long for its periods.
OSCILLATOR = """name: oscillator
coordinates: [x]
kinetic: x'^2/2
potential: 2*pi^2*x^2
initial: {x: 1}
outputs: {x: x}
run: {end: 1e6, samples: 1001}
"""

INTERRUPTED = f"""
import koppel, os, signal, threading, time
model = koppel.Model.from_yaml({OSCILLATOR!r})
# Sent once the run is under way; so that a slow machine does not matter, the run itself says when.
def tell(t, end):
    if t > 0 and not told:
        told.append(t)
        os.kill(os.getpid(), signal.SIGINT)
told = []
try:
    model.simulate(progress=tell)
    print("not interrupted")
except koppel.Interrupted as stop:
    run = stop.run
    assert isinstance(stop, KeyboardInterrupt)
    assert run.status == "stopped" and 0 < told[0] <= run.reached < 1e6 and len(run["x"]) >= 1
    print("stopped with what was reached")
print(model.simulate(end=1).status)
"""


def test_ctrl_c_stops_with_what_was_reached_and_the_next_run_goes_on():
    result = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=120)
    assert result.stdout.split("\n")[:2] == ["stopped with what was reached", "done"], result.stderr


def test_a_run_of_a_script_ends_by_ctrl_c_as_any_other():
    script = f"import koppel\nprint('begun', flush=True)\nkoppel.Model.from_yaml({OSCILLATOR!r}).simulate()"
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0 and "Interrupted: interrupted at t = " in errors or "KeyboardInterrupt" in errors


def test_other_threads_work_while_one_simulates():
    model = kp.Model.from_yaml(OSCILLATOR)
    seconds = []

    def simulate():
        begin = time.perf_counter()
        model.simulate(end=2e4)
        seconds.append(time.perf_counter() - begin)

    thread = threading.Thread(target=simulate)
    thread.start()
    times = []
    while thread.is_alive():
        times.append(time.perf_counter())
        time.sleep(0.001)
    # With the lock held there would be one gap as long as the run.
    assert len(times) > 3 and max(np.diff(times)) < 0.5 * seconds[0]


def test_models_in_several_threads_give_the_numbers_of_one():
    expected = kp.load("four_bar").simulate(end=0.3)
    columns = [name for name, group in expected.groups.items() if group == "outputs"]
    results = [None] * 4

    def simulate(i):
        results[i] = kp.load("four_bar").simulate(end=0.3)

    threads = [threading.Thread(target=simulate, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for run in results:
        assert all(np.array_equal(run[name], expected[name]) for name in columns)


def test_one_model_in_several_threads_waits_for_its_turn():
    model = kp.load("pendulum")
    expected = model.simulate(end=1)["x"]
    results = []
    threads = [threading.Thread(target=lambda: results.append(model.simulate(end=1)["x"])) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(results) == 4 and all(np.array_equal(r, expected) for r in results)


def test_progress_is_told_and_can_stop_a_run():
    model = kp.Model.from_yaml(OSCILLATOR)
    seen = []
    run = model.simulate(end=1e5, progress=lambda t, end: seen.append((t, end)) or len(seen) < 3)
    assert run.status == "stopped" and len(seen) == 3 and seen[-1][1] == 1e5
    assert run.reached >= seen[-1][0] > seen[0][0]

    def wrong(t, end):
        raise RuntimeError("of the callback")

    with pytest.raises(RuntimeError, match="of the callback"):
        model.simulate(end=1e5, progress=wrong)


def test_a_bar_goes_to_the_end_of_a_run_and_not_beyond_what_was_reached(capsys):
    pytest.importorskip("tqdm")  # of packages-test.txt
    kp.load("pendulum").simulate(end=2, progress=True)
    assert "100%|" in capsys.readouterr().err
    m = kp.Model()
    x = m.state("x", start=1)
    m.rate_of(x, x**2)  # leaves every bound at t = 1
    with pytest.raises(kp.Failed):
        m.simulate(end=2, progress=True)
    assert "100%|" not in capsys.readouterr().err


def test_without_tqdm_the_bar_is_a_line(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    kp.load("pendulum").simulate(end=2, progress=True)
    assert capsys.readouterr().err.endswith("\r2 of 2 s\n")


def test_models_are_copied_and_pickled():
    m = kp.Model(gravity=(0, -9.81))
    k = m.parameter("k", 100.0)
    rubber = m.table("rubber", [0, 1, 2], [0, 1, 5])
    rod = m.rod("rod", mass=1, length=1)
    pivot = m.revolute("pivot", m.ground, rod.start)
    m.spring("s", m.ground.point(0, 1), rod.end, stiffness=k, free_length=1, tension=rubber(pivot.angle))
    m.parameters["k"] = 50.0
    expected = m.simulate(end=1)["pivot.angle"]
    for again in (copy.copy(m), copy.deepcopy(m), m.copy(), pickle.loads(pickle.dumps(m))):
        assert again.parameters["k"] == 50.0
        assert np.array_equal(again.simulate(end=1)["pivot.angle"], expected)
    other = m.copy()
    other.parameters["k"] = 200.0
    other.output("x", "rod.x")
    assert m.parameters["k"] == 50.0 and m.outputs == [] and other.outputs == ["x"]


def simulate_file(name):
    return kp.load(name).simulate(end=0.2)


def test_processes_share_the_work():
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        runs = pool.map(simulate_file, ["pendulum", "slider_crank"])
        models = pool.map(kp.load, ["pendulum"])
    assert models[0].simulate(end=0.1).status == "done"
    here = simulate_file("pendulum")
    assert all(np.array_equal(runs[0][name], here[name]) for name in here) and runs[0].units == here.units
    assert runs[0](0.1)["x"] == here(0.1)["x"]
    with pytest.raises(kp.Error, match="there is no column 'yy'"):
        runs[0]["yy"]
    with pytest.raises(TypeError, match="writes no files"):
        runs[1].to_html()


def test_reports_are_pickled():
    found = kp.load("pendulum").check()
    assert pickle.loads(pickle.dumps(found)).dof == found.dof == 1
    error = pickle.loads(pickle.dumps(kp.Error([kp.Diagnostic("a.b", "text")])))
    assert error.id == "a.b"


def test_a_doubtful_result_is_not_silent():
    model = kp.load("pendulum")
    with pytest.warns(kp.Doubtful) as caught:
        run = model.simulate(end=3, step=0.01, integrator="explicit-euler", coordinates="joint")
    assert run.status == "doubtful" and str(caught[0].message) == run.text
    assert caught[0].filename == __file__


def test_a_run_that_fails_has_what_it_reached():
    # x' = x^2 leaves every bound at t = 1.
    m = kp.Model()
    x = m.state("x", start=1)
    m.rate_of(x, x**2)
    m.output("x", x)
    with pytest.raises(kp.Failed) as caught:
        m.simulate(end=2)
    run = caught.value.run
    assert 0.9 < run.reached <= 1.001 and caught.value.id == "simulate.failed"
    early = run.t < 0.9
    assert np.allclose(run["x"][early], 1 / (1 - run.t[early]), rtol=1e-6)


def test_notes_are_warnings():
    m = kp.Model(dimension=2)
    box = m.body("box", mass=1, inertia=1)
    slide = m.prismatic("slide", m.ground, box, axis=(1, 0))
    m.event("far", slide.position - 10)
    with pytest.warns(kp.Note, match="event 'far' did not happen"):
        m.simulate(end=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kp.Note)
        m.simulate(end=1)


def test_results_are_reproducible():
    runs = [kp.load("heavy_top").simulate(end=0.5) for _ in range(2)]
    assert all(np.array_equal(runs[0][name], runs[1][name]) for name in runs[0])


def test_errors_say_what_and_where(tmp_path):
    file = tmp_path / "wrong.yaml"
    file.write_text("dimension: 2\nbodies:\n  rod: {mas: 1}\n")
    with pytest.raises(kp.Error) as caught:
        kp.load(file).check()
    error = caught.value
    assert (error.id, error.file, error.line) == ("model.unknown-key", str(file), 3)
    assert error.text == "unknown key 'mas' in body 'rod'."
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.diagnostics) == (kp.Error, error.diagnostics)
    assert f"{type(error).__module__}.{type(error).__name__}" == "koppel.Error"


def test_a_name_that_a_run_does_not_have_is_missing_as_in_any_mapping():
    run = kp.load("pendulum").simulate(end=0.1)
    assert run.get("nowhere") is None and "nowhere" not in run
    with pytest.raises(KeyError) as caught:
        run["nowhere"]
    assert isinstance(caught.value, kp.Error)
    assert str(caught.value).startswith("error[results.unknown-column]: there is no column 'nowhere'.\n")

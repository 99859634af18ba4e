"""Derivatives, optima, fits and batches from Python: the library's numbers, with names."""

import math
import warnings

import numpy as np
import pytest

import koppel as kp

OSCILLATOR = """
parameters: {m: 2, k: 50, x0: 0.1}
inputs: [F]
coordinates: {x: {start: x0}}
kinetic: m*x'^2/2
potential: k*x^2/2
generalized_forces: {x: F}
outputs: {x: x}
run: {end: 1}
"""


@pytest.fixture
def oscillator():
    return kp.Model.from_yaml(OSCILLATOR)


def test_derivatives_are_those_of_the_closed_form(oscillator):
    w, t = 5.0, 2.0
    for mode in ("forward", "adjoint"):
        s = oscillator.sensitivity("x:final", ["k", "x0"], end=t, tolerance=1e-12, mode=mode)
        assert s["x:final", "x0"] == pytest.approx(math.cos(w * t), abs=1e-9)
        assert s["x:final", "k"] == pytest.approx(-0.1 * t * math.sin(w * t) / (2 * w * 2), abs=1e-10)
        assert s.is_adjoint == (mode == "adjoint")
        assert s.values == pytest.approx([0.1 * math.cos(w * t)], abs=1e-10)
    assert "x:final = " in repr(s)


def test_an_optimum_is_found_and_its_limits_are_kept(oscillator):
    # The first return to zero is at pi/(2 w): it shall be at 0.25 s.
    best = oscillator.optimize(minimize="x^2:final", over={"k": (20, 100)}, end=0.25)
    assert best.parameters["k"] == pytest.approx(2 * (math.pi / 2 / 0.25) ** 2, rel=1e-3)
    assert best.is_feasible and best.end == "converged"
    limited = oscillator.optimize(maximize="x:final", over={"x0": (0, 1)}, subject_to="x:max <= 0.3", end=1.2)
    assert limited.parameters["x0"] == pytest.approx(0.3, rel=1e-5)
    assert limited.active == ["x:max <= 0.3"]


def test_results_are_mappings_arrays_and_frames(oscillator):
    pandas = pytest.importorskip("pandas")
    s = oscillator.sensitivity(["x:final", "x:max"], ["k", "x0"], end=1)
    array = s.to_numpy()
    assert array.dtype.names == ("criterion", "value", "k", "x0")
    assert list(array["criterion"]) == s.criteria and list(array["x0"]) == list(s.derivatives[:, 1])
    frame = s.to_pandas()
    assert frame.loc["x:final", "k"] == s["x:final", "k"] and isinstance(frame, pandas.DataFrame)
    best = oscillator.optimize(maximize="x:final", over={"x0": (0, 1)}, end=1.2)
    assert best.to_pandas().loc["x0", "after"] == best.parameters["x0"]
    assert best.to_numpy()["before"][0] == 0.1
    t = np.linspace(0, 1, 20)
    found = oscillator.fit({"t": t, "x": 0.2 * np.cos(5 * t)}, ["x0"])
    assert found.to_numpy()["value"][0] == found.values["x0"]
    assert dict(found)["parameters"]["x0"]["value"] == found.values["x0"]


def test_limits_that_cannot_be_kept_are_warned_of(oscillator):
    with pytest.warns(kp.Doubtful, match="no point was found"):
        oscillator.optimize(minimize="x:final", over={"x0": (0.1, 1)}, subject_to="x:max <= 0.05", end=0.1)


def test_parameters_come_back_from_a_noisy_recording(oscillator):
    random = np.random.default_rng(1)
    t = np.linspace(0, 3, 150)
    x = 0.12 * np.cos(math.sqrt(60 / 2) * t) + 0.002 * random.standard_normal(t.size)
    x[7] = math.nan
    found = oscillator.fit({"t": t, "x": x}, {"k": (10, 100), "x0": None})
    for name, truth in (("k", 60), ("x0", 0.12)):
        assert abs(found.values[name] - truth) < 4 * found.deviations[name]
    assert found.columns["x"]["gaps"] == 1
    ratio = oscillator.fit({"t": t, "x": x}, ["k", "m"])
    assert "m" in ratio.undetermined[0] and "k" in ratio.undetermined[0]
    assert ratio.deviations["m"] == math.inf


def test_a_run_is_data_for_a_fit(oscillator):
    oscillator.parameters["k"] = 70
    run = oscillator.simulate(end=2, samples=50)
    del oscillator.parameters["k"]
    assert oscillator.fit({"t": run.t, "x": run["x"]}, "k").values["k"] == pytest.approx(70, rel=1e-6)


def test_copies_of_a_batch_have_their_own_inputs_and_parameters(oscillator):
    batch = kp.Batch(oscillator, 3, step=1e-3, integrator="rosenbrock", observe=["x", "x'"])
    assert batch.inputs == ["F"] and batch.observed == ["x", "x'"] and len(batch) == 3
    out = batch.step([[0.0], [5.0], [0.0]], steps=200)
    assert out[0, 0] == pytest.approx(0.1 * math.cos(5 * 0.2), abs=1e-6)
    assert out[1, 0] == pytest.approx(0.1 + (0.1 - 0.1) * math.cos(1.0), abs=1e-6)  # F = k x0 holds it
    assert (out[0] == out[2]).all()
    assert batch.t == pytest.approx(0.2)
    batch.set(x0=[0.1, 0.2, 0.3])
    assert batch.observe()[:, 0] == pytest.approx([0.1, 0.2, 0.3])
    batch.step(0.0, steps=5)
    assert batch.reset([False, True, False])[1, 0] == 0.2


def test_a_batch_on_a_card_has_the_numbers_of_lanes(oscillator, tmp_path, monkeypatch):
    """The code for a card, compiled for the host in its place."""
    monkeypatch.setenv("KOPPEL_NVCC", str(tmp_path / "nowhere"))
    with pytest.raises(kp.Error, match="compiler for graphics cards"):
        kp.Batch(oscillator, 3, step=1e-3, gpu=True)
    compiler = tmp_path / "host"
    compiler.write_text('#!/bin/sh\nfor word; do source=$word; done\n'
                        'while [ $# -gt 0 ]; do [ "$1" = -o ] && library=$2; shift; done\n'
                        'exec c++ -O1 -ffp-contract=off -fPIC -shared -x c++ "$source" -o "$library"\n')
    compiler.chmod(0o755)
    monkeypatch.setenv("KOPPEL_NVCC", str(compiler))
    ways = [kp.Batch(oscillator, 3, step=1e-3, integrator="rosenbrock", gpu=gpu) for gpu in (False, True)]
    for batch in ways:
        batch.set(x0=[0.1, 0.2, 0.3])
    forces = [[0.0], [5.0], [-1.0]]
    assert (ways[0].step(forces, steps=100) == ways[1].step(forces, steps=100)).all()
    marked = [True, False, False]
    assert (ways[0].reset(marked) == ways[1].reset(marked)).all()
    assert (ways[0].step(steps=10) == ways[1].step(steps=10)).all()
    assert (ways[0].t == ways[1].t).all()


def test_a_copy_whose_friction_sticks_fails_with_the_reason():
    """Of three sleds the second stops after 0.197 s, by tan t = v/F, and would need steps without end."""
    sled = kp.Model.from_yaml("parameters: {F: 0}\ncoordinates: {x: {start: 0, rate: 1}}\nkinetic: x'^2/2\npotential: x^2/2\n"
                              "generalized_forces: {x: -F*sign(x')}\noutputs: {x: x}\n")
    batch = kp.Batch(sled, 3, step=0.1, integrator="dop853")
    batch.set(F=[0, 5, 0])
    x = batch.step(steps=10)[:, 0]
    assert x[[0, 2]] == pytest.approx(math.sin(1), abs=1e-7) and math.isnan(x[1])
    assert list(batch.failures) == [1]
    assert batch.failures[1].startswith("in the step from t = 0.1 s: more than 100000 inner steps would be needed")
    batch.reset()
    assert batch.failures == {}


@pytest.mark.parametrize("count", [-1, 0, 2.5])
def test_a_batch_needs_copies(oscillator, count):
    with pytest.raises(ValueError, match="copies"):
        kp.Batch(oscillator, count, step=1e-3)


def test_values_of_a_batch_are_one_for_each_copy(oscillator):
    batch = kp.Batch(oscillator, 3, step=1e-3, integrator="rosenbrock")
    with pytest.raises(ValueError, match="'x0' has the shape \\(2,\\)"):
        batch.set(x0=[0.1, 0.2])


def test_an_optimisation_goes_on_from_its_journal(oscillator, tmp_path):
    journal, question = tmp_path / "journal.txt", {"minimize": "x^2:final", "over": {"k": (20, 100)}, "end": 0.25}
    with pytest.warns(kp.Doubtful, match="not found within 2 runs"):
        oscillator.optimize(**question, evaluations=2, journal=journal)
    few = journal.read_text()
    best = oscillator.optimize(**question, journal=journal)
    assert journal.read_text().startswith(few) and best == oscillator.optimize(**question)
    whole = journal.read_bytes()
    assert oscillator.optimize(**question, journal=journal) == best and journal.read_bytes() == whole
    with pytest.raises(kp.Error, match="is that of another optimisation: minimize is .* there, .* here"):
        oscillator.optimize(minimize="x:max", over={"k": (20, 100)}, end=0.25, journal=journal)
    assert journal.read_bytes() == whole


def test_headers_have_units(oscillator):
    t = np.linspace(0, 1, 40)
    x = 0.1 * np.cos(math.sqrt(60 / 2) * t)
    for data in ({"t": t, "x": x}, {"t [ms]": 1e3 * t, "x [mm]": 1e3 * x}):
        assert oscillator.fit(data, "k").values["k"] == pytest.approx(60, rel=1e-6)
    with pytest.raises(kp.Error, match="has the unit 'ft', which is not known"):
        oscillator.fit({"t": t, "x [ft]": x}, "k")
    pendulum = kp.load("pendulum")
    with pytest.raises(kp.Error, match="cannot be 'x' of the model, which is in m"):
        pendulum.fit({"t": t, "x [deg]": x}, "l")


def test_what_cannot_be_is_told_and_others_are_unharmed(oscillator):
    with pytest.raises(kp.Error, match="the range of 'k' is empty: 2 is not below 1"):
        oscillator.optimize(minimize="x:final", over={"k": (2, 1)})
    with pytest.raises(kp.Error, match="the range of 'k' is empty"):
        oscillator.fit({"t": [0, 1], "x": [0, 1]}, {"k": (5, 5)})
    with pytest.raises(kp.Error, match="the model has no quantity 'y'"):
        oscillator.optimize(minimize="y:final", over={"k": (1, 2)})
    with pytest.raises(kp.Error, match="the model has no event 'landing'"):
        oscillator.sensitivity("landing:time", "k")
    with pytest.raises(kp.Error, match="'k' is given twice"):
        oscillator.sensitivity("x:final", ["k", "k"])
    with pytest.warns(kp.Doubtful, match="the nearest misses x:max <= 0.05 by 0.05"):
        oscillator.optimize(minimize="x:final", over={"x0": (0.1, 1)}, subject_to="x:max <= 0.05", end=0.1)
    with pytest.raises(kp.Error, match="row 2 of the data has no time"):
        oscillator.fit({"t": [0, math.nan, 1], "x": [0, 1, 2]}, "k")
    with pytest.raises(kp.Error, match="different lengths"):
        oscillator.fit({"t": [0, 1], "x": [0, 1, 2]}, "k")
    # A crank of 5 m does not close; the other copies are set.
    cranks = kp.Batch(kp.load("slider_crank"), 3, step=1e-3, integrator="rattle", observe=["Bx"])
    with pytest.raises(kp.Error, match="study.batch-start"):
        cranks.set(a=[0.35, 5, 0.4])
    with pytest.raises(kp.Error, match="copy 1 with m = -1: body 'crank' has the mass -1"):
        cranks.set(m=[1, -1, 1])
    alone = kp.Batch(kp.load("slider_crank"), 1, step=1e-3, integrator="rattle", observe=["Bx"])
    alone.set(a=0.35)
    assert cranks.step(steps=50)[0, 0] == alone.step(steps=50)[0, 0]
    # Nor does one of 2 m, but with a rod of 5 m.
    cranks.set(a=2, b=5)
    assert np.isfinite(cranks.step(steps=10)).all()
    with pytest.raises(ValueError, match="the model has none"):
        cranks.step(inputs=[[1]])


def test_wrong_arguments_are_told(oscillator):
    with pytest.raises(kp.Error, match="neither a parameter nor an initial value"):
        oscillator.sensitivity("x:final", ["kk"])
    with pytest.raises(kp.Error, match="`mode = backwards` is not known"):
        oscillator.sensitivity("x:final", ["k"], mode="backwards")
    with pytest.raises(kp.Error, match="give either `minimize` or `maximize`"):
        oscillator.optimize(over={"k": (1, 2)})
    with pytest.raises(kp.Error, match="no column of the data"):
        oscillator.fit({"t": [0, 1], "y": [0, 1]}, "k")
    with pytest.raises(kp.Error, match="of 2 copies with 1 inputs is given"):
        kp.Batch(oscillator, 2, step=0.01, integrator="rosenbrock")._batch.advance(np.zeros(5), 1)

"""Runs: the numbers of the command line, arrays, dense output, tables, plots and pages."""

import csv
import json
import os
import subprocess
import warnings

import numpy as np
import pytest

import koppel as kp

PROGRAM = os.environ["KOPPEL"]


def by_command(tmp_path, *arguments):
    subprocess.run([PROGRAM, *arguments, "--out", str(tmp_path), "--quiet"], check=True)
    with open(tmp_path / "trajectory.csv", newline="") as file:
        rows = list(csv.reader(file))
    return {name: np.array([float(row[i]) for row in rows[1:]]) for i, name in enumerate(rows[0])}


@pytest.mark.parametrize("name", ["slider_crank", "four_bar", "heavy_top", "overhead_crane"])
def test_a_run_has_the_numbers_of_the_command_line(name, tmp_path):
    expected = by_command(tmp_path, "run", name, "--end", "0.5")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", kp.Note)
        run = kp.load(name).simulate(end=0.5)
    assert list(run) == list(expected)
    for column, values in expected.items():
        assert np.array_equal(run[column], values), column


def test_inverse_runs_have_the_numbers_of_the_command_line(tmp_path):
    expected = by_command(tmp_path, "inverse", "overhead_crane")
    run = kp.load("overhead_crane").inverse()
    for column, values in expected.items():
        assert np.array_equal(run[column], values), column
    assert [name for name, group in run.groups.items() if group == "inputs"]


@pytest.fixture(scope="module")
def crank():
    return kp.load("slider_crank").simulate(end=1)


def test_any_quantity_can_be_asked_for(crank):
    # The piston's rate, by differences of its place: of second order in the distance of rows.
    place, rate = (np.asarray(crank[name]) for name in ("rod.x", "rod.x'"))
    assert np.allclose(np.gradient(place, crank.t)[1:-1], rate[1:-1], atol=2e-3 * np.abs(rate).max())
    with pytest.raises(kp.Error) as caught:
        crank["nonsense"]
    assert caught.value.id == "results.unknown-column"
    assert "nonsense" not in crank and "t" in crank


@pytest.mark.parametrize("name, advice", [
    ("rod", "'rod' is a body; it has rod.x, rod.y, rod.angle, rod.B.x, …"),
    ("A", "'A' is a joint; it has A.angle or A.position, or both."),
    ("nonsense", "Quantities are such as body.x, body.point.y, joint.angle, with a quote for a rate; list(run) has the columns.")])
def test_a_name_that_is_not_known_is_explained(crank, name, advice):
    with pytest.raises(kp.Error) as caught:
        crank[name]
    assert str(caught.value) == f"error[results.unknown-column]: there is no column '{name}'.\n  {advice}"


def test_dense_output_is_that_of_the_integrator():
    model = kp.load("pendulum")
    coarse, fine = model.simulate(end=2, samples=5), model.simulate(end=2, samples=401)
    assert np.array_equal(coarse(fine.t)["x"], fine["x"])
    shuffled = [1.5, 0.25, 0.25, 2.0, 0.0]
    assert np.array_equal(coarse(shuffled)["x"], fine["x"][[300, 50, 50, 400, 0]])
    assert coarse(0.25)["x"] == fine["x"][50] and isinstance(coarse(0.25)["x"], float)
    with pytest.raises(ValueError, match="between 0 and 2 s"):
        coarse(2.5)


def test_the_motion_up_to_an_event_can_be_asked_for_too():
    # A ball falls for sqrt(2 h / g) and stops the run there.
    m = kp.Model(gravity=(0, -9.81))
    ball = m.body("ball", point_mass=1, position=(0, 2))
    m.event("floor", ball.y, stop=True)
    run = m.simulate(end=5)
    assert run.reached == pytest.approx((2 * 2 / 9.81) ** 0.5, rel=1e-9)
    assert run(0.3)["ball.y"] == pytest.approx(2 - 9.81 / 2 * 0.3**2, rel=1e-12)
    assert run([0.3, 0.1])["ball.y"] == pytest.approx([2 - 9.81 / 2 * t**2 for t in (0.3, 0.1)], rel=1e-12)


def test_options_are_those_of_the_library():
    model = kp.load("pendulum")
    run = model.simulate(end=1, tol=1e-6, integrator="radau5", formulation="ggl", coordinates="natural", samples="steps")
    assert (run.summary["integrator"], run.summary["formulation"], run.summary["coordinates"]) == ("radau5", "ggl", "natural")
    assert run.summary["tolerance"] == 1e-6 and len(run.t) == run.summary["steps"] + 1
    assert list(model.simulate(end=1, samples=[0, 0.25, 1]).t) == [0, 0.25, 1]
    with pytest.raises(kp.Error) as caught:
        model.simulate(integrator="taylr")
    assert caught.value.id == "integrate.unknown-integrator" and "taylor" in caught.value.diagnostics[0].advice
    with pytest.raises(kp.Error, match="`end = 'soon'` is not of the kind that is expected."):
        model.simulate(end="soon")
    with pytest.raises(kp.Error, match="`samples = 'all'` is not known."):
        model.simulate(samples="all")
    with pytest.raises(TypeError):
        model.simulate(tolerence=1e-8)


def test_tables_of_other_packages(crank):
    frame = crank.to_pandas()
    assert frame.index.name == "t" and np.array_equal(frame[list(crank)[1]], crank[list(crank)[1]])
    data = crank.to_xarray()
    assert data["t"].attrs["units"] == "s" and len(data.data_vars) == len(crank) - 1


def test_files(crank, tmp_path):
    crank.to_csv(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text().startswith("t,")
    crank.to_hdf5(tmp_path / "run.h5")
    assert (tmp_path / "run.h5").stat().st_size > 1000


def test_plots_have_an_axis_for_each_unit():
    run = kp.load("pendulum").simulate(end=1)
    axes = np.atleast_1d(run.plot())
    units = {run.units[name] for name, group in run.groups.items() if group == "outputs"}
    assert {axis.get_ylabel() for axis in axes} == units
    assert len(run.plot("x", "y").lines) == 2


def test_a_notebook_shows_the_report(crank):
    page = crank._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "slider" in page and "<script" not in page
    assert "<canvas" in crank.to_html() or "<script" in crank.to_html()


def test_the_repr_is_a_summary(crank):
    text = repr(crank)
    assert "slider" in text and "method" in text and "energy" in text


def test_linearisation_has_the_frequencies_of_the_double_pendulum():
    # Two equal uniform rods (m, l): 1/2 [16/9, 5/3.. ] solved by hand: with mu = omega^2 l/g,
    # det([[3/2 - 4/3 mu, -mu/2], [-mu/2, 1/2 - mu/3]]) = 0  =>  (7/36) mu^2 - (7/6) mu + 3/4 = 0.
    m = kp.Model(gravity=(0, -9.81))
    a, b = (m.rod(name, mass=2, length=0.7, angle="-90 deg") for name in ("a", "b"))
    m.revolute("hip", m.ground, a.start)
    m.revolute("knee", a.end, b.start)
    mu = np.sort(np.roots([7 / 36, -7 / 6, 3 / 4]))
    expected = np.sqrt(mu * 9.81 / 0.7) / (2 * np.pi)
    linear = m.linearize(coordinates="joint", at="rest")
    assert [mode.frequency for mode in linear.modes] == pytest.approx(expected, rel=1e-9)
    assert sorted(np.abs(linear.eigenvalues.imag) / (2 * np.pi))[::2] == pytest.approx(expected, rel=1e-9)


def test_linearisation_at_rest_knows_no_accelerating_drives():
    m = kp.Model(gravity=(0, -9.81))
    slider = m.body("slider", mass=1, inertia=1)
    bob = m.rod("bob", mass=3, length=0.7, angle="-90 deg")
    m.prismatic("rail", m.ground, slider, axis=(0, 1), drive="-9.81*t^2")
    m.revolute("pin", slider, bob.start)
    linear = m.linearize(coordinates="joint", at="rest")
    assert [mode.frequency for mode in linear.modes] == pytest.approx([np.sqrt(1.5 * 9.81 / 0.7) / (2 * np.pi)], rel=1e-9)


def test_the_bicycle_has_its_published_eigenvalues():
    # Meijaard, Papadopoulos, Ruina & Schwab (2007), table 2, at 5 m/s.
    bicycle = kp.load("whipple_bicycle")
    found = sorted((mode.eigenvalue for mode in bicycle.linearize(coordinates="joint").modes), key=lambda e: e.real)
    expected = [-14.07838969279822, -0.77534188219585 + 4.46486771378823j, -0.32286642900409]
    assert found == pytest.approx(expected, rel=1e-8)


def test_eigenvalues_that_say_nothing_are_warned_of():
    with pytest.warns(kp.Doubtful, match="do not say how deviations grow"):
        kp.load("whipple_bicycle").linearize(coordinates="absolute")


def test_check_and_equations_are_those_of_the_command_line():
    model = kp.load("four_bar")
    found = json.loads(subprocess.run([PROGRAM, "check", "four_bar", "--json"], capture_output=True, check=True).stdout)
    assert model.check() == found
    text = subprocess.run([PROGRAM, "equations", "four_bar"], capture_output=True, text=True, check=True).stdout
    assert str(model.equations()) == text
    assert model.equations()._repr_latex_().startswith("$$\n\\begin{aligned}")


def test_compare_budget_and_export(tmp_path):
    model = kp.load("pendulum")
    compared = model.compare(end=0.5, integrators=["taylor", "dop853"], formulations=["index1", "index3"])
    assert compared.recommended is not None and len(compared.to_pandas()) == len(compared.runs) >= 2
    assert "taylor" in repr(compared)
    budget = model.budget(1e-3)
    assert budget.load > 0 and "step" in repr(budget)
    files = model.export("c", tmp_path / "c", name="swing")
    assert sorted(os.path.basename(f) for f in files)[:3] == ["example.c", "swing.c", "swing.h"]
    subprocess.run(["cc", "-c", "-o", os.devnull, str(tmp_path / "c" / "swing.c")], check=True)
    with pytest.raises(kp.Error, match="`to = fortran` is not known."):
        model.export("fortran")


def test_feed_forward_with_a_wrong_payload_is_told():
    run = kp.load("overhead_crane").inverse(plant={"m": 110}, feedback="lqr")
    nominal, heavier = run.summary["feedback"]["cases"]
    assert nominal["case"] == "nominal" and heavier["case"] == "m = 110"
    assert nominal["open_loop"]["max_error"] < 1e-5 < heavier["closed_loop"]["max_error"]
    assert heavier["closed_loop"]["max_error"] < heavier["open_loop"]["max_error"]

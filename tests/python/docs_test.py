"""The code of docs/python.md, piece after piece, and the examples."""

import json
import math
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    pieces = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(pieces) >= 9
    names = {}
    for piece in pieces:
        exec(compile(piece, "docs/python.md", "exec"), names)
    shown = capsys.readouterr().out
    assert "model.unknown-name" in shown and "hinge.angle" in shown
    assert (tmp_path / "double_pendulum.html").is_file() and (tmp_path / "run.csv").is_file()


def run(name, *arguments):
    script = ROOT / "examples/python" / name
    result = subprocess.run([sys.executable, str(script), *arguments], capture_output=True, text=True)
    assert result.returncode == 0 and "Doubtful" not in result.stderr, result.stderr
    return result.stdout


def test_every_example_has_a_test():
    text = pathlib.Path(__file__).read_text(encoding="utf-8")
    for script in (ROOT / "examples/python").glob("*.py"):
        assert f'run("{script.name}"' in text


def test_chaos_of_the_double_pendulum(tmp_path):
    out = run("double_pendulum_chaos.py", str(tmp_path / "picture.png"))
    start, most = map(float, re.search(r"start (\S+) m, at most (\S+) m", out).groups())
    # Both rods turn with the hip: the end is 2 m away from it.
    assert start == pytest.approx(2e-9, rel=0.05) and most > 0.1
    assert 0.2 < float(re.search(r"every (\S+) s", out).group(1)) < 5
    assert float(re.search(r"drifts by (\S+)", out).group(1)) < 1e-12
    assert (tmp_path / "picture.png").stat().st_size > 1000


def test_coupler_curves_are_closed_and_the_rocker_swings_as_geometry_says(tmp_path):
    out = run("four_bar_coupler.py", str(tmp_path / "picture.png"))
    assert all(float(gap) < 1e-8 for gap in re.findall(r"closed to (\S+) m", out)) and out.count("closed") == 6
    # In the ends crank and coupler lie in one line: the law of cosines.
    ends = [math.acos((1.2**2 + 0.9**2 - d**2) / (2 * 1.2 * 0.9)) for d in (1.4, 0.6)]
    swing = float(re.search(r"swings by (\S+) degrees", out).group(1))
    assert swing == pytest.approx(math.degrees(ends[0] - ends[1]), abs=0.01)  # a row for each degree of the crank


def test_a_wrong_payload_is_felt_and_feedback_helps(tmp_path):
    out = run("crane_payload.py", str(tmp_path / "picture.png"))
    rows = re.findall(r"^ *(\S+) kg +(\S+) +(\S+)$", out, re.MULTILINE)
    errors = {float(mass): (float(alone), float(controlled)) for mass, alone, controlled in rows}
    assert list(errors) == [90, 95, 100, 105, 110]
    assert errors[100][0] < 1e-5
    for mass in (90, 95, 105, 110):
        assert errors[mass][0] > 0.1 > errors[mass][1]


def test_the_bicycle_stays_upright_between_its_published_speeds(tmp_path):
    # Weave becomes stable at 4.292 m/s, capsize unstable at 6.024 m/s [Meijaard et al. 2007].
    rows = re.findall(r"^ *(\S+) .*(yes|no)$", run("bicycle_stability.py", str(tmp_path / "picture.png")), re.MULTILINE)
    assert {float(v): word for v, word in rows} == {3: "no", 4: "no", 4.25: "no", 4.35: "yes", 5: "yes", 6: "yes",
                                                   6.1: "no", 7: "no", 8: "no"}


def test_parameters_are_found_within_their_deviation(tmp_path):
    out = run("identification.py", str(tmp_path / "picture.png"))
    assert "converged" in out
    off = [float(value) for value in re.findall(r"off by (\S+) standard deviations", out)]
    assert len(off) == 2 and max(map(abs, off)) < 4
    widths = [float(value) for value in re.findall(r"^  (?:stiffness|damping) +\S+ +\S+ +(\S+)", out, re.MULTILINE)]
    assert widths[0] < 0.3 and widths[1] < 0.03


def test_a_coupler_point_meets_its_targets(tmp_path):
    out = run("coupler_synthesis.py", str(tmp_path / "picture.png"))
    missed = {word: [float(mm) for mm in values.split(", ")]
              for word, values in re.findall(r"(before|after): misses the points by (.*) mm", out)}
    assert min(missed["before"]) > 100 and max(missed["after"]) < 3


def test_bushings_shake_the_car_less_within_their_limits(tmp_path):
    out = run("bushing_ride.py", str(tmp_path / "picture.png"))
    assert "converged" in out
    rows = {word: tuple(map(float, values)) for word, *values in re.findall(
        r"(before|after): heave (\S+) m/s.2, surge (\S+) m/s.2 \(rms\); wheel (\S+) to (\S+) mm; least load (\S+) N", out)}
    # What the optimisation promised, from rows of a run by another integrator.
    ride = {word: heave**2 + surge**2 for word, (heave, surge, *_) in rows.items()}
    promised = list(map(float, re.search(r"^ +ride +(\S+) +(\S+)$", out, re.MULTILINE).groups()))
    assert [ride["before"], ride["after"]] == pytest.approx(promised, rel=0.005)  # three digits are printed
    assert ride["after"] < 0.8 * ride["before"]
    low, high, load = rows["after"][2:]
    assert low >= -4.005 and high <= 4.005 and load >= 500


def test_the_recording_of_the_robot_is_that_of_its_script(tmp_path):
    made = run("../data/robot_recording.py", str(tmp_path / "again.csv"))
    assert made.startswith("13 columns of 201 rows")
    kept, again = (np.genfromtxt(path, delimiter=",", skip_header=1)
                   for path in (ROOT / "examples/data/robot_recording.csv", tmp_path / "again.csv"))
    assert np.abs(kept - again).max() <= 1.5e-3  # the last digit of torques


def test_load_and_friction_of_the_robot_are_found_within_their_deviation(tmp_path):
    out = run("robot_identification.py", str(tmp_path / "picture.png"))
    assert "converged" in out and "hardly determine" not in out
    off = [float(value) for value in re.findall(r" ([+-]\d+\.\d)[ ,]", re.search(r"^off by .*$", out, re.MULTILINE)[0])]
    assert len(off) == 14 and max(map(abs, off)) < 4
    # 14 sums of squares of standard normal numbers: below 36 but once in a thousand.
    assert sum(value**2 for value in off) < 36
    payload, width = map(float, re.search(r"^  payload +\S+ +(\S+) +(\S+)", out, re.MULTILINE).groups())
    assert payload == pytest.approx(6.2, abs=2 * width) and width < 0.05


def test_the_crane_takes_the_time_of_switching_forces(tmp_path):
    out = run("crane_least_time.py", str(tmp_path / "picture.png"))
    times = [float(value) for value in re.findall(r": (\S+) s[,\n]", out)]
    free, gentle, switched = times
    # Of small swings; the load may miss its place by 1 mm, and the force needs a sample to change its sign.
    assert free == pytest.approx(switched, rel=0.005)
    assert switched < gentle < 1.2 * switched
    assert out.count("converged") == 2 and int(re.search(r", (\d+) of 41 samples", out)[1]) > 30
    # The closed form again: sums of the switched force, by their integrals.
    w, a = math.sqrt(9.81 / 4 * 100 / 40), 60 / 100
    sigma = math.acos((1 + math.cos(w * switched / 2)) / 2) / w
    assert a * (switched**2 / 4 - 2 * sigma**2) == pytest.approx(5, abs=0.01)


def test_environments_keep_the_protocol_of_gymnasium(tmp_path, monkeypatch):
    out = run("environments.py", str(tmp_path / "picture.png"))
    values = {name: (float(value), float(chance), float(rate)) for name, value, chance, rate in re.findall(
        r"(\w+): 4096 copies.*mean reward (\S+), by chance (\S+); (\S+) million", out)}
    assert values["CartPole"][0] > 0.999 and values["Crane"][0] > 0.7 > 0.05 > values["Crane"][1]
    assert all(rate > 0 for *_, rate in values.values())
    monkeypatch.setattr(sys, "argv", ["environments.py"])  # no picture again
    names = {}
    exec((ROOT / "examples/python/environments.py").read_text(encoding="utf-8"), names)
    for kind, size in ((names["CartPole"], 4), (names["Crane"], 10)):
        one, two = kind(16), kind(16)
        (first, info), (same, _) = one.reset(seed=7), two.reset(seed=7)
        assert first.shape == (16, size) and info == {} and (first == same).all()
        assert (one.reset(seed=8)[0] != first).any()
        one.reset(seed=7)
        ended = np.zeros(16, bool)
        for _ in range(one.horizon + 1):
            push = np.ones((16, *one.single_action_space.shape))
            seen, reward, terminated, truncated, _ = one.step(push)
            assert seen.shape == (16, size) and one.observation_space.contains(seen)
            assert reward.shape == terminated.shape == truncated.shape == (16,)
            assert terminated.dtype == truncated.dtype == bool and not (terminated & truncated).any()
            # One that has ended is at its start after the next step, without reward.
            assert (reward[ended] == 0).all() and (seen[ended] == first[ended]).all()
            ended = terminated | truncated
            two.step(push)
        assert (one.step(push)[0] == two.step(push)[0]).all()


def test_a_pole_swings_up(tmp_path):
    out = run("swing_up.py", str(tmp_path / "picture.png"))
    angle, x, force = map(float, re.search(r"angle (\S+) rad .* at (\S+) m; largest force (\S+) N", out).groups())
    assert angle == pytest.approx(math.pi, abs=0.02) and abs(x) < 0.02 and force < 20
    assert "converged" in out


def test_gains_that_keep_the_pole_up_are_found(tmp_path):
    out = run("batch_cart_pole.py", str(tmp_path / "picture.png"))
    means = [float(value) for value in re.findall(r"mean (\S+) s of 3", out)]
    assert means[0] < 1.5 < 2.9 < means[-1]


def notebooks(folder):
    subprocess.run([sys.executable, str(ROOT / "tools/notebooks"), str(folder)], check=True, capture_output=True)
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.ipynb"))}


def test_every_example_is_a_notebook(tmp_path):
    made = notebooks(tmp_path)
    assert list(made) == sorted(script.stem for script in (ROOT / "examples/python").glob("*.py"))
    for name, notebook in made.items():
        assert (notebook["nbformat"], notebook["cells"][0]["cell_type"]) == (4, "markdown")
        code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
        script = (ROOT / "examples/python" / f"{name}.py").read_text(encoding="utf-8")
        assert len(code) >= 3 and not any("sys.argv" in cell for cell in code)
        for cell in code:
            compile(cell, name, "exec")
            for line in cell.splitlines():
                assert line.strip() in script


def test_a_notebook_runs_cell_after_cell_and_shows_its_picture(tmp_path):
    import matplotlib.pyplot as plt
    plt.close("all")
    names = {}
    for cell in notebooks(tmp_path)["four_bar_coupler"]["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert len(plt.get_fignums()) == 1 and len(names["axis"].lines) == 7
    plt.close("all")


def camber_and_toe(inner, heights):
    """Of the double wishbone of the example, by the lengths of its rods alone: Newton's method on nine distances."""
    x = np.array([[0, 0.72, -0.02], [-0.01, 0.69, 0.26], [-0.13, 0.70, 0.07]])  # both balls, the track rod's outer one
    ground = np.array([[0.18, 0.36, 0.02], [-0.16, 0.36, 0.01], [0.11, 0.43, 0.27], [-0.13, 0.43, 0.26], [-0.13, 0.38, 0.092]])
    centre, hub = np.array([0, 0.78, 0.10]), np.array([0, 0.88, 0.10])

    def frame(p):
        a, b = p[1] - p[0], np.cross(p[1] - p[0], p[2] - p[0])
        return np.column_stack([a, b, np.cross(a, b)])

    def on_wheel(p, point):  # the balls keep their distances, so that this is a rotation
        return p[0] + frame(p) @ np.linalg.solve(frame(x), point - x[0])

    def distances(p, fixed):
        pairs = [(p[0], fixed[0]), (p[0], fixed[1]), (p[1], fixed[2]), (p[1], fixed[3]), (p[2], fixed[4]),
                 (p[0], p[1]), (p[1], p[2]), (p[2], p[0])]
        return np.array([np.linalg.norm(a - b) for a, b in pairs])

    lengths, fixed, found = distances(x, ground), ground.copy(), []
    fixed[4] = inner
    for height in heights:
        def residual(y):
            p = y.reshape(3, 3)
            return np.append(distances(p, fixed) - lengths, on_wheel(p, centre)[2] - height)
        y = x.ravel() + np.tile([0, 0, height - centre[2]], 3)
        for _ in range(30):
            r = residual(y)
            jacobian = np.column_stack([(residual(y + 1e-7 * e) - r) / 1e-7 for e in np.eye(9)])
            y = y - np.linalg.solve(jacobian, r)
        p = y.reshape(3, 3)
        ax, ay, az = on_wheel(p, hub) - on_wheel(p, centre)
        found.append((np.degrees(-math.atan2(az, math.hypot(ax, ay))), np.degrees(math.atan2(ax, ay))))
    return np.array(found)


def test_camber_and_toe_are_those_of_the_hard_points(tmp_path):
    out = run("suspension_kinematics.py", str(tmp_path / "picture.png"))
    rows = [[float(word) for word in row.split()] for row in re.findall(r"^ *[+-]\d+ mm (.*)$", out, re.MULTILINE)]
    assert len(rows) == 3
    for row, raised in zip(rows, (-0.01, 0, 0.01)):
        expected = camber_and_toe((-0.13, 0.38, 0.092 + raised), (0.02, 0.10, 0.18))
        assert row[:3] == pytest.approx(expected[:, 0], abs=1e-4)  # four digits are printed
        assert row[3:6] == pytest.approx(expected[:, 1], abs=1e-4)
        assert 0.6 < row[6] < 0.7


def test_exported_code_takes_the_steps_of_the_run_and_has_order_two(tmp_path):
    out = run("real_time_export.py", str(tmp_path / "picture.png"))
    errors = [float(error) for error in re.findall(r"^ +[\d.]+ +\d+ +(\S+)$", out, re.MULTILINE)]
    assert len(errors) == 3 and errors[0] / errors[1] == pytest.approx(4, rel=0.1) == errors[1] / errors[2]
    # Outputs here are states, and states have the same bits.
    assert "differ by 0.0e+00 after 3000 steps" in out

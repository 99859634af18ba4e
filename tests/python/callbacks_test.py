"""Callbacks: functions of Python as digital controllers and at events."""

import pickle
import subprocess
import sys
import threading

import numpy as np
import pytest

import koppel as kp

pytestmark = pytest.mark.filterwarnings("ignore::koppel.Note")

PERIOD = 0.1


def cart(function=None, reads=None, **more):
    m = kp.Model("cart", dimension=2)
    body = m.body("body", mass=2, inertia=1)
    rail = m.prismatic("rail", m.ground, body, axis=(1, 0), start=1)
    reads = [rail.position, rail.position.rate] if reads is None else reads
    force = m.callback("F", function or law, reads=reads, every=PERIOD, **more)
    m.effort("push", on=rail.position, effort=force)
    return m


def law(t, x, v):
    return -20 * x - 6 * v


def exact(end):
    """x'' = F/m with F constant between samples: a parabola in each period."""
    x, v, t = 1.0, 0.0, 0.0
    while t < end - 1e-12:
        force, h = -20 * x - 6 * v, min(PERIOD, end - t)
        x, v, t = x + v * h + force * h**2 / 4, v + force * h / 2, t + h
    return x


def test_a_callback_is_a_sampled_force():
    run = cart().simulate(end=1.95)
    assert run["rail.position"][-1] == pytest.approx(exact(1.95), abs=1e-12)
    assert run["F"][0] == -20.0 and len(np.unique(run["F"])) == 20
    assert "rail.position'" in list(run)  # what is read is a column


def test_several_values_of_one_function():
    m = kp.Model(dimension=2)
    body = m.body("body", point_mass=2)
    fx, fy = m.callback(["fx", "fy"], lambda t: (2.0, np.float64(4.0)), every=0.5)
    m.force("push", on=body, force=(fx, fy))
    run = m.simulate(end=1)
    assert run["body.x"][-1] == pytest.approx(0.5) and run["body.y"][-1] == pytest.approx(1.0)


def test_one_is_warned_that_they_are_slow_and_not_smooth():
    with pytest.warns(kp.Note, match="slow and not smooth") as caught:
        cart()
    assert caught[0].filename == __file__


def test_other_questions_say_that_nothing_is_called():
    with pytest.warns(kp.Note, match="only simulate"):
        cart().linearize()
    with pytest.warns(kp.Note, match="not part of a model file"):
        cart().to_yaml()


def test_dense_output_replays_what_was_answered():
    seen = []

    def once(t, x, v):  # gives other values when it is called again
        seen.append(t)
        return float(len(seen))

    run = cart(once).simulate(end=1, samples=5)
    count = len(seen)
    fine = run(np.linspace(0, 1, 5))
    assert len(seen) == count == 10 and np.array_equal(fine["rail.position"], run["rail.position"])


def test_what_a_callback_raises_is_raised():
    def wrong(t, x, v):
        if t > 0.25:
            raise RuntimeError("of the callback")
        return 0.0

    model = cart(wrong)
    with pytest.raises(RuntimeError, match="of the callback"):
        model.simulate(end=1)
    with pytest.raises(kp.Error, match="gave 'much' for 'F'; a number is expected"):
        cart(lambda t, x, v: "much").simulate(end=1)
    with pytest.raises(kp.Error, match=r"gave \(1, 2\); a number is expected"):
        cart(lambda t, x, v: (1, 2)).simulate(end=1)
    with pytest.raises(kp.Error) as caught:
        cart(lambda t, x, v: float("nan")).simulate(end=1)
    assert caught.value.id == "simulate.not-finite"
    with pytest.raises(TypeError):
        cart(lambda t: 1.0).simulate(end=1)


def test_what_is_read_wrongly_has_the_line_of_the_script():
    with pytest.raises(kp.Error) as caught:
        cart(reads=["rail.positon"]).simulate(end=1)
    found = caught.value.diagnostics[0]
    assert found.id == "simulate.unknown-name" and found.file == __file__ and "m.callback" in found.excerpt
    assert found.text == "'F' reads 'rail.positon'; the model knows no such name."
    assert found.advice == "Did you mean 'rail.position'?"


def test_a_callback_may_end_the_run_and_not_ask_its_own_model():
    run = cart(lambda t, x, v: False if t > 0.45 else None).simulate(end=1)
    assert run.status == "stopped" and run.reached == 0.5
    models = []

    def asks(t, x, v):
        models[0].simulate(end=0.1)

    models.append(cart(asks))
    with pytest.raises(kp.Error) as caught:
        models[0].simulate(end=1)
    assert caught.value.id == "python.model-busy"


def test_events_call_back():
    m = kp.Model(gravity=(0, -9.81))
    ball = m.body("ball", point_mass=1, position=(0, 1))
    count = m.state("count")
    speeds = []

    def hit(t, speed, n):
        speeds.append(speed)
        return {count: n + 1} if n < 2 else False

    m.event("floor", ball.y, bounce=1.0, reads=[ball.y.rate, count], call=hit)
    run = m.simulate(end=10)
    assert run.status == "stopped" and speeds == pytest.approx([-((2 * 9.81) ** 0.5)] * 3, rel=1e-7)
    assert run["count"][-1] == 2 and run.reached == pytest.approx(5 * (2 / 9.81) ** 0.5, rel=1e-7)


def test_copies_and_pickles_keep_their_callbacks():
    expected = cart().simulate(end=1)["rail.position"]
    for again in (cart().copy(), pickle.loads(pickle.dumps(cart()))):
        assert np.array_equal(again.simulate(end=1)["rail.position"], expected)
    run = pickle.loads(pickle.dumps(cart().simulate(end=1)))
    assert run(1.0)["rail.position"] == expected[-1]
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(cart(lambda t, x, v: 0.0))


def test_callbacks_run_in_threads_with_the_same_numbers():
    expected, results = cart().simulate(end=1)["rail.position"], []
    threads = [threading.Thread(target=lambda: results.append(cart().simulate(end=1)["rail.position"])) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(results) == 4 and all(np.array_equal(r, expected) for r in results)


INTERRUPTED = """
import koppel as kp, os, signal, time, warnings
warnings.simplefilter("ignore", kp.Note)
m = kp.Model(dimension=2)
body = m.body("body", point_mass=1)
def force(t):
    if t > 0.45:
        os.kill(os.getpid(), signal.SIGINT)
        while True:
            time.sleep(0.01)
    return 1.0
m.force("f", on=body, force=(m.callback("F", force, every=0.1), 0))
try:
    m.simulate(end=10)
except kp.Interrupted as stop:
    print("stopped at", stop.run.reached)
"""


def test_ctrl_c_reaches_a_callback_that_does_not_return():
    out = subprocess.run([sys.executable, "-c", INTERRUPTED], capture_output=True, text=True, timeout=60)
    assert out.stdout == "stopped at 0.5\n", out.stderr

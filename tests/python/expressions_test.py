"""Expressions with Python's operators, and compiled functions."""

import math
import threading

import numpy as np
import pytest

import koppel as kp

x, y = kp.symbols("x y")


def test_operators_write_what_one_means():
    assert str(2 * x + y / 3 - 1) == "2 * x + y / 3 - 1"
    assert str(-x**2) == "-x^2"
    assert str(1 - x) == "1 - x" and str(2 / x) == "2 / x" and str(2**x) == "2^x"
    assert str(kp.sin(x)) == "sin(x)" and str(kp.atan2(y, x)) == "atan2(y, x)"
    assert kp.parse("x^2 + sin(y)") == x**2 + kp.sin(y)
    assert str(kp.select(x < 1, x, y)) == "select(x < 1, x, y)"
    assert str(x > 1) == "1 < x"


def test_numpy_knows_expressions():
    assert str(np.sin(np.array([x, y]))[1]) == "sin(y)"
    assert str(sum(np.array([1.0, 2.0]) * x)) == str(0 + 1.0 * x + 2.0 * x)
    assert str(np.float64(2) * x) == "2 * x"


def test_sameness_and_truth():
    assert x + y == y + x and x != y and hash(x + y) == hash(y + x)
    with pytest.raises(TypeError, match="is not known before it is evaluated; koppel.select"):
        bool(x < 1)
    with pytest.raises(TypeError, match="is an expression, not a number; koppel.compile"):
        float(x)
    assert float(kp.sin(0 * x + 1)) == math.sin(1)


def test_expressions_of_two_models_cannot_be_mixed():
    a, b = kp.Model().parameter("a", 1), kp.Model().parameter("b", 1)
    with pytest.raises(kp.Error) as caught:
        a + b
    assert caught.value.id == "expr.mixed-graphs"


def test_rates_are_of_names():
    assert str(x.rate) == "x'" and str(x.rate.rate) == "x''"
    with pytest.raises(kp.Error, match="'x \\+ y' is no name, and only names have rates."):
        (x + y).rate


def test_derivatives():
    f = x**3 * kp.sin(y)
    assert str(kp.simplify(kp.diff(f, x))) == str(kp.simplify(3 * x**2 * kp.sin(y)))
    df = kp.compile([x, y], kp.gradient(f, [x, y]))
    assert df(2.0, 0.5) == pytest.approx((12 * math.sin(0.5), 8 * math.cos(0.5)), rel=1e-15)


def test_functions_of_numbers():
    f = kp.compile([x, y], [kp.sqrt(x**2 + y**2), kp.atan2(y, x)])
    assert f(3, 4.0) == (5.0, math.atan2(4, 3))
    assert f(np.float64(3), True)[0] == math.sqrt(10)
    single = kp.compile([x], kp.cos(x))
    assert single(0.5) == math.cos(0.5) and isinstance(single(0.5), float)
    assert math.isnan(kp.compile([x], kp.sqrt(x))(-1.0))
    with pytest.raises(TypeError, match="the function has 2 arguments by position; 1 were given"):
        f(1.0)
    with pytest.raises(TypeError):
        f("a", 2)
    with pytest.raises(kp.Error) as caught:
        kp.compile([x], x * y)
    assert caught.value.id == "expr.unbound-symbol"


@pytest.mark.parametrize("count", [0, 1, 3, 511, 512, 513, 5000])
def test_functions_of_arrays(count):
    f = kp.compile([x, y], [x * kp.sin(y), x + y, 2 + 0 * x])
    a, b = np.linspace(-1, 2, count), np.linspace(0, 7, count)
    product, total, constant = f(a, b)
    assert np.allclose(product, a * np.sin(b), rtol=1e-15, atol=1e-15)
    assert np.array_equal(total, a + b) and np.array_equal(constant, np.full(count, 2.0))
    if count > 0:
        assert np.array_equal(product, [f(p, q)[0] for p, q in zip(a.tolist(), b.tolist())])


def test_arrays_are_broadcast_and_may_have_strides():
    f = kp.compile([x, y], x - 2 * y)
    a = np.arange(12.0).reshape(3, 4)
    assert np.array_equal(f(a, 1.0), a - 2)
    assert np.array_equal(f(a, np.arange(4.0)), a - 2 * np.arange(4.0))
    assert np.array_equal(f(a.T, 0), a.T)
    assert np.array_equal(f(np.arange(20.0)[::-2], np.arange(10)), np.arange(20.0)[::-2] - 2 * np.arange(10))
    assert np.array_equal(f([1, 2], [3, 4]), [-5, -6])
    with pytest.raises(ValueError):
        f(np.zeros(3), np.zeros(4))


def test_map_copies_nothing():
    f = kp.compile([x, y], [x * y, x - y])
    points = np.random.default_rng(1).normal(size=(2, 1000))
    out = np.empty((2, 1000))
    assert f.map(points, out) is not None
    assert np.array_equal(out, [points[0] * points[1], points[0] - points[1]])
    with pytest.raises(TypeError):
        f.map(points.astype(np.float32))  # would have to be copied
    with pytest.raises(TypeError):
        f.map(np.asfortranarray(points))
    with pytest.raises(ValueError, match="a row for each of the 2 arguments"):
        f.map(np.zeros((3, 4)))


def test_functions_serve_several_threads():
    f = kp.compile([x], [kp.sin(x) ** 3 + kp.cos(x)])
    points = np.linspace(0, 10, 100_000)
    expected = f(points)[0]
    results = []
    threads = [threading.Thread(target=lambda: results.append(f(points)[0])) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(results) == 4 and all(np.array_equal(r, expected) for r in results)

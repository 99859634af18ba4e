"""Models built in code: the same as those of files, and mistakes with the line of the script."""

import inspect
import math

import numpy as np
import pytest

import koppel as kp
from koppel import _elements, _koppel

TABLES = _koppel.elements()


def double_pendulum():
    m = kp.Model(gravity=(0, -9.81))
    a = m.rod("upper", mass=1, length=1)
    b = m.rod("lower", mass=1, length=1)
    m.revolute("hip", m.ground, a.start)
    m.revolute("knee", a.end, b.start, start=0.3)
    return m


def test_the_double_pendulum_takes_eight_lines_and_gives_a_view():
    m = double_pendulum()
    run = m.simulate(end=10)
    angle = run["knee.angle"]
    assert isinstance(angle, np.ndarray) and not angle.flags.owndata and not angle.flags.writeable
    assert angle[0] == 0.3 and len(angle) == 1001
    assert angle.ctypes.data == run["knee.angle"].ctypes.data


def test_a_view_keeps_its_run_alive():
    angle = double_pendulum().simulate(end=1)["knee.angle"]
    before = angle.copy()
    [double_pendulum().simulate(end=1) for _ in range(3)]
    assert np.array_equal(angle, before)


def test_a_built_model_is_the_same_as_that_of_its_file():
    m = double_pendulum()
    again = kp.Model.from_yaml(m.to_yaml())
    assert np.array_equal(m.simulate(end=2)["hip.angle"], again.simulate(end=2)["hip.angle"])
    from_dict = kp.Model.from_dict(m.to_dict())
    assert np.array_equal(m.simulate(end=2)["hip.angle"], from_dict.simulate(end=2)["hip.angle"])


def test_rods_have_the_moments_of_a_thin_rod():
    m = double_pendulum()
    # One rod from a pivot: M = m l^2/3, with the other at its end rigidly: m l^2/3 + (m l^2/12 + m (3l/2)^2).
    text = str(m.equations(coordinates="joint"))
    assert "M[2,2] = 0.3333333333333333" in text


# What each element needs beside two bodies, in the plane and in space.
NEEDS = {
    "screw": {"pitch": 0.1},
    "distance": {"length": 1.0},
    "rolling": {"body": "b", "radius": 0.5},
    "cam": {"curve": ["cos(e.s)", "sin(e.s)", 0]},
    "spring": {"stiffness": 10, "free_length": 1},
    "damper": {"damping": 1},
    "torsion": {"joint": "hinge", "stiffness": 2},
    "friction": {"joint": "hinge", "torque": 0.1, "velocity": 0.01},
    "force": {"on": "b", "force": [1, 0, 0]},
    "torque": {"on": "b", "torque": [0, 0, 1]},
    "effort": {"on": "hinge.angle", "effort": 1},
    "bushing": {"stiffness": [1, 1, 1, 1, 1, 1]},
    "tyre": {"on": "b", "axis": [0, 1, 0], "radius": 0.5, "stiffness": 1e4, "friction": 0.8, "slip_stiffness": 100,
             "velocity": 0.1},
    "event": {"when": "t - 1"},
    "constraint": {"value": "b.x - 1"},
    "coupling": {"value": "hinge.angle"},
    "nonholonomic": {"value": "hinge.angle'"},
}
AXIS = ("revolute", "prismatic", "cylindrical", "screw", "planar", "universal", "constant-velocity", "point-on-line",
        "point-on-plane")


@pytest.mark.parametrize("table", TABLES, ids=[_elements.method_name(t) for t in TABLES])
def test_every_element_can_be_constructed(table):
    method = _elements.method_name(table)
    m = kp.Model(gravity=(0, 0, -9.81))
    for name, place in (("a", 0), ("b", 1)):
        m.body(name, mass=1, inertia=(0.1, 0.1, 0.1), position=(place, 0, 0.5))
    m.revolute("hinge", "ground", "a", axis=(0, 0, 1))
    given = dict(NEEDS.get(table["type"], NEEDS.get(method, {})) if table["section"] in ("joints", "forces")
                 else NEEDS[method])
    if table["type"] in AXIS and table["section"] == "joints":
        given["axis"] = (0, 0, 1)
        if table["type"] == "universal":
            given = {"axes": [(0, 0, 1), (0, 1, 0)]}
    if _elements.has_ends(table):
        given["between"] = ("a", "b")
    getattr(m, method)("e", **given)
    assert "e" in m.document[table["section"]]
    assert m.name == "model"  # reads the whole of it


@pytest.mark.parametrize("table", TABLES, ids=[_elements.method_name(t) for t in TABLES])
def test_signatures_and_docstrings_have_every_field(table):
    method = getattr(kp.Model, _elements.method_name(table))
    names = list(inspect.signature(method).parameters)
    for field in table["fields"]:
        assert field["key"] in names and field["text"] in method.__doc__


def test_joints_start_where_they_are_told():
    m = kp.Model(dimension=2)
    box = m.body("box", mass=1, inertia=1)
    m.prismatic("slide", m.ground, box, axis=(1, 0), start=0.2, rate=3)
    run = m.simulate(end=1)
    assert run["slide.position"][0] == 0.2 and run["slide.position"][-1] == pytest.approx(3.2, abs=1e-9)


def test_a_spring_and_a_mass_swing_as_the_closed_form_says():
    # x = x0 cos(omega t), omega = sqrt(k/m).
    m = kp.Model(dimension=2)
    box = m.body("box", mass=2, inertia=1)
    slide = m.prismatic("slide", m.ground, box, axis=(1, 0), start=0.2)
    k = m.parameter("k", 50.0)
    m.effort("spring", slide.position, -k * slide.position)
    run = m.simulate(end=3, tolerance=1e-11)
    assert np.allclose(run["slide.position"], 0.2 * np.cos(5 * run.t), atol=1e-9)
    m.parameters["k"] = 200.0
    run = m.simulate(end=3, tolerance=1e-11)
    assert np.allclose(run["slide.position"], 0.2 * np.cos(10 * run.t), atol=1e-9)


def test_a_pendulum_has_the_period_of_the_elliptic_integral():
    # T = 4 sqrt(l/g) K(sin(A/2)); K by the arithmetic-geometric mean, K(k) = pi / (2 agm(1, sqrt(1 - k^2))).
    amplitude, l, g = 2.0, 1.5, 9.81
    a, b = 1.0, math.cos(amplitude / 2)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    period = 4 * math.sqrt(l / g) * math.pi / (2 * a)
    m = kp.Model()
    phi = m.coordinate("phi", start=amplitude)
    m.kinetic(l**2 * phi.rate**2 / 2)
    m.potential(-g * l * kp.cos(phi))
    run = m.simulate(end=2 * period, tolerance=1e-12)
    assert run(period)["phi"] == pytest.approx(amplitude, abs=1e-8)
    assert run(period / 4)["phi"] == pytest.approx(0, abs=1e-8)


def test_what_a_file_can_say_can_be_said():
    m = kp.Model("everything", gravity=(0, -9.81))
    l = m.parameter("l", 1.0)
    F = m.input("F", min=-50, max=50)
    road = m.table("road", [0, 1, 2], [0, 0.1, 0], type="linear")
    cart = m.body("cart", mass=5, inertia=1)
    load = m.body("load", point_mass=2, position=(0, -1))
    tip = cart.point(0, 0, name="hook")
    slide = m.prismatic("slide", m.ground, cart, axis=(1, 0))
    m.distance("cable", cart.hook, load, length=l)
    m.force("drive", cart, (F + road(slide.position), 0))
    c = m.signal("c", type="rest-to-rest", duration=2)
    m.servo("x", load.x, 2 * c.value)
    x = m.state("filter", start=0.1)
    m.rate_of(x, load.x - x)
    m.event("far", slide.position - 10, stop=True)
    m.output("x", load.x)
    m.definition("sum", load.x + cart.x)
    m.output("s", "sum")
    assert m.check().dof == 2 and m.outputs == ["x", "s"] and m.inputs == ["F"]
    assert m.to_dict()["forces"]["drive"]["force"][0] == "F + road(slide.position)"
    assert tip.x == m["cart.hook.x"]
    assert m.simulate(end=0.5).status == "done"


@pytest.mark.parametrize("name", kp.models())
def test_every_model_of_a_file_is_the_same_as_a_dictionary(name):
    model = kp.load(name)
    again = kp.Model.from_dict(model.to_dict(), file=model._file)
    for what in ("bodies", "joints", "forces", "inputs", "outputs", "coordinate_sets"):
        assert getattr(again, what) == getattr(model, what)
    assert dict(again.parameters) == dict(model.parameters)


def test_a_robot_comes_from_urdf(tmp_path):
    import os
    robot = kp.Model.from_urdf(os.path.join(os.path.dirname(kp.__file__), "models", "robot.urdf"), name="arm")
    assert any(name.startswith("arm.") for name in robot.bodies)
    assert robot.check().is_assembled


def this_line():
    return inspect.currentframe().f_back.f_lineno


def test_mistakes_name_the_line_of_the_script_and_what_was_meant():
    m = double_pendulum()
    m.output("a", "kneee.angle"); line = this_line()
    m.torsion("t", "hipp", stiffness=1); other = this_line()
    with pytest.raises(kp.Error) as caught:
        m.simulate(end=1)
    found = {d.line: d for d in caught.value.diagnostics}
    assert found[line].file == __file__ and "'kneee.angle'" in found[line].text
    assert "knee" in found[line].advice
    assert "hipp" in found[other].text and "hip" in found[other].advice
    assert f"{__file__}:{line}: error[" in str(caught.value)


def test_wrong_arguments_are_told_with_what_was_meant():
    m = double_pendulum()
    with pytest.raises(TypeError, match=r"spring\(\) has no argument 'stifness'; did you mean 'stiffness'\?"):
        m.spring("s", m.ground, "upper", stifness=3)
    with pytest.raises(TypeError, match="needs two ends; one is given"):
        m.revolute("r", m.ground)
    with pytest.raises(AttributeError, match="body 'lower' has no 'stert'; did you mean 'start'?"):
        kp.Body(m, "lower").stert
    with pytest.raises(AttributeError, match="'knee' has no 'angel'; did you mean 'angle'?"):
        kp.Element(m, "knee").angel
    with pytest.raises(kp.Error, match="joints has 'hip' already"):
        m.revolute("hip", m.ground, "lower")


def test_an_impossible_loop_is_told_by_the_name_of_its_joint():
    m = double_pendulum()
    m.revolute("far", "lower.end", m.ground.point(5, 0))
    with pytest.raises(kp.Error) as caught:
        m.simulate(end=1)
    assert caught.value.id == "assembly.impossible"
    assert caught.value.diagnostics[0].file == __file__ and caught.value.diagnostics[0].line > 0
    assert not m.check().is_assembled


def test_a_function_where_an_expression_is_expected_is_refused():
    m = kp.Model(gravity=(0, -9.81))
    rod = m.rod("rod", mass=1, length=1)
    with pytest.raises(kp.Error) as caught:
        m.torque("motor", on=rod, torque=lambda t: 3)
    assert str(caught.value) == (
        "error[python.wrong-option]: a Python function stands where a number or an expression is expected.\n"
        "  Write the law as an expression, or sample it: F = m.callback(\"F\", function, every=0.01).")

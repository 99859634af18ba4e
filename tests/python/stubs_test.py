"""Type stubs: up to date, and what they say of right and wrong programs."""

import os
import pathlib
import subprocess
import sys

import pytest

import koppel

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_stubs_are_up_to_date():
    result = subprocess.run([sys.executable, str(ROOT / "tools/python_stubs"), "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def check_types(tmp_path, text):
    pytest.importorskip("mypy")
    (tmp_path / "script.py").write_text(text)
    return subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary", "script.py"],
        cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "MYPYPATH": str(ROOT / "python")}).stdout


RIGHT = """
import koppel as kp
m = kp.Model(gravity=(0, -9.81))
a = m.rod("upper", mass=1, length=1)
hip = m.revolute("hip", m.ground, a.start, start=0.3)
m.torsion("t", hip, stiffness=2 * m.parameter("k", 1.0))
run: kp.Run = m.simulate(end=10)
status: str = run.status
f = kp.compile([kp.parse("x")], kp.sin(kp.parse("x")) + 1)
"""
WRONG = """
import koppel as kp
m = kp.Model()
m.revolute("hip", m.ground, m.ground, stifness=1)
m.simulate(ende=1)
"""


def test_the_package_and_right_programs_have_no_type_errors(tmp_path):
    assert check_types(tmp_path, RIGHT) == ""


def test_wrong_arguments_are_found_before_a_program_runs(tmp_path):
    found = check_types(tmp_path, WRONG)
    assert 'Unexpected keyword argument "stifness" for "revolute"' in found
    assert 'Unexpected keyword argument "ende" for "simulate"' in found

"""What mypy says of right and wrong programs. It reads the types of NumPy first, which takes a minute."""

import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

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


def test_right_programs_and_the_package_have_no_type_errors_and_wrong_ones_do(tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "--no-error-summary", "right.py", "wrong.py"],
        cwd=tmp_path, capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(ROOT / "python")}).stdout
    lines = [line for line in found.splitlines() if ": note:" not in line]
    assert len(lines) == 2 and all(line.startswith("wrong.py:") for line in lines), found
    assert 'Unexpected keyword argument "stifness" for "revolute"' in lines[0]
    assert 'Unexpected keyword argument "ende" for "simulate"' in lines[1]

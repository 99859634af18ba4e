"""The type stubs are up to date; types_long_test.py checks programs against them."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_stubs_are_up_to_date():
    result = subprocess.run([sys.executable, str(ROOT / "tools/python_stubs"), "--check"], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr

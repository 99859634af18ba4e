"""The installed package, away from the build. Usage: ... CMAKE BUILD PYTHON"""

import os
import pathlib
import subprocess
import sys
import tempfile

cmake, build, python = sys.argv[1:4]

CHECK = """
import koppel, sys
assert koppel.__file__.startswith(sys.argv[1]), koppel.__file__
assert koppel.load("slider_crank").simulate(end=0.5).status == "done"
"""

with tempfile.TemporaryDirectory() as prefix:
    subprocess.run([cmake, "--install", build, "--component", "python", "--prefix", prefix], check=True,
                   stdout=subprocess.DEVNULL)
    (package,) = pathlib.Path(prefix).rglob("koppel/__init__.py")
    subprocess.run([python, "-c", CHECK, prefix], check=True, cwd=prefix,
                   env={**os.environ, "PYTHONPATH": str(package.parents[1])})

"""`pip install .` in a fresh environment, and the examples there. Usage: ... ROOT BUILD PYTHON

The wheel takes its module from the build; the environment sees the system's packages (NumPy), and nothing of the build.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

root, build, python = sys.argv[1:4]

CHECK = """
import koppel, pathlib, sys
assert pathlib.Path(koppel.__file__).is_relative_to(sys.prefix), koppel.__file__
run = koppel.load("slider_crank").simulate(end=0.5)
assert run.status == "done" and (pathlib.Path(koppel.__file__).parent / "py.typed").is_file()
print("koppel", koppel.__version__, "from", koppel.__file__)
"""

with tempfile.TemporaryDirectory() as folder:
    home = pathlib.Path(folder)
    source = home / "source"  # pip builds in the folder of the sources: it gets links to them
    source.mkdir()
    for name in os.listdir(root):
        if name not in (".git", "build", "out"):
            (source / name).symlink_to(pathlib.Path(root) / name)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment["KOPPEL_BUILD_DIR"] = build
    subprocess.run([python, "-m", "venv", "--system-site-packages", home / "venv"], check=True)
    inside = home / "venv/bin/python"
    subprocess.run([inside, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index", source],
                   check=True, env=environment, cwd=folder)
    environment.pop("KOPPEL_BUILD_DIR")
    subprocess.run([inside, "-c", CHECK], check=True, env=environment, cwd=folder)
    for example in sorted((pathlib.Path(root) / "examples/python").glob("*.py")):
        print(example.name, flush=True)
        subprocess.run([inside, example], check=True, env=environment, cwd=folder, stdout=subprocess.DEVNULL)

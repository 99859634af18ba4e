"""The examples as notebooks, executed by Jupyter's own kernel: `bin/koppel notebook --examples`."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

nbformat = pytest.importorskip("nbformat", reason="Jupyter is not installed: tools/packages-notebook.txt")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

os.environ.pop("MPLBACKEND", None)  # pictures go into the notebook, as for a user

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = sorted(path.stem for path in (ROOT / "examples/python").glob("*.py"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("notebooks")
    subprocess.run([sys.executable, ROOT / "tools/notebooks", made], check=True, stdout=subprocess.DEVNULL)
    return made


def executed(path):
    """The notebook after running all of its cells; an error in a cell is raised."""
    notebook = nbformat.read(path, as_version=4)
    nbformat.validate(notebook)
    nbclient.NotebookClient(notebook, timeout=1800, startup_timeout=600, kernel_name="python3",
                            resources={"metadata": {"path": str(path.parent)}}).execute()
    return notebook


def outputs_of(notebook):
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def without_times(text):
    """Times and rates that were measured differ from run to run."""
    return re.sub(r"[\d.]+ (million(?: steps)? a second|ns|µs|ms|times)", r"… \1", text)


@pytest.mark.parametrize("name", EXAMPLES)
def test_runs_in_a_notebook_and_shows_its_picture(folder, name):
    outputs = outputs_of(executed(folder / f"{name}.ipynb"))
    printed = "".join(output.text for output in outputs if output.output_type == "stream" and output.name == "stdout")
    script = subprocess.run([sys.executable, ROOT / f"examples/python/{name}.py"], cwd=folder, check=True, capture_output=True,
                            text=True).stdout
    assert without_times(printed) == without_times(script)
    assert any("image/png" in output.get("data", {}) for output in outputs)


def test_a_run_is_a_report_and_equations_are_formulas(folder):
    path = folder / "shown.ipynb"
    cells = ["import koppel as kp\nm = kp.load('slider_crank')", "m.simulate(end=0.5)", "m.equations(coordinates='joint')"]
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells]), path)
    report, formulas = (output.data for output in outputs_of(executed(path)))
    assert report["text/html"].startswith("<iframe srcdoc=")
    assert "\\begin" in formulas["text/latex"]

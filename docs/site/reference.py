"""Pages that are generated from the program, the Python module and the headers."""

import pathlib
import re
import subprocess


def commands(program):
    listed = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (\w[\w-]*) {2,}\S", listed.split("Commands:")[1], re.MULTILINE)
    return listed, names


def command_line(program):
    listed, names = commands(program)
    lines = ["# Command line", "", "Made from `koppel --help` and the help of each command. The program returns 0 when done, 1 when "
             "the model or the arguments are wrong, and 2 when the numerics failed or the result is doubtful. Standard output "
             "carries results, standard error messages.", "", "```text", listed.rstrip(), "```", ""]
    for name in names:
        text = subprocess.run([program, name, "--help"], capture_output=True, text=True, check=True).stdout
        lines += [f"## koppel {name}", "", "```text", text.rstrip(), "```", ""]
    return "\n".join(lines)


def examples(root):
    lines = ["# Examples in Python", "", "Scripts of `examples/python`; the tests run them and check what they print.", ""]
    for path in sorted((root / "examples/python").glob("*.py")):
        text = path.read_text(encoding="utf-8")
        title = re.match(r'"""(.*?)(\.\n|:|\n)', text)[1]
        lines += [f"## {title}", "", f"`{path.relative_to(root)}`", "", "```python", text.rstrip(), "```", ""]
    return "\n".join(lines)


def pages(program, work, root):
    return {pathlib.Path("command-line.md"): command_line(program), pathlib.Path("examples.md"): examples(root)}

"""Pages that are generated from the program, the Python module and the headers."""

import pathlib
import re
import subprocess
import unicodedata

import cpp


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


def python():
    """The module by autodoc, from its docstrings: classes, then functions."""
    import inspect

    import koppel
    named = {name: getattr(koppel, name) for name in koppel.__all__}
    classes = [name for name, what in named.items() if inspect.isclass(what)]
    functions = [name for name, what in named.items() if callable(what) and name not in classes]
    first = ["Model", "Run"]
    lines = ["# Python, all names", "", "Made from the docstrings. [Koppel in Python](python.md) is the introduction.", "", "```{eval-rst}"]
    for name in first + [name for name in classes if name not in first]:
        lines += [f".. autoclass:: koppel.{name}", "   :members:", "   :inherited-members: Mapping, Exception, Warning, dict, tuple", ""]
    lines += ["```", "", "## Functions", "", "```{eval-rst}"]
    lines += [line for name in functions for line in (f".. autofunction:: koppel.{name}", "")]
    return "\n".join(lines + ["```", ""])


def bibliography(root):
    """docs/references.bib as a list."""
    text = (root / "docs/references.bib").read_text(encoding="utf-8")
    lines = ["# References", "", "What comments in the code and these pages cite, from `docs/references.bib`.", ""]
    for body in re.findall(r"^@\w+\{\w+,\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        fields = {key: plain_tex(value) for key, value in
                  re.findall(r"^\s*(\w+)\s*=\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}", body, re.MULTILINE)}
        where = ", ".join(fields[key] for key in ("journal", "booktitle", "publisher", "school", "institution", "volume") if key in fields)
        lines.append(f"- {fields['author'].replace(' and ', ', ')} ({fields['year']}): *{fields['title']}*" +
                     (f", {where}." if where else "."))
    return "\n".join(lines) + "\n"


def plain_tex(text):
    marks = {'"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "v": "\u030c", "c": "\u0327", "~": "\u0303", "r": "\u030a"}
    text = re.sub(r"\{?\\(['\"`^~]|[vcr](?=\{))\s*\{?(\w)\}?\}?", lambda m: unicodedata.normalize("NFC", m[2] + marks[m[1]]), text)
    text = re.sub(r"\$\^(\w)\$", r"\1", text.replace("--", "–").replace("\\&", "&").replace("\\o", "ø").replace("\\ss", "ß"))
    return " ".join(re.sub(r"[{}\\]", "", text).split())


def pages(program, work, root):
    return {pathlib.Path("command-line.md"): command_line(program), pathlib.Path("examples.md"): examples(root),
            pathlib.Path("python-reference.md"): python(), pathlib.Path("references.md"): bibliography(root), **cpp.pages(root, work)}

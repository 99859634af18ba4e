"""run_pages.py PROGRAM PAGE.md...: does what the pages say, block after block, and compares.

- A block after a line that ends in a file's name and a colon, as in "A pendulum, `pendulum.yaml`:",
  is written as that file. Every other ```yaml block must be part of a file shown before, or of a model.
- ```c++: must be part of one of the examples, which are compiled and run; a ```text block after it, of what they print.
- ```console: each command after `$ ` is run, and must print what is shown below it, where something
  is. `…` stands for any text in a line, and alone in a line for any lines. A command may fail where the
  output shown has "error" in it, or where `$ echo $?` follows.
- ```sh: lines that begin with koppel or bin/koppel are run and must succeed.
- ```python: run in this process, one after the other, where the module koppel can be imported.

Each page has a folder of its own, with the project's models/ in it.
"""

import contextlib
import io
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
NAMED = re.compile(r"`([\w./-]+\.\w+)`:$")
# What serves or waits until it is interrupted.
WAITING = re.compile(r"(bin/)?koppel (play|docs|notebook|live\b(?!.*--end))")


def blocks(text):
    """(line before, language, body) of each fenced block."""
    before, language, body = "", None, []
    for line in text.splitlines():
        if language is not None:
            if line == "```":
                yield before, language, "".join(body)
                language, before = None, ""
            else:
                body.append(line + "\n")
        elif line.startswith("```") and line != "```":
            language, body = line[3:], []
        elif line == "```":
            language, body = "", []
        elif line.strip():
            before = line
    assert language is None, "a block is not closed"


def matches(shown, printed):
    """Whether text was printed as it is shown, `…` being anything."""
    pattern = []
    for line in shown.strip("\n").splitlines():
        if line.strip() == "…":
            pattern.append(r"(?:.*\n)*?")
        else:
            pattern.append(r"[^\n]*?".join(re.escape(part.rstrip() if not i else part) for i, part in
                                           enumerate(line.rstrip().split("…"))) + r"[ ]*\n")
    return re.fullmatch("".join(pattern), "".join(line.rstrip() + "\n" for line in printed.strip("\n").splitlines()))


class Page:
    def __init__(self, path, program, folder):
        self.path, self.folder = path, pathlib.Path(folder)
        self.text = path.read_text(encoding="utf-8")
        self.files, self.names, self.count, self.failures, self.exit = {}, {}, 0, [], 0
        (self.folder / "models").symlink_to(ROOT / "models")
        (self.folder / "bin").mkdir()
        shim = self.folder / "bin/koppel"
        shim.write_text("#!/bin/sh\n"
                        f'if [ "$1" = python ]; then shift; exec {shlex.quote(sys.executable)} "$@"; fi\n'
                        f'exec {shlex.quote(str(program))} "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}

    def fail(self, what, *details):
        self.failures.append("\n".join([f"{self.path.name}: {what}", *details]))

    def command(self, text, shown, may_fail):
        self.count += 1
        if text == "echo $?":
            if shown.strip() != str(self.exit):
                self.fail(text, f"shown: {shown.strip()}, is: {self.exit}")
            return
        try:
            result = subprocess.run(["bash", "-c", text], cwd=self.folder, env=self.environment, text=True, timeout=120,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        except subprocess.TimeoutExpired:
            self.fail(text, "takes more than two minutes")
            return
        self.exit = result.returncode
        if result.returncode != 0 and not may_fail:
            self.fail(text, f"exit {result.returncode}: {result.stdout}")
        elif shown and not matches(shown, result.stdout):
            self.fail(text, f"shown:\n{shown}printed:\n{result.stdout}")

    def console(self, body):
        entries = [entry.partition("\n") for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]]
        for i, (text, _, shown) in enumerate(entries):
            while text.endswith("\\"):
                more, _, shown = shown.partition("\n")
                text = text[:-1] + more
            asked = i + 1 < len(entries) and entries[i + 1][0] == "echo $?"
            if not WAITING.match(text):
                self.command(text, shown, asked or "error" in shown)

    def python(self, body):
        self.count += 1
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(body, self.path.name, "exec"), self.names)
        except Exception as error:  # whatever a page's code can raise
            self.fail("a block of Python", body, repr(error))
        finally:
            os.chdir(here)

    def fragment(self, body, files):
        """A part of a file must stand, line for line, in one that is known."""
        self.count += 1
        known = [*self.files.values(), *(path.read_text(encoding="utf-8") for path in files)]
        if not any(body in text for text in known):
            self.fail("a block that is no file and no part of one", body)

    def run(self, has_module):
        last = ""
        for before, language, body in blocks(self.text):
            name = NAMED.search(before)
            is_printed = last == "c++" and language == "text" and not name
            last = language
            if language == "c++":
                self.fragment(body, (ROOT / "examples").glob("*/main.cpp"))
            elif is_printed:
                self.fragment(body, (ROOT / "examples").glob("*/expected.txt"))
            elif name:
                self.files[name[1]] = body
                (self.folder / name[1]).write_text(body, encoding="utf-8")
            elif language == "console":
                self.console(body)
            elif language == "sh":
                for line in body.splitlines():
                    if re.match(r"(bin/)?koppel ", line) and not WAITING.match(line):
                        self.command(line, None, False)
            elif language == "python" and has_module:
                self.python(body)
            elif language == "yaml":
                self.fragment(body, (ROOT / "models").glob("*.yaml"))
        return self


def has_module():
    try:
        import koppel  # noqa: F401
    except ImportError:
        return False
    os.environ.setdefault("MPLCONFIGDIR", str(ROOT / "docs/site"))
    return True


def run_page(path, program, folder):
    return Page(pathlib.Path(path), pathlib.Path(program).resolve(), folder).run(has_module())


def main():
    count, failures = 0, []
    for path in sys.argv[2:]:
        with tempfile.TemporaryDirectory() as folder:
            page = run_page(path, sys.argv[1], folder)
        count += page.count
        failures += page.failures
    print("\n".join(failures))
    print(f"{count} commands, {len(failures)} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())

"""run_commands.py PROGRAM FILE.md...: runs the commands a page shows.

Commands are the lines of ```sh and ```console blocks that start with bin/koppel (after `$ ` in
a console). Each must succeed; a console's output must be the one shown, where one is shown. They
run in a folder that has the project's models/ and the files that the page shows: a ```yaml block
after a line that ends in its name, as in "A pendulum, `pendulum.yaml`:".
"""

import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

FILE = re.compile(r"`([\w-]+\.yaml)`:\n\n```yaml\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```(sh|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands(text):
    """Pairs of a command and the output shown for it, None where none is."""
    for language, body in BLOCK.findall(text):
        if language == "sh":
            yield from ((line, None) for line in body.splitlines() if line.startswith("bin/koppel"))
            continue
        for entry in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            command, _, output = entry.partition("\n")
            if command.startswith("bin/koppel"):
                yield command, output or None


def main():
    program = shlex.quote(str(pathlib.Path(sys.argv[1]).resolve()))
    count = failures = 0
    for page in map(pathlib.Path, sys.argv[2:]):
        text = page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "models").symlink_to(page.resolve().parent / "models")
            for name, content in FILE.findall(text):
                pathlib.Path(folder, name).write_text(content, encoding="utf-8")
            for command, shown in commands(text):
                count += 1
                result = subprocess.run(command.replace("bin/koppel", program, 1), shell=True,
                                        cwd=folder, capture_output=True, text=True)
                if result.returncode != 0:
                    print(f"{page.name}: {command}\nexit {result.returncode}: {result.stderr}")
                elif shown is not None and result.stdout.strip() != shown.strip():
                    print(f"{page.name}: {command}\nshown:\n{shown}printed:\n{result.stdout}")
                else:
                    continue
                failures += 1
    print(f"{count} commands, {failures} failures")
    return 1 if failures or not count else 0


if __name__ == "__main__":
    sys.exit(main())

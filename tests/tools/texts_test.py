"""Texts of the library: options are named as fields, in backquotes, never as flags of the program. Usage: ... SOURCE"""

import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))
# What else stands in backquotes: keys of model files, here and everywhere in koppel/model.
OTHER = {"events", "initial"}
# What commands do, as the library calls it.
OPERATIONS = {"inverse", "live", "simulate"}


def literals():
    """(place, text) of every string in the library's sources; neighbouring parts are joined."""
    for path in sorted((SOURCE / "koppel").rglob("*.[ch]pp")):
        text = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.M)
        text = re.sub(r'(?<!\\)"\s*\n\s*"', "", text)
        for match in re.finditer(r'"((?:[^"\\\n]|\\.)*)"', text):
            yield path.relative_to(SOURCE), match[1]


class Texts(unittest.TestCase):
    def test_name_no_flags_and_no_commands_of_the_program(self):
        for path, text in literals():
            with self.subTest(path=str(path), text=text):
                self.assertNotRegex(text, r"(?<![\w-])--[a-z]|\bkoppel (run|check|live|inverse|export|budget|compare)\b")

    def test_the_program_knows_each_option_that_is_named(self):
        tables = "".join(path.read_text(encoding="utf-8") for folder in ("koppel", "apps/koppel")
                         for path in sorted((SOURCE / folder).rglob("*.cpp")))
        options = set(re.findall(r'\.name = "(\w+)"', tables))
        self.assertGreater(len(options), 50)
        known = options | OPERATIONS | OTHER
        for path, text in literals():
            if path.parts[1] == "model":
                continue
            for name in re.findall(r"`(\w+)(?: = [^`]*)?`", text):
                with self.subTest(path=str(path), text=text):
                    self.assertIn(name, known)


if __name__ == "__main__":
    unittest.main()

"""The manual page: every command and option, and nothing that man complains about. Usage: ... PROGRAM SOURCE"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))


class ManPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.page = subprocess.run([sys.executable, SOURCE / "tools/man_page", PROGRAM], capture_output=True, text=True,
                                  check=True).stdout

    def plain(self):
        return self.page.replace(r"\-", "-").replace(r"\fB", "").replace(r"\fR", "").replace(r"\(ga", "`")

    def test_has_every_command_with_every_option(self):
        listed = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True).stdout
        names = re.findall(r"^  (\w+) {2,}", listed.split("Commands:")[1], re.MULTILINE)
        self.assertGreater(len(names), 13)
        plain = self.plain()
        for name in names:
            with self.subTest(name):
                part = plain.split(f".SH KOPPEL {name.upper()}\n")[1].split("\n.SH ")[0]
                options = subprocess.run([PROGRAM, name, "--help"], capture_output=True, text=True, check=True).stdout
                for option in re.findall(r"^  (--[\w-]+)", options, re.MULTILINE):
                    self.assertRegex(part, rf"(?m)^{option}\b")

    @unittest.skipUnless(shutil.which("man"), "needs man")
    def test_is_formatted_without_warnings(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "koppel.1")
            path.write_text(self.page, encoding="utf-8")
            result = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-Tutf8", "-l", path], capture_output=True, text=True,
                                    env={**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "100"})
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        plain = re.sub(r".\x08|\x1b\[[\d;]*m", "", result.stdout)  # bold is overstruck
        self.assertTrue("EXIT STATUS" in plain and "--integrator" in plain)


if __name__ == "__main__":
    unittest.main()

"""`koppel new` and `koppel completion`. Usage: ... PROGRAM"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))


def run(*arguments, cwd=None):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd)
    return result.returncode, result.stdout, result.stderr


class New(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def test_writes_a_model_that_moves(self):
        code, out, _ = run("new", "first", cwd=self.path)
        self.assertEqual((code, out), (0, "first.yaml\n`koppel check first.yaml` looks at it, "
                                          "`koppel run first.yaml` simulates it.\n"))
        self.assertIn('name: "first"', (self.path / "first.yaml").read_text())
        code, out, errors = run("run", "first.yaml", "--json", "--quiet", cwd=self.path)
        self.assertEqual((code, errors), (0, ""))
        statistics = json.loads(out)["statistics"]
        for name in ("arm", "x", "y", "stretch"):  # every output moves
            self.assertGreater(statistics[name]["max"] - statistics[name]["min"], 0.05, name)

    def test_copies_a_model(self):
        self.assertEqual(run("new", "mine", "--like", "slider_crank", cwd=self.path)[0], 0)
        code, out, _ = run("check", "mine.yaml", "--json", cwd=self.path)
        self.assertEqual((code, json.loads(out)["model"], json.loads(out)["dof"]), (0, "mine", 1))

    def test_every_built_in_model_can_be_copied_or_says_what_is_missing(self):
        for model in json.loads(run("models", "--json")[1]):
            code, _, errors = run("new", model["name"], "--like", model["name"], cwd=self.path)
            if code != 0:
                self.assertIn("model.no-file", errors)
                self.assertIn("include", pathlib.Path(model["file"]).read_text())

    def test_overwrites_nothing(self):
        (self.path / "there.yaml").write_text("precious")
        code, _, errors = run("new", "there", cwd=self.path)
        self.assertEqual((code, errors), (1, "error[arguments.wrong]: there.yaml is there already.\n"
                                             "  Give another name.\n"))
        self.assertEqual((self.path / "there.yaml").read_text(), "precious")


class Completion(unittest.TestCase):
    def complete(self, *words):
        """What bash offers for the last of these words."""
        script = ('source <("$0" completion bash); PATH="$(dirname "$0"):$PATH"; COMP_WORDS=("$@"); '
                  'COMP_CWORD=$(($# - 1)); _koppel; printf "%s\\n" "${COMPREPLY[@]}"')
        result = subprocess.run(["bash", "-c", script, PROGRAM, "koppel", *words], capture_output=True, text=True)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash_completes_commands_options_and_models(self):
        self.assertEqual(self.complete("ru"), ["run"])
        self.assertIn("explain", self.complete(""))
        self.assertEqual(self.complete("run", "pendulum", "--toler"), [])
        self.assertEqual(self.complete("run", "pendulum", "--to"), ["--tol"])
        self.assertIn("slider_crank", self.complete("check", "slider"))
        self.assertNotIn("slider_crank", self.complete("explain", "slider"))

    def test_scripts_have_every_command_and_are_understood_by_their_shell(self):
        help_text = run("--help")[1]
        commands = [line.split()[0] for line in help_text.split("Commands:")[1].splitlines() if line.startswith("  ")
                    and line[2] != " "]
        self.assertIn("completion", commands)
        for shell in ("bash", "zsh", "fish"):
            code, script, _ = run("completion", shell)
            self.assertEqual(code, 0)
            for command in commands:
                self.assertIn(command, script)
            if shutil.which(shell):
                flag = "--no-execute" if shell == "fish" else "-n"
                checked = subprocess.run([shell, flag], input=script, capture_output=True, text=True)
                self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_other_shells_are_refused(self):
        self.assertEqual(run("completion", "tcsh")[::2], (1, "error[arguments.wrong]: there is no completion for 'tcsh'.\n"
                                                             "  It is one of: bash, zsh, fish.\n"))


if __name__ == "__main__":
    unittest.main()

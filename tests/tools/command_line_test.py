"""The frame of the command line: version, help, wrong arguments. Usage: ... PROGRAM"""

import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)


def run(*arguments):
    result = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


class CommandLine(unittest.TestCase):
    def test_version_names_the_commit(self):
        status, output, messages = run("--version")
        self.assertEqual((status, messages), (0, ""))
        self.assertRegex(output, r"^koppel \d+\.\d+\.\d+ \(commit ([0-9a-f]{7,}|unknown)\)\n$")

    def test_help_lists_the_commands(self):
        status, output, messages = run("--help")
        self.assertEqual((status, messages), (0, ""))
        self.assertIn("expr", output)

    def test_each_command_has_help(self):
        _, output, _ = run("--help")
        commands = [line.split()[0] for line in output.split("Subcommands:")[1].splitlines()[1:]
                    if line.startswith("  ") and line[2] != " "]
        self.assertTrue(commands)
        for command in commands:
            status, output, messages = run(command, "--help")
            self.assertEqual((status, messages), (0, ""), command)
            self.assertIn(command, output)

    def test_misspelt_command_gets_a_suggestion(self):
        self.assertEqual(run("exrp", "x"), (
            1, "", "error[arguments.unknown-command]: there is no command 'exrp'.\n"
                   "  Did you mean 'expr'? `koppel --help` lists the commands.\n"))

    def test_wrong_arguments_give_1_and_no_output(self):
        for arguments in ([], ["--nonsense"], ["expr", "--nonsense", "x"], ["expr"]):
            status, output, messages = run(*arguments)
            self.assertEqual((status, output), (1, ""), arguments)
            self.assertTrue(messages.startswith("error[arguments.wrong]: "), messages)


if __name__ == "__main__":
    unittest.main()

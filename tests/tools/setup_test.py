"""tools/setup.sh with stand-ins for dpkg-query, apt-get, id and sudo."""

import os
import pathlib
import subprocess
import tempfile
import unittest

TOP = pathlib.Path(__file__).parents[2]

# The stand-ins keep the list of installed packages in a file.
DPKG = 'shift 3; for p; do grep -qxF "$p" "$STATE/installed" && echo "installed $p"; done; true'
APT = """echo "$*" >>"$STATE/calls"
case "$*" in *install*) for p; do echo "$p" >>"$STATE/installed"; done ;; esac"""
BROKEN_APT = 'echo "$*" >>"$STATE/calls"; echo "no network" >&2; exit 100'


class Setup(unittest.TestCase):
    def install(self, installed, apt, user=0):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tools").mkdir()
            (root / "tools/packages.txt").write_text("# why\nalpha # a compiler\nbeta\n\n")
            (root / "installed").write_text("".join(f"{name}\n" for name in installed))
            (root / "calls").touch()
            stubs = {"dpkg-query": DPKG, "apt-get": apt, "id": f"echo {user}",
                     "sudo": 'echo "sudo $*" >>"$STATE/calls"; exit 1'}
            for name, body in stubs.items():
                (root / name).write_text(f"#!/bin/sh\n{body}\n")
                (root / name).chmod(0o755)
            result = subprocess.run(
                ["sh", "-c", f"root={root}; . {TOP}/tools/setup.sh; install_packages"],
                env={**os.environ, "PATH": f"{root}:{os.environ['PATH']}", "STATE": folder},
                stdin=subprocess.DEVNULL, capture_output=True, text=True)
            self.assertEqual(result.stdout, "")
            return result.returncode, result.stderr, (root / "calls").read_text().splitlines()

    def test_touches_nothing_when_all_is_there(self):
        self.assertEqual(self.install(["alpha", "beta"], APT), (0, "", []))

    def test_installs_only_what_is_missing(self):
        status, messages, calls = self.install(["alpha"], APT)
        self.assertEqual((status, messages), (0, "koppel: installing beta\n"))
        self.assertEqual(len(calls), 2)
        self.assertTrue(calls[0].endswith("update"))
        self.assertTrue(calls[1].endswith("install --no-install-recommends beta"))

    def test_says_what_to_do_when_it_cannot_install(self):
        status, messages, _ = self.install([], BROKEN_APT)
        self.assertEqual(status, 1)
        self.assertTrue(messages.endswith(
            "koppel: these packages are missing and could not be installed: alpha beta\n"
            "koppel: install them with: "
            "sudo apt-get install --no-install-recommends alpha beta\n"))

    def test_never_asks_for_a_password_without_a_terminal(self):
        status, _, calls = self.install([], APT, user=1000)
        self.assertEqual(status, 1)
        self.assertTrue(all(call.startswith("sudo -n apt-get") for call in calls))


class Build(unittest.TestCase):
    """Shell functions of tools/setup.sh in a folder of their own, with stand-ins for commands."""

    def run_there(self, script, before=lambda root: None, **stubs):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tools").mkdir()
            (root / "tools/packages.txt").write_text("alpha\n")
            (root / "build/release/bin").mkdir(parents=True)
            stubs = {"dpkg-query": 'echo "installed alpha"', **stubs}
            for name, body in stubs.items():
                (root / name.replace("_", "-")).write_text(f"#!/bin/sh\n{body}\n")
                (root / name.replace("_", "-")).chmod(0o755)
            before(root)
            done = subprocess.run(["sh", "-c", f"root='{root}'; . {TOP}/tools/setup.sh; {script}"],
                                  env={**os.environ, "PATH": f"{root}:{os.environ['PATH']}"},
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
            return done.returncode, done.stderr.replace(folder, "ROOT")

    def test_says_that_the_disk_has_too_little_room(self):
        status, messages = self.run_there("build_target koppel_app", df="echo; echo 'disk 9 9 120 99% /'")
        self.assertEqual((status, messages), (
            1, "koppel: the build takes up to 700 MB; on the disk of ROOT/build/release there are only 120 MB free.\n"))

    def test_says_that_the_sources_cannot_be_built_in_their_place(self):
        def take_the_place(root):
            (root / "build/release/bin").rmdir()
            (root / "build/release").rmdir()
            (root / "build/release").write_text("")

        status, messages = self.run_there("build_target koppel_app", take_the_place)
        self.assertEqual((status, messages), (
            1, "koppel: ROOT/build/release cannot be written: copy the sources to a folder of your own.\n"))

    def test_says_what_to_do_when_a_build_fails(self):
        status, messages = self.run_there("compile koppel_app", cmake="exit 1", df="echo; echo 'disk 9 9 9999 9% /'")
        self.assertEqual((status, messages), (
            1, "koppel: the build failed; the reason stands above. If it is an old build folder, remove "
               "ROOT/build/release and try again.\n"))
        status, messages = self.run_there("compile koppel_app", cmake="exit 1", df="echo; echo 'disk 9 9 3 99% /'")
        self.assertIn("there is no room left on the disk of ROOT/build/release", messages)

    def test_builds_a_part_in_when_its_package_has_come(self):
        def build(header):
            def prepare(root):
                (root / "build/release/bin/koppel").write_text("")
                (root / "build/release/bin/koppel").chmod(0o755)
                (root / "build/release/.built").touch()
                (root / "build/release/absent").write_text(f"nowhere.h\n{header}\n")
            return prepare

        self.assertEqual(self.run_there("is_current", build("none.h"))[0], 0)
        self.assertEqual(self.run_there("is_current", build("stdio.h"))[0], 1)


class Start(unittest.TestCase):
    def test_help_names_what_only_the_script_does(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("bin/koppel", "tools/setup.sh"):
                (root / name).parent.mkdir()
                (root / name).write_bytes((TOP / name).read_bytes())
            program = root / "build/release/bin/koppel"
            program.parent.mkdir(parents=True)
            program.write_text('#!/bin/sh\necho "program: $*"\n')
            program.chmod(0o755)
            (root / "build/release/.built").touch()

            def run(*arguments):
                return subprocess.run(["sh", root / "bin/koppel", *arguments], capture_output=True, text=True, check=True).stdout

            self.assertEqual(run("run", "--help"), "program: run --help\n")
            for arguments in (["-h"], ["--help"]):
                said = run(*arguments)
                self.assertTrue(said.startswith("program: " + " ".join(arguments)))
                for command in ("python", "notebook", "docs"):
                    self.assertIn(f"\n  {command} [", said)


if __name__ == "__main__":
    unittest.main()

"""Builds the program without SUNDIALS, HDF5 and pages, which it then says. Usage: ... CMAKE ROOT BUILD COMPILER"""

import pathlib
import re
import subprocess
import sys
import unittest

CMAKE, ROOT, BUILD, COMPILER = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
PROGRAM = BUILD / "bin/koppel"
OFF = [f"KOPPEL_{part}=OFF" for part in ("SUNDIALS", "HDF5", "PAGES", "PYTHON", "EXAMPLES")]
HIDDEN = ["CMAKE_DISABLE_FIND_PACKAGE_SUNDIALS=ON", "CMAKE_DISABLE_FIND_PACKAGE_SerialHDF5=ON", "KOPPEL_NODE=nowhere/node",
          "KOPPEL_NPM=nowhere/npm"]


def configure(folder, *settings):
    return subprocess.run([CMAKE, "-S", ROOT, "-B", folder, "-G", "Ninja", f"-DCMAKE_CXX_COMPILER={COMPILER}",
                           "-DCMAKE_BUILD_TYPE=Release", *(f"-D{setting}" for setting in settings)],
                          capture_output=True, text=True)


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=BUILD)
    return done.returncode, done.stdout, done.stderr


class Minimal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = configure(BUILD, *OFF, *HIDDEN)
        assert done.returncode == 0, done.stderr
        subprocess.run([CMAKE, "--build", BUILD, "--target", "koppel_app"], check=True)

    def test_needs_none_of_them(self):
        linked = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
        self.assertNotRegex(linked, "sundials|hdf5")
        config = (BUILD / "koppelConfig.cmake").read_text()
        self.assertNotRegex(config, r"find_dependency\((SUNDIALS|SerialHDF5)\)")
        self.assertIn("find_dependency(KLU)", config)

    def test_version_says_what_was_left_out(self):
        status, output, _ = run("--version")
        self.assertEqual(status, 0)
        self.assertEqual(output.splitlines()[1:], [
            "left out of this build: SUNDIALS (integrators ida and cvode), HDF5 (--hdf5), "
            "pages (plots in report.html, play, export --to html)"])

    def test_runs_models_with_a_plain_report(self):
        for model in ("pendulum", "andrews"):  # the second one is stiff
            status, _, messages = run("run", model, "--end", "0.01", "--out", f"{model}-run")
            self.assertEqual((status, messages), (0, ""))
        page = (BUILD / "pendulum-run/report.html").read_text(encoding="utf-8")
        self.assertIn("This build of Koppel has no pages", page)
        self.assertRegex(page, r'const report = \{"title":"pendulum".*"summary":\[\{"label":"method","value":')

    def test_compares_the_integrators_that_there_are(self):
        status, output, messages = run("compare", "pendulum", "--end", "0.5", "--out", "pendulum-compare")
        self.assertEqual(status, 0, messages)
        self.assertIn("radau5", output)
        self.assertIsNone(re.search(r"\bida\b", output), output)

    def test_refusals(self):
        for arguments, expected in [
                (("run", "pendulum", "--integrator", "ida"),
                 "error[integrate.no-sundials]: integrator 'ida' is of SUNDIALS, which this build has not\n"
                 "  use radau5 for stiff problems, or configure with -D KOPPEL_SUNDIALS=ON.\n"),
                (("run", "pendulum", "--hdf5"),
                 "error[results.without-hdf5]: this build has no HDF5\n"
                 "  trajectory.csv has the same numbers; or configure with -D KOPPEL_HDF5=ON.\n"),
                (("export", "pendulum", "--to", "html", "--step", "1e-3"),
                 "error[export.no-pages]: this build has no pages\n"
                 "  export as WebAssembly instead, or configure with -D KOPPEL_PAGES=ON.\n"),
                (("play", "pendulum", "--no-browser"),
                 "error[play.no-pages]: this build has no pages, and the workbench is one\n"
                 "  run models with `koppel run`, or configure with -D KOPPEL_PAGES=ON.\n")]:
            with self.subTest(arguments=arguments):
                status, _, messages = run(*arguments)
                self.assertEqual((status, messages), (1, expected))
        self.assertFalse((BUILD / "pendulum.html").exists())

    def test_tests_are_not_built_without_a_part(self):
        done = configure(BUILD.with_name(BUILD.name + "-tests"), "KOPPEL_HDF5=OFF", "KOPPEL_TESTS=ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Tests and benchmarks use every part", done.stderr)


if __name__ == "__main__":
    unittest.main()

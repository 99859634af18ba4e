"""Builds the program without all that can be left out, which it then says. Usage: ... CMAKE ROOT BUILD COMPILER"""

import pathlib
import re
import subprocess
import sys
import unittest

CMAKE, ROOT, BUILD, COMPILER = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
PROGRAM = BUILD / "bin/koppel"
# As on a machine that has none of their packages.
HIDDEN = [f"CMAKE_DISABLE_FIND_PACKAGE_{package}=ON"
          for package in ("SUNDIALS", "SerialHDF5", "Ceres", "Beast", "PythonModule", "GTest", "benchmark", "Npm")]


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
        done = configure(BUILD, *HIDDEN)
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
            "left out of this build: SUNDIALS (integrators ida and cvode), HDF5 (--hdf5), Ceres (fit), Boost (play)"])

    def test_runs_models_with_their_page(self):
        for model in ("pendulum", "andrews"):  # the second one is stiff
            status, _, messages = run("run", model, "--end", "0.01", "--out", f"{model}-run")
            self.assertEqual((status, messages), (0, ""))
        self.assertIn('{"title":"pendulum"', (BUILD / "pendulum-run/report.html").read_text(encoding="utf-8"))

    def test_compares_the_integrators_that_there_are(self):
        status, output, messages = run("compare", "pendulum", "--end", "0.5", "--out", "pendulum-compare")
        self.assertEqual(status, 0, messages)
        self.assertIn("radau5", output)
        self.assertIsNone(re.search(r"\bida\b", output), output)

    def test_refusals(self):
        for arguments, expected in [
                (("run", "pendulum", "--integrator", "ida"),
                 "error[integrate.no-sundials]: integrator 'ida' is of SUNDIALS, which this build has not\n"
                 "  use radau5 for stiff problems; or install libsundials-dev and build again; bin/koppel then does so by "
                 "itself.\n"),
                (("run", "pendulum", "--hdf5"),
                 "error[results.without-hdf5]: this build has no HDF5\n"
                 "  trajectory.csv has the same numbers; or install libhdf5-dev and build again; bin/koppel then does so by "
                 "itself.\n"),
                (("play", "pendulum", "--no-browser"),
                 f"error[play.no-workbench]: this build has no workbench: there is no {BUILD}/bin/koppel-workbench.\n"
                 "  Install libboost-dev and build again; bin/koppel play does both by itself.\n")]:
            with self.subTest(arguments=arguments):
                status, _, messages = run(*arguments)
                self.assertEqual((status, messages), (1, expected))

    def test_waits_for_the_packages_of_its_parts(self):
        absent = (BUILD / "absent").read_text().split()
        for header in ("cvode/cvode.h", "boost/beast.hpp"):
            # A header that is there is not waited for: the part lacks something else.
            self.assertEqual(header in absent, not pathlib.Path("/usr/include", header).exists())

    def test_a_part_that_was_asked_for_is_required(self):
        done = configure(BUILD.with_name(BUILD.name + "-tests"), "KOPPEL_HDF5=OFF", "KOPPEL_TESTS=ON")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("KOPPEL_TESTS is ON, and tests cannot be built without KOPPEL_HDF5.", done.stderr)


if __name__ == "__main__":
    unittest.main()

"""tools/release refuses what is not ready, and describes what it makes."""

import importlib.machinery
import importlib.util
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True


class Release(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "tools").mkdir()
        shutil.copy(TOP / "tools/release", self.root / "tools")
        (self.root / "CMakeLists.txt").write_text("project(koppel VERSION 1.2.3 LANGUAGES C)\n")
        self.write_changes("1.2.3 (2026-01-31)")
        for command in (["init", "-q"], ["add", "."], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
            subprocess.run(["git", *command], cwd=self.root, check=True)

    def write_changes(self, heading):
        (self.root / "CHANGELOG.md").write_text(f"# Changes\n\n## {heading}\n\nNew: [pages](docs/a.md).\n\n## 1.2\n\nOld.\n")

    def refusal(self):
        done = subprocess.run([sys.executable, self.root / "tools/release"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        return done.stderr

    def loaded(self):
        loader = importlib.machinery.SourceFileLoader("release", str(self.root / "tools/release"))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
        loader.exec_module(module)
        return module

    def test_a_version_that_is_not_described_is_refused(self):
        self.write_changes("1.2.34")
        self.assertEqual(self.refusal(), "release: CHANGELOG.md says nothing of 1.2.3.\nrelease: Give it a section '## 1.2.3'.\n")

    def test_a_version_that_is_not_released_is_refused(self):
        self.write_changes("1.2.3 (not yet released)")
        self.assertEqual(self.refusal(), "release: CHANGELOG.md says '1.2.3 (not yet released)'.\n"
                                         "release: Put the day of the release there, or use --try.\n")

    def test_sources_that_are_no_commit_are_refused(self):
        (self.root / "more.txt").touch()
        self.assertEqual(self.refusal(), "release: these files differ from the commit:\nrelease: ?? more.txt\n"
                                         "release: Commit them, or use --try.\n")

    def test_the_archive_is_the_commit_and_always_the_same(self):
        release, out = self.loaded(), self.root / "build"
        out.mkdir()
        (self.root / "more.txt").touch()
        archive = release.make_archive(out, "1.2.3")
        first = archive.read_bytes()
        self.assertEqual(release.make_archive(out, "1.2.3").read_bytes(), first)
        with tarfile.open(archive) as files:
            self.assertEqual({file.name for file in files.getmembers() if file.isfile()},
                             {f"koppel-1.2.3/{name}" for name in ("CMakeLists.txt", "CHANGELOG.md", "tools/release")})

    def test_the_notes_name_every_file_and_say_how_to_install(self):
        release, out = self.loaded(), self.root / "build"
        out.mkdir()
        for name in ("koppel_1.2.3_amd64.deb", "koppel_python_1.2.3_amd64.deb", "koppel_library_1.2.3_amd64.deb",
                     "koppel-1.2.3-cp311-cp311-linux_x86_64.whl", "koppel-1.2.3.tar.gz"):
            (out / name).write_bytes(b"")
        files = sorted(out.iterdir())
        heading, text = release.changes("1.2.3")
        notes = release.notes(heading, text, files, "some system", ["libone1", "libtwo2"], ["gcc"])
        self.assertTrue(notes.startswith("# Koppel 1.2.3 (2026-01-31)\n\nNew: pages.\n\n## Files\n"))
        for file in files:
            self.assertIn(f"| `{file.name}` | 0.0 MB | ", notes)
        self.assertIn("python3-venv libone1 libtwo2\n", notes)
        self.assertIn("pip install --no-index ./koppel-1.2.3-cp311-cp311-linux_x86_64.whl\n", notes)


if __name__ == "__main__":
    unittest.main()

"""The pages in viewer/pages are those that viewer/src makes. Usage: pages_test.py ROOT BUILT"""

import pathlib
import sys
import unittest

ROOT, BUILT = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))


class Pages(unittest.TestCase):
    def test_are_those_of_their_sources(self):
        names = sorted(page.name for page in (ROOT / "viewer/pages").iterdir())
        self.assertEqual(names, ["mechanism.html", "report.html", "sweep.html", "workbench.html"])
        for name in names:
            with self.subTest(name):
                same = (ROOT / "viewer/pages" / name).read_bytes() == (BUILT / name).read_bytes()
                self.assertTrue(same, f"viewer/pages/{name} is out of date: run tools/pages")


if __name__ == "__main__":
    unittest.main()

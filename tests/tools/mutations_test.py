"""tools/mutations: its list fits the sources, and a list that does not is refused."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).parents[2]
PLACE = str(ROOT / "tools" / "mutations" / "run")
loader = importlib.machinery.SourceFileLoader("mutations", PLACE)
mutations = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutations", loader))
loader.exec_module(mutations)

GOOD = {"name": "a", "file": "a.cpp", "old": "x + y", "new": "x - y", "build": "t", "tests": "T",
        "why": "w"}


class Mutations(unittest.TestCase):
    def mistakes(self, *bugs):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "a.cpp").write_text("return x + y;\nreturn z;\nreturn z;\n")
            return mutations.mistakes_in(list(bugs), root)

    def test_every_old_text_stands_once_in_its_file(self):
        self.assertEqual(mutations.mistakes_in(mutations.read_list(mutations.LIST), ROOT), [])

    def test_accepts_what_fits(self):
        self.assertEqual(self.mistakes(GOOD), [])

    def test_names_what_does_not(self):
        self.assertEqual(self.mistakes({**GOOD, "old": "gone"}),
                         ["a: the old text stands 0 times in a.cpp; once is right"])
        self.assertEqual(self.mistakes({**GOOD, "old": "return z"}),
                         ["a: the old text stands 2 times in a.cpp; once is right"])
        self.assertEqual(self.mistakes({**GOOD, "file": "b.cpp"}), ["a: there is no file b.cpp"])
        self.assertEqual(self.mistakes({**GOOD, "new": "x + y"}),
                         ["a: old and new text are the same"])
        self.assertEqual(self.mistakes(GOOD, GOOD), ["a: there are two of this name"] * 2)
        self.assertEqual(self.mistakes({k: v for k, v in GOOD.items() if k != "why"}),
                         ["a: keys must be build, file, name, new, old, tests, why"])


if __name__ == "__main__":
    unittest.main()

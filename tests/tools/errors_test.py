"""docs/errors.md: every id in the sources is in the catalogue, and no other. Usage: ... ROOT PROGRAM"""

import functools
import pathlib
import re
import subprocess
import sys
import unittest

ROOT, PROGRAM = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
PAGE = (ROOT / "docs/errors.md").read_text(encoding="utf-8")
EXAMPLES = (ROOT / "tests/tools/error_examples.md").read_text(encoding="utf-8")
LISTED = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
# A family of ids is that of a folder, or one that is listed.
FAMILIES = sorted({id.split(".")[0] for id in LISTED} | {path.name for path in (ROOT / "koppel").iterdir() if path.is_dir()})
QUOTED = re.compile(r'["\[]((?:' + "|".join(FAMILIES) + r')\.[a-z]+(?:-[a-z0-9]+)*)["\]]|error\[([a-z.-]+)\]')
# Files and instructions of WebAssembly that look like ids.
NOT_IDS = {"compare.json", "model.yaml", "memory.copy", "memory.init"}


@functools.cache
def raised():
    found = {}
    for top in ("koppel", "apps", "python"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in (".cpp", ".hpp", ".py"):
                for match in QUOTED.finditer(path.read_text(encoding="utf-8")):
                    id = match[1] or match[2]
                    if id not in NOT_IDS:
                        found.setdefault(id, path.relative_to(ROOT))
    return found


class Catalogue(unittest.TestCase):
    def test_has_every_id_of_the_sources(self):
        missing = {id: str(path) for id, path in raised().items() if id not in LISTED}
        self.assertEqual(missing, {}, "add a row to docs/errors.md")

    def test_has_no_id_that_is_not_raised(self):
        self.assertEqual([id for id in LISTED if id not in raised()], [], "remove the row from docs/errors.md")

    def test_has_each_once_with_a_meaning_and_advice(self):
        self.assertEqual(len(LISTED), len(set(LISTED)))
        for row in re.findall(r"^\| `.*$", PAGE, re.MULTILINE):
            self.assertRegex(row, r"^\| `[^`]+` \| [A-Z`][^|]+\. \| [A-Z`][^|]+\. \|$")

    def test_every_id_has_an_example_or_a_reason_why_there_is_none(self):
        shown = re.findall(r"^### (\S+)$", EXAMPLES, re.MULTILINE)
        without = re.findall(r"^\| `([^`]+)` \| (.+?) \| (?:`(.+)`|none) \|$", EXAMPLES, re.MULTILINE)
        self.assertEqual(shown, [id for id in LISTED if id not in {row[0] for row in without}])
        self.assertLess(len(without), 12)
        for id, _, test in without:
            if test:  # provokes it elsewhere
                self.assertIn(id, (ROOT / test).read_text(encoding="utf-8"))

    def test_examples_show_their_error(self):
        for part in re.split(r"^### ", EXAMPLES, flags=re.MULTILINE)[1:]:
            id, _, body = part.partition("\n")
            with self.subTest(id):
                if id != "compare.cannot-follow":  # a note among others
                    self.assertRegex(body, rf"(error|note)\[{re.escape(id)}\]|(failed|doubtful),{re.escape(id)},")

    def test_is_what_explain_says(self):
        out = subprocess.run([PROGRAM, "explain", "model.missing-mass"], capture_output=True, text=True)
        self.assertEqual(out.stdout, "model.missing-mass\n"
                         "  means        A body has no mass.\n"
                         "  do           Give `mass`, `density` with a shape, or `point_mass`.\n")
        self.assertEqual(out.returncode, 0)
        all_ids = subprocess.run([PROGRAM, "explain"], capture_output=True, text=True).stdout.split()
        self.assertEqual(all_ids, LISTED)
        wrong = subprocess.run([PROGRAM, "explain", "model.missing-mas"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 1)
        self.assertEqual(wrong.stderr, "error[arguments.unknown-id]: there is no error 'model.missing-mas'.\n"
                         "  Did you mean 'model.missing-mass'? `koppel explain` lists them all.\n")


if __name__ == "__main__":
    unittest.main()

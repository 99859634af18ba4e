"""Pages of docs/ and their figures belong together, and links lead somewhere. Usage: ... SOURCE"""

import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))


def pages():
    return [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]


class Docs(unittest.TestCase):
    def test_links_to_files_lead_to_files(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists())

    def test_every_figure_is_shown(self):
        text = "".join(page.read_text(encoding="utf-8") for page in pages())
        for figure in sorted((SOURCE / "docs" / "figures").iterdir()):
            with self.subTest(figure.name):
                self.assertIn(f"figures/{figure.name}", text)


if __name__ == "__main__":
    unittest.main()

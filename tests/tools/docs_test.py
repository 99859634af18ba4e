"""Pages of docs/ and their figures belong together, and links lead somewhere. Usage: ... SOURCE"""

import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1))


def pages():
    return [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted((SOURCE / "docs").rglob("*.md"))]


def sections(page):
    """The anchors of a page's headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower().replace("`", "")).strip().replace(" ", "-") for title in titles}


class Docs(unittest.TestCase):
    def test_links_to_files_lead_to_files(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
                if "://" in target:
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertTrue((page.parent / target).exists())

    def test_links_to_sections_lead_to_sections(self):
        for page in pages():
            for target in re.findall(r"\]\(([^)\s]*#[^)\s]+)\)", page.read_text(encoding="utf-8")):
                path, _, section = target.partition("#")
                file = page.parent / path if path else page
                if "://" in target or file.suffix != ".md":
                    continue
                with self.subTest(page=page.name, target=target):
                    self.assertIn(section, sections(file))

    def test_every_picture_says_what_it_shows(self):
        for page in pages():
            for text in re.findall(r"!\[([^]]*)\]\(", page.read_text(encoding="utf-8")):
                self.assertTrue(text, page)

    def test_what_is_cited_is_in_the_bibliography(self):
        keys = set(re.findall(r"^@\w+\{(\w+),", (SOURCE / "docs/references.bib").read_text(encoding="utf-8"), re.MULTILINE))
        for page in sorted((SOURCE / "docs/theory").glob("*.md")):
            for cited in re.findall(r"\[([^][]*\d{4})\](?!\()", page.read_text(encoding="utf-8")):
                for source in cited.split(";"):
                    name = source.split()[0].lower()
                    for year in re.findall(r"\d{4}", source):
                        with self.subTest(page=page.name, source=source):
                            self.assertIn(name + year, keys)

    def test_the_readme_is_short(self):
        self.assertLess(len((SOURCE / "README.md").read_text(encoding="utf-8").splitlines()), 150)

    def test_every_figure_is_shown(self):
        text = "".join(page.read_text(encoding="utf-8") for page in pages())
        for figure in sorted((SOURCE / "docs" / "figures").iterdir()):
            with self.subTest(figure.name):
                self.assertIn(f"figures/{figure.name}", text)


if __name__ == "__main__":
    unittest.main()
